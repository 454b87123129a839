import pytest

from gotn.cli.failing import Misused
from gotn.cli.lengths import lease, milliseconds


@pytest.mark.parametrize(
    ("given", "expected"),
    [("60s", 60_000), ("5m", 300_000), ("1500ms", 1500), ("1.5s", 1500), (" 1 h ", 3_600_000)],
)
def test_lengths_of_time(given: str, expected: int) -> None:
    """Hours, minutes, seconds, milliseconds; a bare number is seconds."""
    assert expected == milliseconds(given, "--took") == lease(given)
    assert 7000 == lease("7")


@pytest.mark.parametrize("given", ["", "s", "-1s", "1d", "1,5s", "soon", "9" * 30])
def test_what_is_no_length_of_time(given: str) -> None:
    """The option, what was expected, what was found."""
    with pytest.raises(Misused, match=r"--took: expected a length of time such as .*; found '"):
        milliseconds(given, "--took")


@pytest.mark.parametrize("given", ["0", "999ms", "61m", "1.001h"])
def test_no_step_is_leased_so_long(given: str) -> None:
    """Its bounds, and what was found."""
    with pytest.raises(Misused, match=f"--lease: expected 1s to 1h, such as 60s, found '{given}'"):
        lease(given)
