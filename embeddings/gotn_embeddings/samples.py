"""Texts on which a faster arithmetic must agree with float32 before it is used."""

#: Short and long, plain and odd: what nodes of a work graph are like.
TEXTS = (
    "Fix the login page",
    "Fetch the raw papers from the archive and keep one JSON file a paper.",
    "Write a migration that adds an index on (project_id, seq) and prove it with EXPLAIN.",
    "The accuracy must be at least 0.90 on the held-out set; report the interval and the effect.",
    "def layers(graph):\n    return [n for n in graph if not graph.in_degree(n)]",
    "Überprüfe die Zeitstempel: 2026-11-21T08:00:00Z ≠ 2026-11-21T09:00:00+01:00.",
    "日本語のテキストも検索できるようにする。",
    "ERROR 503: upstream timed out (110: Connection timed out) while reading response header",
    "x",
    "Plan the work of a small shop: the catalogue comes first, then prices, then the basket, "
    "which needs both, then checkout with a payment provider, and last the mails that tell a "
    "customer what happened. Whoever takes a step writes down what was tried, what was found and "
    "which file holds it, so that the next one does not have to ask. Tests run on every change; "
    "a change that makes a page slower than 300 ms is sent back. " * 2,
)
