"""Memory, ports and neo4j.conf of the managed server."""

import socket
from pathlib import Path

import pytest

from gotn.errors import Invalid, SetupFailed
from gotn.provision import Paths, configuration, memory, ports


@pytest.mark.parametrize(
    ("machine_mb", "heap_mb", "page_cache_mb"),
    [
        (1_000, 512, 128),
        (3_499, 512, 128),
        (3_900, 768, 192),
        (8_000, 1024, 256),
        (15_900, 1536, 384),
        (24_000, 2048, 512),
        (64_000, 4096, 1024),
    ],
)
def test_memory_follows_the_machine(machine_mb: int, heap_mb: int, page_cache_mb: int) -> None:
    """24 GB give 2g and 512m, small machines less, and never below 512m and 128m."""
    profile = memory.for_machine(machine_mb)
    assert (heap_mb, page_cache_mb) == (profile.heap_mb, profile.page_cache_mb)


def test_every_limit_on_the_way_to_the_own_group_counts(tmp_path: Path) -> None:
    """A container's limit on a parent group is found; "max" and no file are no limit."""
    own = tmp_path / "own"
    own.write_text("0::/a/b\n")
    (tmp_path / "g" / "a" / "b").mkdir(parents=True)
    (tmp_path / "g" / "a" / "memory.max").write_text("1073741824\n")
    (tmp_path / "g" / "a" / "b" / "memory.max").write_text("max\n")
    assert memory.cgroup_limits(tmp_path / "g", own) == [1073741824]


def test_machine_memory_is_positive() -> None:
    """Whatever this machine is, something is known of its memory."""
    assert memory.machine_memory() > 0


def test_conf_stays_on_the_loopback_and_sends_nothing() -> None:
    """Every address is 127.0.0.1, reports are off, and waits are bounded."""
    text = configuration.render(ports.Ports(20001, 20002), memory.for_machine(24_000))
    settings = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    addresses = {v for k, v in settings.items() if k.endswith("_address")}
    assert {"127.0.0.1", "127.0.0.1:20001", "127.0.0.1:20002"} == addresses
    assert "false" == settings["dbms.usage_report.enabled"] == settings["client.allow_telemetry"]
    assert settings["db.transaction.timeout"] == "10m"
    assert settings["db.lock.acquisition.timeout"] == "60s"
    assert settings["server.memory.heap.max_size"] == "2048m"
    assert settings["server.memory.pagecache.size"] == "512m"


def test_server_command_names_its_home(tmp_path: Path) -> None:
    """The process shows whose it is, which is how a recycled id is told from ours."""
    paths = Paths(tmp_path)
    command = configuration.server_command(Path("java"), tmp_path / "jars", paths, memory.SMALL)
    assert f"--home-dir={tmp_path / 'neo4j'}" in command
    assert "-Xmx512m" in command
    assert "--console-mode" not in command  # its output would not be rotated


def test_remembered_ports_are_kept() -> None:
    """Ports that are free are used again."""
    first = ports.choose(ports.Ports(0, 0), None, None)
    assert first == ports.choose(first, None, None)
    assert first.bolt != first.http


def test_a_taken_remembered_port_is_replaced() -> None:
    """Another program on a remembered port makes us choose a new one."""
    with Listening() as taken:
        chosen = ports.choose(ports.Ports(taken, 0), None, None)
    assert taken not in {chosen.bolt, chosen.http}


def test_a_taken_fixed_port_is_an_error() -> None:
    """A port that the user fixed is never silently replaced."""
    with Listening() as taken, pytest.raises(SetupFailed, match=f"Port {taken}.*GOTN_BOLT_PORT"):
        ports.choose(ports.Ports(0, 0), taken, None)


@pytest.mark.parametrize("text", ["0", "65536", "-1", "bolt", "７６８７x"])
def test_a_fixed_port_must_be_a_port(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nonsense in the environment is refused with the variable's name."""
    monkeypatch.setenv("GOTN_HTTP_PORT", text)
    with pytest.raises(Invalid, match="GOTN_HTTP_PORT"):
        ports.wished("HTTP", None)


def test_an_argument_beats_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Option before environment before nothing."""
    monkeypatch.setenv("GOTN_BOLT_PORT", "20001")
    assert ports.wished("Bolt", 20002) == 20002
    assert ports.wished("Bolt", None) == 20001
    monkeypatch.delenv("GOTN_BOLT_PORT")
    assert ports.wished("Bolt", None) is None


class Listening:
    """A program that has a port."""

    def __enter__(self) -> int:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen()
        return int(self._socket.getsockname()[1])

    def __exit__(self, *_: object) -> None:
        self._socket.close()
