"""`gotn config show`."""

from typing import TYPE_CHECKING, Any

from gotn import settings
from gotn.cli.call import Call

if TYPE_CHECKING:
    from rich.console import Console


def show(call: Call) -> None:
    """Every setting with its value and origin."""
    found = settings.show(call.settings, call.options)
    data = {
        "file": str(settings.config_file()),
        "settings": [
            {
                "name": one.name,
                "value": one.value,
                "origin": one.origin,
                "variable": one.variable,
                "description": one.description,
            }
            for one in found
        ],
    }
    call.answer(data, _show)


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
