"""The managed local Neo4j: fetched, configured, started and stopped by gotn itself."""

from gotn.provision.ephemeral import ephemeral
from gotn.provision.memory import Profile
from gotn.provision.password import read_password
from gotn.provision.paths import Paths, default_home
from gotn.provision.records import Server, Status
from gotn.provision.service import down, status, up

__all__ = [
    "Paths",
    "Profile",
    "Server",
    "Status",
    "default_home",
    "down",
    "ephemeral",
    "read_password",
    "status",
    "up",
]
