"""Rich's text and console, with everything that others stored made visible."""

from collections.abc import Iterable
from typing import Any, Self

from rich import console, text
from rich.segment import Segment

from gotn.cli.show.visible import visible, visible_lines


class Text(text.Text):
    """A text on one line; characters that steer a terminal are escaped before it is measured."""

    def __init__(self, plain: str = "", style: Any = "", **more: Any) -> None:
        super().__init__(visible(plain), style, **more)

    @classmethod
    def lines(cls, plain: str) -> text.Text:
        """A text whose line breaks mean something, such as instructions."""
        return text.Text(visible_lines(plain))

    def append(self, text: text.Text | str, style: Any = None) -> Self:
        """Add a text or a piece of one, escaped in the same way."""
        super().append(visible(text) if isinstance(text, str) else text, style)
        return self


class Terminal(console.Console):
    """Where people read: the last place where a character that steers could slip through."""

    def render(
        self, renderable: Any, options: console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of a renderable, their texts escaped but for line breaks."""
        for piece in super().render(renderable, options):
            plain = piece.text
            if piece.control or plain.isprintable() or plain == "\n":
                yield piece
            else:
                yield Segment(visible_lines(plain), piece.style)
