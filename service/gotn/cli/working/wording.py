"""Command lines as words: nothing is given to a shell unless its owner wrote the whole line.

A line is split as a POSIX shell splits it, quotes and backslashes included, and nothing else
of a shell happens: no variables, no wildcards, no `~`, no second command.
"""

import shlex

#: Outside quotes these make a shell do more than start one program with these words.
SYNTAX = frozenset(";&|<>()$`\n")
#: Of those, what a shell still obeys inside double quotes.
_IN_DOUBLE = frozenset("$`")


def words(line: str) -> list[str]:
    """The words of a line; ValueError says what is wrong with its quotes."""
    if "\0" in line:
        raise ValueError("a NUL character")
    return shlex.split(line, comments=False, posix=True)


def syntax(line: str) -> str | None:
    """The first character of a line that only a shell would understand, None without one."""
    quote, escaped = "", False
    for sign in line:
        if escaped:
            escaped = False
            if sign == "\n":
                return sign  # a shell would join the lines, and we would not
        elif sign == "\\" and quote != "'":
            escaped = True
        elif quote:
            if sign == quote:
                quote = ""
            elif quote == '"' and sign in _IN_DOUBLE:
                return sign
        elif sign in "'\"":
            quote = sign
        elif sign in SYNTAX:
            return sign
    return None
