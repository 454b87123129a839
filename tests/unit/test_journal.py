"""The journal's entries by themselves: hashes, sizes, what a line may hold."""

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest
import rfc8785

from gotn import idempotency, journal, shapes
from gotn.errors import Invalid
from gotn.journal import Ledger
from gotn.work.rules import fold
from gotn.work.usecases.chain import Chain


def make_ledger(**overrides: Any) -> Ledger:
    """A ledger of a project that holds nothing."""
    given: dict[str, Any] = {
        "project_id": "p",
        "actor": "tester",
        "seq": 0,
        "head": journal.GENESIS,
        "now": datetime(2025, 1, 27, 10, 30, tzinfo=UTC),
        "created": True,
    }
    return Ledger(**(given | overrides))


def test_hash_is_of_the_canonical_json_without_the_project() -> None:
    """SHA-256 of the RFC 8785 JSON of every field but the hash, as anybody can compute it."""
    ledger = make_ledger()
    ledger.note("add_node", {"items": [{"node": {"id": "ä", "score": 1.50}}]})
    entry = ledger.entries[0]
    body = {name: value for name, value in vars(entry).items() if name != "hash"}
    assert hashlib.sha256(rfc8785.dumps(body)).hexdigest() == entry.hash
    assert "p" not in body


def test_entries_chain_from_the_beginning() -> None:
    """Each entry names the hash before it, the first one zeros."""
    ledger = make_ledger()
    ledger.record("add_node", [{"node": {"id": str(i)}} for i in range(2500)])
    assert [len(entry.items()) for entry in ledger.entries] == [1000, 1000, 500]
    assert [entry.seq for entry in ledger.entries] == [1, 2, 3]
    before = [journal.GENESIS, *(entry.hash for entry in ledger.entries)]
    assert [entry.previous_hash for entry in ledger.entries] == before[:-1]
    assert ledger.head == before[-1]


def test_long_items_make_short_entries() -> None:
    """A thousand prompts of a megabyte do not become one entry of a gigabyte."""
    ledger = make_ledger()
    ledger.record(
        "add_node", [{"node": {"id": str(i), "prompt_text": "x" * 10**6}} for i in range(20)]
    )
    assert [item["node"]["id"] for e in ledger.entries for item in e.items()] == [
        str(i) for i in range(20)
    ]
    assert all(len(journal.line(e)) < 2 * journal.ENTRY_BYTES for e in ledger.entries)
    assert len(ledger.entries) > 3


def test_nothing_changed_is_no_entry() -> None:
    """An event without items is not noted."""
    ledger = make_ledger()
    ledger.record("update_node", [])
    assert ledger.entries == []


def test_line_is_read_back_equal() -> None:
    """What `journal export` prints is the entry."""
    ledger = make_ledger()
    ledger.note("add_node", {"items": [{"node": {"id": "\u2028\x00é"}}]})
    stored = shapes.loads(journal.line(ledger.entries[0]))
    assert journal.entry_from(stored) == ledger.entries[0]


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("seq", "1", "seq: expected a number"),
        ("seq", True, "seq: expected a number"),
        ("seq", 0, "seq: expected a number"),
        ("schema_version", None, "schema_version"),
        ("event", 5, "event: expected text"),
        ("timestamp", "yesterday", "timestamp: expected an ISO 8601 time"),
        ("timestamp", 7, "timestamp"),
        ("data", {"items": ["x"]}, "data: expected a list of objects"),
        ("hash", None, "hash: expected text"),
    ],
)
def test_wrong_member_is_named(member: str, value: Any, said: str) -> None:
    """An entry with a member of another type is refused by name."""
    ledger = make_ledger()
    ledger.note("add_node", {"items": []})
    with pytest.raises(Invalid, match=said):
        journal.entry_from(dict(vars(ledger.entries[0])) | {member: value})


def test_missing_member_is_named() -> None:
    """An entry without its seq is refused by name."""
    with pytest.raises(Invalid, match="a journal entry without seq"):
        journal.entry_from({"event": "add_node"})


def test_chain_says_what_is_wrong() -> None:
    """A gap, a changed entry, a wrong predecessor and a step back in time are told apart."""
    ledger = make_ledger()
    for name in "abcd":
        ledger.note("add_node", {"items": [{"node": {"id": name}}]})
    first, _, third, fourth = ledger.entries
    chain = Chain()
    assert chain.check(first) == []
    assert chain.check(third) == ["expected seq 2, found 3"]
    fourth.data = {"items": []}
    assert chain.check(fourth) == ["was changed; its hash does not fit"]
    late = make_ledger(seq=4, head="f" * 64, now=datetime(2024, 1, 1, tzinfo=UTC))
    late.note("x", {"items": []})
    assert chain.check(late.entries[0]) == [
        "does not follow the entry before",
        "is earlier than the entry before",
    ]
    assert [problem.split(":")[0] for problem in chain.problems] == [
        "seq 3",
        "seq 4",
        "seq 5",
        "seq 5",
    ]


def test_newer_entry_is_refused() -> None:
    """An entry of a newer program is not guessed at."""
    ledger = make_ledger()
    ledger.note("add_node", {"items": []})
    ledger.entries[0].schema_version = 2
    with pytest.raises(Invalid, match="schema version 2 is newer than 1"):
        Chain().check(ledger.entries[0])


def test_fold_takes_later_entries() -> None:
    """A change sets and clears fields, a removal takes away, what comes again stands last."""
    state = fold.State()
    state.apply("add_node", [{"node": {"id": i, "summary": i}} for i in "ab"])
    state.apply("update_node", [{"node": {"id": "a", "summary": None, "kind": "k"}}])
    assert state.nodes["a"] == {"id": "a", "kind": "k"}
    state.apply("remove_node", [{"node": {"id": "a"}}])
    state.apply("add_node", [{"node": {"id": "a"}}])
    assert list(state.nodes) == ["b", "a"]


def test_fold_keeps_settings_as_they_are_now() -> None:
    """A setting that was taken away does not come back."""
    state = fold.State()
    state.apply("update_project", [{"settings": {"description": "x"}}])
    state.apply("update_project", [{"settings": {}}])
    assert state.settings == {}


@pytest.mark.parametrize("item", [{"node": {}}, {"edge": {"src": "a"}}, {"node": 5}, {"run": None}])
def test_fold_refuses_what_it_cannot_apply(item: dict[str, Any]) -> None:
    """A malformed item is an error of ours, not a KeyError."""
    with pytest.raises(Invalid, match="cannot be applied"):
        fold.State().apply("add_node", [item])


def test_digest_knows_what_stands_twice() -> None:
    """A second relationship of the same name changes the digest."""
    one = (("RELATED", "a", "b", "x"), {"kind": "x"})
    assert fold.digests([one]) != fold.digests([one, one])


def test_digest_takes_any_property() -> None:
    """A value that only Neo4j has is counted by its text, not a crash."""
    from neo4j.time import Date, Duration  # noqa: PLC0415

    found = fold.digests([(("WorkNode", "a"), {"x": Duration(days=1), "y": Date(2025, 1, 1)})])
    other = fold.digests([(("WorkNode", "a"), {"x": Duration(days=2), "y": Date(2025, 1, 1)})])
    assert found != other


async def test_idempotency_key_has_bounds() -> None:
    """A key is 1 to 256 bytes of whole characters."""
    for wrong in ("", "x" * 257, "\ud800"):
        with pytest.raises(Invalid, match="idempotencyKey"):
            idempotency.checked(wrong)
