"""A text to the terminal or into a file, and the word that it is there."""

from typing import Any

from gotn.cli.call import Call
from gotn.cli.output import opened


def write(call: Call, text: str, style: str, output: str) -> None:
    """A text to the terminal or into a file; in an envelope for programs."""
    if call.as_json and output == "-":
        print(call.envelope({"format": style, "text": text}))
        return
    with opened(output) as file:
        file.write(text)
    written(call, output)


def written(call: Call, output: str, **more: Any) -> None:
    """Say which file is there now."""
    if output != "-":
        data = {"file": output, "project": call.project} | more
        call.answer(data, lambda _, console: console.print(f"Written: {output}", markup=False))
