import json
from typing import Any

import pytest

from gotn import errors
from gotn.cli import failing, running
from gotn.cli.call import Call


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.GotnError("x"), 1),
        (errors.NotFound("x"), 3),
        (errors.StaleRevision("x"), 4),
        (errors.CycleRefused("x", path=["a", "b", "a"]), 5),
        (errors.LimitExceeded("x"), 7),
        (errors.DatabaseUnavailable("x"), 8),
        (ValueError("secret detail"), 1),
    ],
)
def test_exit_codes(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each error ends the command with its code, in one line, without a traceback."""

    def fails(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("gotn.cli.call.Call.pages", fails)
    assert running.run(["ready"]) == code
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err.startswith("gotn: ")
    assert "Traceback" not in printed.err
    assert running.run(["ready", "--json"]) == code
    body = json.loads(capsys.readouterr().err)
    assert (body["schema_version"], body["command"]) == (1, "ready")
    assert body["error"]["code"] == getattr(error, "code", "INTERNAL")
    assert body["error"].get("path") == getattr(error, "facts", {}).get("path")


def test_debug_shows_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """--debug prints what we otherwise keep to ourselves."""

    def fails(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("gotn.cli.call.Call.pages", fails)
    assert running.run(["ready", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["node"], ""),
        (["node", "show"], "Missing argument"),
        (["ready", "--limit", "0"], "--limit"),
        (["ready", "--colour"], "--colour"),
        (["completion", "tcsh"], "tcsh"),
    ],
)
def test_usage(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be understood is 2, says what, and where to read on."""
    assert running.run(words) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert running.run([*words, "--json"]) == 2
    if said:
        assert json.loads(capsys.readouterr().err)["error"]["code"] == "USAGE"


def test_interrupt_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends with 130 and not a word."""

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gotn.cli.call.Call.pages", interrupted)
    assert running.run(["ready"]) == 130
    assert capsys.readouterr() == ("", "")


def test_everything_that_is_wrong_is_listed() -> None:
    """More than one violation is listed, up to a bound, with lines and ids."""
    rows = [{"line": n, "id": f"n{n}", "reason": "no summary"} for n in range(1, 31)]
    lines = failing.details({"violations": rows})
    assert lines[0] == "line 1: n1: no summary"
    assert lines[-1] == "… and 10 more"
    assert failing.details({"violations": rows[:1]}) == []


def test_what_the_message_has_is_not_listed_again() -> None:
    """The first violations stand in the sentence, the others below it."""
    rows = [{"line": n, "id": f"n{n}", "reason": f"'n{n}' says nothing"} for n in range(1, 6)]
    refused = "f: 5 violations, line 1: 'n1' says nothing; line 2: 'n2' says nothing; and 3 more"
    lines = failing.details({"violations": rows}, refused)
    assert [line[:6] for line in lines] == ["line 3", "line 4", "line 5"]
    told = failing.details(
        {"violations": ["a: negative", "b: negative"]}, "a: negative; b: negative"
    )
    assert told == []
    other = {"line": 1, "id": "n9", "reason": "says nothing"}
    assert len(failing.details({"violations": [*rows, other]}, "line 1: says nothing")) == 6


def test_options_before_the_verb(monkeypatch: pytest.MonkeyPatch) -> None:
    """`gotn -p x ready` is `gotn ready -p x`; the verb's own wins."""
    seen: list[str | None] = []

    def pages(call: Call, *_: Any) -> dict[str, Any]:
        seen.append(call.options["project"])
        return {"nodes": []}

    monkeypatch.setattr("gotn.cli.call.Call.pages", pages)
    running.run(["-p", "one", "ready"])
    running.run(["-p", "one", "ready", "-p", "two"])
    assert seen == ["one", "two"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ready", "--colour"], "). Try `"),
        (["ready", "--limit", "x"], "expected a valid integer. Try `"),
        (["node", "add", "x"], "Missing option --kind, --summary, --prompt (or --prompt-file)."),
        (["node", "add", "x", "--kind", "k", "--prompt", "p"], "Missing option --summary."),
        (["-p", "Bad x", "ready"], "project: expected 1 to 64 of a-z, 0-9"),
        (["project", "show", "Bad x"], "project: expected 1 to 64 of a-z, 0-9"),
        (["import", "/no/such/file", "-p", "é"], "project: expected 1 to 64 of a-z, 0-9"),
        (["no\x1b[2Jsense"], "\\x1b[2J"),
    ],
)
def test_usage_in_our_own_words(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whole sentences, everything that is missing at once, and nothing of pydantic's."""
    assert running.run(words) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert "\x1b" not in printed
    assert "Input should" not in printed


def test_a_message_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """What an error quotes is escaped for people and exact for programs."""
    bad = errors.NotFound("no node \x1b[2J\u202e\n")
    failing.report(bad, "x", as_json=False, debug=False)
    assert capsys.readouterr().err == "gotn: no node \\x1b[2J\\u202e\\n\n"
    failing.report(bad, "x", as_json=True, debug=False)
    assert json.loads(capsys.readouterr().err)["error"]["message"] == bad.message


def test_what_hangs_on_a_node_is_listed() -> None:
    """A refused removal names the edges, children and runs, up to a bound."""
    facts = {"edges": [f"a → {n} (x)" for n in range(30)], "children": ["c"], "runs": ["run-1"]}
    lines = failing.details(facts)
    assert (lines[0], lines[-2:]) == ("edge: a → 0 (x)", ["child: c", "run: run-1"])
    assert "edge: … and 10 more" in lines
