"""`gotn config show`."""

from typing import TYPE_CHECKING, Any

from gotn import settings
from gotn.cli.call import Call
from gotn.database.connection import without_credentials

if TYPE_CHECKING:
    from rich.console import Console

#: Settings for those who work on GoTN itself; shown only where somebody set them.
DEVELOPERS = frozenset({"shared_data"})


def show(call: Call) -> None:
    """Every setting with its value and origin."""
    found = settings.show(call.settings, call.options)
    data = {
        "file": str(settings.config_file()),
        "settings": [
            {
                "name": one.name,
                "value": _printable(one.name, one.value),
                "origin": one.origin,
                "variable": one.variable,
                "description": one.description,
            }
            for one in found
            if one.name not in DEVELOPERS or one.origin != "default"
        ],
    }
    call.answer(data, _show)


def _printable(name: str, value: Any) -> Any:
    """The value; an address without the password that somebody put into it."""
    return without_credentials(value) if name == "neo4j_uri" and value else value


def _show(data: dict[str, Any], console: "Console") -> None:
    from gotn.cli.show import parts  # noqa: PLC0415

    grid = parts.table("setting", "value", "from", "variable")
    for one in data["settings"]:
        value = one["value"]
        printed = "–" if value is None else ", ".join(value) if isinstance(value, list) else value
        default = one["origin"] == "default"
        grid.add_row(
            parts.text(one["name"]),
            parts.text(printed, "dim" if default else "bold"),
            parts.text(one["origin"], "dim" if default else "cyan"),
            parts.text(one["variable"], "dim"),
        )
    console.print(grid)
    console.print(f"\nFile: {data['file']}", markup=False, style="dim", soft_wrap=True)
