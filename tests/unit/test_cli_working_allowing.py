import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gotn.cli.working import allowing, wording
from gotn.cli.working.allowing import Allowed, entry
from gotn.errors import BadDocument

#: What a smuggler would write: words, quotes, blanks, everything a shell obeys.
_PIECES = st.sampled_from(
    ["make", "test", "rm", "-rf", "x", " ", "  ", "\t", "\n", ";", "&&", "||", "|", "&", ">", "<",
     "$(", ")", "`", "$HOME", "'", '"', "\\", "*", "~", "#", "=", "é", "\r", "\x0b"]
)  # fmt: skip
_LINES = st.lists(_PIECES, max_size=12).map("".join)


def _list(*entries: str) -> Allowed:
    return Allowed(tuple(entry(one) for one in entries))


@pytest.mark.parametrize(
    ("allow", "line", "argv"),
    [
        ("make test", "make test", ["make", "test"]),
        ("make test", "make   'test'", ["make", "test"]),
        ("make test", "make test more", None),
        ("make *", "make test more", ["make", "test", "more"]),
        ("make *", "make", None),
        ("make *", "maker test", None),
        ("make test *", "make tests x", None),
        ("make *", "make 'a; rm -rf x'", ["make", "a; rm -rf x"]),
        ("make *", "make a; rm -rf x", None),
        ("make *", "make a && rm x", None),
        ("make *", "make a\nrm x", None),
        ("make *", "make $(rm x)", None),
        ("make *", 'make "`rm x`"', None),
        ("make *", "make '`rm x`'", ["make", "`rm x`"]),
        ("make *", "make \\$HOME", ["make", "$HOME"]),
        ("make *", "make > /etc/passwd", None),
        ("make *", "make *.o ~", ["make", "*.o", "~"]),
        ("make a | tee log", "make a | tee log", ["/bin/sh", "-c", "make a | tee log"]),
        ("make a | tee log", "make a | tee log | sh", None),
        ("make a | tee log", "make a '|' tee log", None),
        ("'my tool' *", "'my tool' x", ["my tool", "x"]),
        ("make 'a", None, None),
        ("make 'a *'", "make 'a *'", ["make", "a *"]),
        ("make", "", None),
        ("make", "''", None),
        ("make", "make 'x", None),
    ],
)
def test_what_is_allowed(allow: str, line: str | None, argv: list[str] | None) -> None:
    """The table of the list: whole lines, prefixes of whole words, and no second command."""
    if line is None:
        with pytest.raises(ValueError, match="expected"):
            entry(allow)
        return
    assert (argv or []) == list(_list(allow).rule(line).argv)


@pytest.mark.parametrize("line", ["make", "make test", "true"])
def test_nothing_is_allowed_without_a_file(tmp_path: Path, line: str) -> None:
    """No gotn.toml, an empty one, one without a list: nothing runs, and the reason names it."""
    assert "has no gotn.toml" in allowing.read(tmp_path).rule(line).why_not
    (tmp_path / "gotn.toml").write_text("")
    assert "lists nothing" in allowing.read(tmp_path).rule(line).why_not
    (tmp_path / "gotn.toml").write_text("[run]\nallow = ['make all']\n[other]\nx = 1\n")
    assert "does not list it" in allowing.read(tmp_path).rule(line).why_not


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[run]\nallow = [\n  'make',\n  'x; y *',\n]", 4, "expected no shell syntax in a prefix"),
        ("[run]\nallow = [\n  '*']", 3, "expected a command before the \\*, found '\\*'"),
        ("[run]\nallow = ['make', ' *']", 2, "expected a command before the"),
        ("[run]\nallow = [1]", 2, "expected a text, found 1"),
        ("[run]\nallow = ['']", 2, "expected a command line, found ''"),
        ("[run]\nallow = ['\"a']", 2, "expected words that a shell could split"),
        ("[run]\nallow = 'make'", 2, "expected a list of texts, found 'make'"),
        ("\nrun = 3", 2, "run: expected a table, found 3"),
        ("[run]\n\nallwo = []", 3, "no member 'allwo'"),
        ("[run]\nallow = [", None, "expected TOML: .*(line 2|end of document)"),
        ("[run]\nallow = ['a'\n'b']", None, "line 3"),
    ],
)
def test_a_broken_file_says_where(tmp_path: Path, text: str, line: int | None, said: str) -> None:
    """File, line, what was expected and what was found; nothing of it is taken."""
    (tmp_path / "gotn.toml").write_text(text)
    with pytest.raises(BadDocument, match=said) as error:
        allowing.read(tmp_path)
    assert str(tmp_path / "gotn.toml") in error.value.message
    assert error.value.facts.get("line") == line


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    """Another encoding, and a folder in its place, are errors of the file."""
    (tmp_path / "gotn.toml").write_bytes(b"[run]\nallow = ['\xff']")
    with pytest.raises(BadDocument, match="line 2: expected UTF-8"):
        allowing.read(tmp_path)
    (tmp_path / "gotn.toml").unlink()
    (tmp_path / "gotn.toml").mkdir()
    with pytest.raises(BadDocument, match="cannot be read"):
        allowing.read(tmp_path)


@settings(max_examples=1500)
@given(prefix=st.sampled_from(["make", "make test", "make 'a b'"]), rest=_LINES)
def test_a_prefix_starts_only_its_own_program(prefix: str, rest: str) -> None:
    """Whatever follows an allowed prefix: the same program, its words first, never a shell."""
    ruling = _list(f"{prefix} *").rule(f"{prefix} {rest}")
    if ruling.allowed:
        own = shlex.split(prefix)
        assert own == list(ruling.argv[: len(own)])
        assert len(ruling.argv) > len(own)
        assert shlex.split(f"{prefix} {rest}") == list(ruling.argv)
        assert wording.syntax(f"{prefix} {rest}") is None


@settings(max_examples=1500)
@given(allow=_LINES, line=_LINES)
def test_an_accepted_line_is_the_listed_one(allow: str, line: str) -> None:
    """Random entries and lines: what runs is the entry's words, or its very text by the shell."""
    try:
        one = entry(allow)
    except ValueError:
        return
    argv = Allowed((one,)).rule(line).argv
    if not argv:
        return
    if one.shell:
        assert ("/bin/sh", "-c", allow.strip()) == argv
        assert line.strip() == allow.strip()
    elif one.prefix:
        assert one.words == argv[: len(one.words)]
    else:
        assert one.words == argv
