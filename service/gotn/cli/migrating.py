"""Bringing a Neo4j up: the managed one, or the one that is named; and its schema."""

from gotn.cli import connecting
from gotn.cli.call import Call
from gotn.cli.connecting import Target
from gotn.database import schema
from gotn.provision import Server


def bring_up(call: Call) -> tuple[Target, Server | None]:
    """A Neo4j that runs: NEO4J_URI as it is, else the managed one, started if need be."""
    named = connecting.given(call.settings)
    if named is not None:
        return named, None
    from gotn import provision  # noqa: PLC0415  # not needed with NEO4J_URI

    server = provision.up(call.settings.home, report=call.note)
    target = Target(
        uri=server.bolt_uri,
        username=server.user,
        password=server.password,
        database=server.database,
        managed=True,
    )
    return target, server


def migrate(target: Target) -> list[str]:
    """Apply what is pending; the names of what was applied."""
    return connecting.run(target, schema.migrate, migrations=False)
