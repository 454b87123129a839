"""`make bench-quality`: print what meaning finds on real issues, and what is chosen by it."""

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.machine import processor
from bench.quality import choosing, issues
from bench.quality.choosing import Choice
from bench.quality.measuring import GRAPH, Found, measure
from gotn_embeddings import CHOICES, encoder, vectors


def main() -> int:
    """Measure with the encoder that is asked for."""
    parser = argparse.ArgumentParser(
        prog="make bench-quality ARGS=…",
        description="Whether real issues that belong together are near in meaning.",
    )
    parser.add_argument("--encoder", choices=CHOICES, default="sentence-transformers")
    parser.add_argument("--model", metavar="NAME", help="another model, by name or folder")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    given = parser.parse_args()
    if not issues.there():
        print("The real issues are not here: GOTN_SHARED_DATA names their folder", file=sys.stderr)
        return 1
    found = measure(encoder(given.encoder, given.model), _tell)
    console = Console(width=None if sys.stdout.isatty() else 120)
    for one in found:
        console.print(_worth(one))
    chosen = choosing.best([one.choices for one in found])
    console.print(_choices(found, chosen))
    console.print(_line(found), style="dim")
    if given.json:
        given.json.write_text(json.dumps(_data(found, chosen), indent=1) + "\n", encoding="utf-8")
    return 0


def _tell(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def _worth(one: Found) -> Table:
    title = f"{one.issues.name}: {one.issues.all} issues, {len(one.issues.texts)} different titles"
    table = Table("belong together", "ranked by", title=title, title_justify="left")
    for name in ("issues", "AUC", "recall@10", "MRR"):
        table.add_column(name, justify="right")
    for relation, rankings in one.worth.items():
        for by, worth in rankings.items():
            # Behind the first ten a graph ranks nothing, so there is no area under its curve.
            area = "" if by == GRAPH else f"{worth.auc:.3f}"
            figures = (str(worth.asked), area, f"{worth.recall:.3f}", f"{worth.mrr:.3f}")
            table.add_row(relation, by, *figures)
        table.add_section()
    table.caption = f"HNSW finds {one.recall:.4f} of the exact nearest ten"
    return table


def _choices(found: list[Found], chosen: list[Choice]) -> Table:
    table = Table("k", "threshold", title="soft edges", title_justify="left")
    for one in found:
        for name in ("edges", "precision", "recall"):
            table.add_column(f"{one.issues.name} {name}", justify="right")
    table.add_column("mean F0.5", justify="right")
    for row in zip(*(one.choices for one in found), strict=True):
        if row[0].k != chosen[0].k and row[0].threshold != chosen[0].threshold:
            continue
        figures = [_figures(each) for each in row]
        mark = sum(each.mark for each in row) / len(row)
        style = "bold" if list(row) == chosen else None
        cells = [text for each in figures for text in each]
        table.add_row(str(row[0].k), f"{row[0].threshold:.2f}", *cells, f"{mark:.3f}", style=style)
    usual = f"{vectors.NEAREST} and {vectors.ALIKE:.2f}"
    table.caption = f"chosen: k {chosen[0].k}, threshold {chosen[0].threshold:.2f}; default {usual}"
    return table


def _figures(one: Choice) -> tuple[str, str, str]:
    return str(one.edges), f"{one.precision:.2f}", f"{one.recall:.2f}"


def _line(found: list[Found]) -> str:
    encoded = found[0].encoded
    return (
        f"{encoded.identity.text}, {encoded.engine} in {encoded.arithmetic}, on {processor()}; "
        "whole texts, long ones in windows."
    )


def _data(found: list[Found], chosen: list[Choice]) -> dict[str, Any]:
    encoded = found[0].encoded
    return {
        "model": encoded.identity.to_dict(),
        "engine": encoded.engine,
        "arithmetic": encoded.arithmetic,
        "processor": processor(),
        "chosen": {"k": chosen[0].k, "threshold": chosen[0].threshold},
        "graphs": [_graph(one) for one in found],
    }


def _graph(one: Found) -> dict[str, Any]:
    return {
        "name": one.issues.name,
        "issues": one.issues.all,
        "different": len(one.issues.texts),
        "hnsw_recall": one.recall,
        "worth": {
            relation: {by: dataclasses.asdict(worth) for by, worth in rankings.items()}
            for relation, rankings in one.worth.items()
        },
        "choices": [{**dataclasses.asdict(each), "mark": each.mark} for each in one.choices],
    }


if __name__ == "__main__":
    sys.exit(main())
