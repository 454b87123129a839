"""`make bench`: measure, print one table, and write it as JSON where that is asked for."""

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from rich.console import Console

from bench import servers, table
from bench.goals import NAMES
from bench.running import measured
from bench.timing import Result
from bench.world import Options


def main() -> int:
    """Run what the arguments ask for."""
    given = _arguments().parse_args()
    if unknown := sorted(set(given.only) - set(NAMES)):
        print(f"There is no row {unknown[0]!r}; there are {', '.join(NAMES)}.", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with servers.neo4j(large=given.full) as server:
        results, on = asyncio.run(measured(server, _options(given), _tell))
    found = table.rows(results)
    table.show(found, on, Console(width=None if sys.stdout.isatty() else 120))
    if given.json:
        table.save(found, on, given.json)
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=…",
        description="What GoTN takes, as ratios to floors measured in the same run.",
        epilog=f"Rows: {', '.join(NAMES)}. GOTN_BENCH_NEO4J_URI (with _USERNAME and "
        "_PASSWORD) names a Neo4j to use; without it one is started for the run.",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="1,000 nodes, few rounds: for trying")
    size.add_argument("--full", action="store_true", help="also 1M nodes and 1M journal entries")
    parser.add_argument("--only", action="append", default=[], metavar="ROW", help="this row")
    parser.add_argument("--nodes", type=int, metavar="N", help="graphs of N nodes, no others")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there, too")
    return parser


def _options(given: argparse.Namespace) -> Options:
    only = frozenset(given.only)
    usual = (1_000,) if given.quick else Options.sizes
    sizes: tuple[int, ...] = (given.nodes,) if given.nodes else usual
    if given.quick:
        return Options(sizes, rounds=3, operations=40, requests=10, only=only)
    return Options(sizes, large=(1_000_000,) if given.full else (), only=only)


def _tell(result: Result) -> None:
    row = table.rows([result])[0]
    floor, ours = table.time(result.floor.median), table.time(result.measured.median)
    text = f"  {result.measure} {result.case}: {ours} over {floor}, {row.ratio:.2f}x"
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
