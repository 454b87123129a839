"""A database that is away while something is followed: said once, and once that it is back."""

from collections.abc import Callable


class Absence:
    """Tells the moments at which the database goes and comes."""

    def __init__(self, say: Callable[[str], object]) -> None:
        """`say`: where the two sentences go."""
        self._say = say
        self._away = False

    def seen(self, *, there: bool) -> None:
        """What the last look found."""
        if there == self._away:
            self._away = not there
            self._say("Neo4j answers again." if there else "Neo4j does not answer; waiting for it.")
