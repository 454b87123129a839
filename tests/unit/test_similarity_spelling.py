import pytest

from gotn.similarity.spelling import ALL_PAIRS, LONGEST, Spelling, compared
from gotn_embeddings import models

#: What a text shares with many others.
RULES = "Follow the house rules and ask before you change what others rely on. " * 30


def _spelling(*texts: str) -> Spelling:
    spelling = Spelling()
    for number, text in enumerate(texts):
        spelling.add(f"n{number}", text, None)
    return spelling


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        (
            "Find a resturant for the lunch of all of us and book it",
            "Find a restaurant for the lunch of all of us and book it",
            "resturant → restaurant",
        ),
        (
            "Order the lunch for all of us at the place near the station",
            "Please order lunch for all of us at the place near the station",
            "with 'please', without 'the'",
        ),
    ],
)
def test_slips_of_the_pen(one: str, other: str, differs: str) -> None:
    """A misspelt word, an article more or less: told word by word."""
    (near,) = _spelling(one, other).nearly(None).values()
    assert differs == ", ".join(near.differs)
    assert 0.9 <= near.share < 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Delete all expired invoices", "Draw a new logo for the conference in Lisbon"),
        ("Copy the table from staging to production", "Copy the table from production to staging"),
        ("Restart the cluster in eu-west-1", "Restart the cluster in eu-west-2"),
        ("Close step 41", "Close step 42"),
        ("Enable the cache for every tenant", "Disable the cache for every tenant"),
        ("Mark the report as complete", "Mark the report as incomplete"),
        ("Do not send the mail", "Do send the mail"),
    ],
)
@pytest.mark.parametrize("shared", ["", RULES])
def test_other_work_however_much_is_shared(one: str, other: str, shared: str) -> None:
    """Another word, number or order is other work, at the end of a long text too."""
    assert {} == _spelling(f"{shared}{one}", f"{shared}{other}").nearly(None)
    assert compared(f"{shared}{one}".split(), f"{shared}{other}".split()) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("encryption", "decryption"),
        ("upload", "unload"),
        ("increasing", "decreasing"),
        ("ascending", "descending"),
        ("inbound", "unbound"),
        ("incremented", "decremented"),
        ("internalized", "externalized"),
        ("contact", "contract"),
    ],
)
def test_words_of_another_meaning_are_no_slips(one: str, other: str) -> None:
    """Another beginning, or two words that the model both knows."""
    words = models.find().words
    texts = [f"Look at the {word} of every file in the store today" for word in (one, other)]
    assert compared(texts[0].split(), texts[1].split(), words) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bd-beads-polecat-amber", "bd-beads-polecat-garnet"),
        ("bd-beads-polecat-ruby", "bd-beads-polecat-opal"),
        ("bd-beads-polecat-topaz", "bd-beads-polecat-opal"),
        ("src/auth/session-reader.py", "src/auth/session-writer.py"),
        ("get_users_by_name", "get_users_by_game"),
        ("getUsersByName", "getUsersByGame"),
        ("SessionReader", "SessionSender"),
        ("GetUsersByName", "getUserByName"),
        ("session::reader::open", "session::header::open"),
        ("https://example.org/reading", "https://example.org/readings"),
        ("anna@example.org", "anne@example.org"),
        ("C:\\logs\\reader", "C:\\logs\\reeder"),
        ("bd-beads-polecat", "bd-beadspole-cat"),
        ("session-reader", "session_reader"),
        ("a1-reader", "a1reader"),
    ],
)
def test_names_are_equal_or_other_names(one: str, other: str) -> None:
    """A path, an identifier, an address: however long what its parts share is."""
    words = models.find().words
    texts = [
        f"{it}\n\nrole_type: polecat\nrig: beads\nagent_state: nuked\n{it}: null\nactive_mr: null"
        for it in (one, other)
    ]
    for known in (frozenset[str](), words):
        spelling = Spelling(known)
        for number, text in enumerate(texts):
            spelling.add(f"n{number}", text, text)
        assert {} == spelling.nearly([("n0", "n1")])


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("log-in", "login", "log-in → login"),
        ("Re-use", "reuse", "re-use → reuse"),
        ("e-mail", "email", "e-mail → email"),
        ("pasword of src/auth", "password of src/auth", "pasword → password"),
        ("Pasword of GitHub", "password of Github", "pasword → password"),
        ("pasword of getUsers", "PASSWORD of getusers", "pasword → password"),
    ],
)
def test_slips_beside_names(one: str, other: str, differs: str) -> None:
    """A hyphen more or less, and a slip beside a name that is equal but for case."""
    (near,) = (
        _spelling(*(f"Look at the {it} in every file of the store today" for it in (one, other)))
        .nearly(None)
        .values()
    )
    assert (differs,) == near.differs


@pytest.mark.parametrize(("slip", "word"), [("pgae", "page"), ("pasword", "password")])
def test_a_known_word_with_one_slip(slip: str, word: str) -> None:
    """One that is no word is one slip away from a word that is known, short ones too."""
    words = models.find().words
    one, other = (f"Look at the {it} of every user in the store".split() for it in (slip, word))
    near = compared(one, other, words)
    assert near is not None
    assert (f"{slip} → {word}",) == near.differs


def test_the_same_is_one_group() -> None:
    """Case and space do not count; what is in a group is not told as nearly the same again."""
    spelling = _spelling("Draw a logo", "draw  A logo", "Order lunch", "DRAW a\nlogo")
    assert [["n0", "n1", "n3"]] == spelling.exact()
    assert {} == spelling.nearly(None)


def test_long_texts_are_compared_as_a_whole() -> None:
    """They are counted, and their exact copies found."""
    long = "word " * LONGEST
    spelling = _spelling(long, f"{long} ", f"{long} more")
    assert (3, [["n0", "n1"]], {}) == (spelling.long, spelling.exact(), spelling.nearly(None))


def test_spelling_of_many_is_compared_among_neighbours() -> None:
    """Above a size not every pair is looked at; what is asked for still is."""
    spelling = Spelling()
    for number in range(ALL_PAIRS + 1):
        spelling.add(f"n{number:05}", f"Ask {number}", "Please do it as all of us would like it.")
    spelling.add("slip", "Ask 1", "Pleese do it as all of us would like it.")
    spelling.add("x", None, None)
    assert not spelling.few
    assert {} == spelling.nearly([])
    assert [("n00001", "slip")] == list(spelling.nearly([("n00001", "slip"), ("x", "y")]))
