"""Texts that others stored, on a terminal: what would steer it is shown, not obeyed.

No heavy import here: every verb's errors come through this module.
"""

import os
import re
import shutil
import sys
from pathlib import Path

#: Control characters, marks of writing direction, line separators, lone surrogates.
_STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
#: A verb of ours that a message names.
_VERB = re.compile(r"`gotn(?=[ `])")


def visible(text: str) -> str:
    """The text on one line, each character that steers a terminal as its escape."""
    return text if text.isprintable() else _STEERING.sub(lambda found: _escape(found[0]), text)


def visible_lines(text: str) -> str:
    """The same for a text of many lines: line breaks and tabs stay what they are."""
    lines = re.split(r"\r?\n", text)
    return "\n".join("\t".join(visible(part) for part in line.split("\t")) for line in lines)


def _escape(sign: str) -> str:
    code = ord(sign)
    return _SHORT.get(sign) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def told(message: str) -> str:
    """One of our own messages: what it quotes is visible, the verbs it names can be typed."""
    return _VERB.sub(lambda _: f"`{program()}", visible(message))


def hint(words: str) -> str:
    """A command that a person may type next; `words` without the program's name."""
    return f"{program()} {words}"


def program() -> str:
    """How this program was called, so that it works where the reader is: `.venv/bin/gotn`."""
    called = Path(sys.argv[0] if sys.argv else "")
    if called.name == "__main__.py" and called.parent.name == "gotn":
        return f"{_shown(Path(sys.executable))} -m gotn"
    return _shown(called) if called.stem == "gotn" else "gotn"


def _shown(called: Path) -> str:
    """The name alone where the PATH leads there, else the way from here."""
    found, whole = shutil.which(called.name), Path(os.path.abspath(called))  # noqa: PTH100  # links stay
    if len(called.parts) == 1 or (found and Path(os.path.abspath(found)) == whole):  # noqa: PTH100
        return called.stem if called.suffix == ".exe" else called.name
    here = Path.cwd()
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)
