"""Small projects whose nodes mean something, and the engine that compares them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conftest import missing
from factories import make_node

from gotn.database.connection import Database
from gotn.similarity.engine import Engine, Options
from gotn.work.records import WorkNodeDraft
from gotn_embeddings import EmbeddingError, encoder

#: Ids, what they are called, and what is to be done: three groups and two loners.
SAID = {
    "login": ("Add a login page", "Let users sign in with their e-mail address and a password."),
    "signin": ("Build the sign-in form", "A form in which users log in by e-mail and password."),
    "reset": ("Reset a forgotten password", "Send users a link to choose a new password."),
    "invoice": ("Create invoices as PDF", "Render each invoice of a customer as a PDF file."),
    "billing": ("Send invoices by mail", "Mail every customer the PDF file of the invoice."),
    "backup": ("Back up the database", "Dump the database every night and keep thirty dumps."),
    "restore": ("Restore the database", "Load a nightly dump of the database and check it."),
    "logo": ("Draw a logo", "Sketch three drafts of a logo with a fox."),
    "lunch": ("Order lunch", "Find out who eats no meat and call the restaurant."),
}


def drafts(**overrides: Mapping[str, Any]) -> list[WorkNodeDraft]:
    """Those nodes, with more said of some."""
    return [
        make_node(id_, summary=summary, prompt_text=prompt, **overrides.get(id_, {}))
        for id_, (summary, prompt) in SAID.items()
    ]


def needs_encoder() -> None:
    """Skip without an encoder and its model; `make test` installs them."""
    try:
        encoder("onnx")
    except EmbeddingError as error:
        missing(error.message)


def engine(database: Database, folder: Path) -> Engine:
    """What compares them, with index files of this test's own."""
    needs_encoder()
    return Engine(database, Options(folder=folder / "vectors", encoder="onnx"))
