"""What `link --soft` does where nobody says otherwise."""

from gotn.similarity.pairs import Wish
from gotn_embeddings import ALIKE, NEAREST


def test_the_usual_wish_is_the_measured_one() -> None:
    """The service, which imports no engine before it is used, repeats what was measured."""
    assert (Wish().k, Wish().threshold) == (NEAREST, ALIKE)
