"""neo4j.conf, written anew at every start, and the arguments of the Java process."""

from pathlib import Path

from gotn.provision.memory import Profile
from gotn.provision.paths import Paths, make_private, write_private
from gotn.provision.ports import LOOPBACK, Ports
from gotn.provision.processes import home_argument

#: What Neo4j's own launcher passes: direct access to buffers, and no half-dead server.
_JVM = (
    "-XX:+UseG1GC",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:+ExitOnOutOfMemoryError",
    "-Dfile.encoding=UTF-8",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)


def render(ports: Ports, profile: Profile) -> str:
    """Write neo4j.conf: loopback only, nothing sent out, every wait and log bounded."""
    bolt, http = f"{LOOPBACK}:{ports.bolt}", f"{LOOPBACK}:{ports.http}"
    settings = {
        "server.default_listen_address": LOOPBACK,
        "server.default_advertised_address": LOOPBACK,
        "server.bolt.listen_address": bolt,
        "server.bolt.advertised_address": bolt,
        "server.http.listen_address": http,
        "server.http.advertised_address": http,
        "server.https.enabled": "false",
        "server.memory.heap.initial_size": f"{profile.heap_mb}m",
        "server.memory.heap.max_size": f"{profile.heap_mb}m",
        "server.memory.pagecache.size": f"{profile.page_cache_mb}m",
        "db.transaction.timeout": "10m",
        "db.lock.acquisition.timeout": "60s",
        "db.tx_log.rotation.size": profile.tx_log_size,
        "db.tx_log.preallocate": str(profile.tx_log_preallocate).lower(),
        "db.tx_log.rotation.retention_policy": "2 days 1G",
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        "server.config.strict_validation.enabled": "true",
    }
    lines = [f"{name}={value}" for name, value in settings.items()]
    return "\n".join(["# Written by `gotn up` at every start: changes here are lost.", *lines, ""])


def write(paths: Paths, ports: Ports, profile: Profile) -> None:
    """Put neo4j.conf where the server reads it."""
    make_private(paths.conf)
    write_private(paths.conf / "neo4j.conf", render(ports, profile))


def server_command(java: Path, jars: Path, paths: Paths, profile: Profile) -> list[str]:
    """Answer the command that becomes the server; without --console-mode it rotates its log."""
    heap = [f"-Xms{profile.heap_mb}m", f"-Xmx{profile.heap_mb}m"]
    crash = f"-XX:ErrorFile={paths.logs / 'java-crash.log'}"
    entry = ["-cp", f"{jars}/*", "org.neo4j.server.CommunityEntryPoint"]
    home = [home_argument(paths.server), f"--config-dir={paths.conf}"]
    return [str(java), *heap, *_JVM, crash, *entry, *home]


def admin_command(java: Path, jars: Path, *words: str) -> list[str]:
    """Answer a command of Neo4j's own administration tool."""
    quick = ["-XX:TieredStopAtLevel=1", "-Xmx256m"]
    return [str(java), *quick, "-cp", f"{jars}/*", "org.neo4j.cli.AdminTool", *words]
