"""`make chaos`: faults at random moments under load; one line each, a table, and the exit code."""

import argparse
import asyncio
import json
import random
import secrets
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from chaos import report
from chaos.faults import KILLS, OTHERS, Fault
from chaos.scenario import Round, concluded, loaded, struck
from chaos.world import world

#: Faults on one project, before the next begins with an empty one.
EACH = 5


def main() -> int:
    """Run what the arguments ask for; 1 where the judge found anything."""
    given = _arguments().parse_args()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    print(f"seed {given.seed}", flush=True)
    begin = time.monotonic()
    rounds: list[Round] = []
    with suppress(KeyboardInterrupt):  # what was seen until then is told
        asyncio.run(_run(given, rounds))
    report.table(rounds, time.monotonic() - begin)
    if given.json:
        whole = {"seed": given.seed, "rounds": [vars(one) for one in rounds]}
        given.json.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    return 1 if any(one.violations for one in rounds) else 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="make chaos",
        description="Kill, cut, fill and turn back the clock under load, and judge what is left.",
    )
    parser.add_argument("--kills", type=int, default=100, metavar="N", help="so many kills")
    parser.add_argument("--others", type=int, metavar="N", help="each other fault so often")
    parser.add_argument("--only", action="append", default=[], metavar="FAULT", help="this one")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), metavar="N")
    parser.add_argument("--minutes", type=float, default=600, metavar="N", help="and no longer")
    parser.add_argument("--callers", type=int, default=12, metavar="N", help="at the same time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every round there")
    return parser


async def _run(given: argparse.Namespace, rounds: list[Round]) -> None:
    """Every fault that was chosen, or those that begin within the time."""
    rng = random.Random(given.seed)
    until = time.monotonic() + 60 * given.minutes
    async with world() as everything:
        for what, why in everything.missing.items():
            print(f"left out: {what}: {why}", flush=True)
        faults = _chosen(given, rng, everything.missing)
        for start in range(0, len(faults), EACH):
            project = f"chaos-{start // EACH}"
            async with loaded(everything, project, rng.randrange(10**9), given.callers) as busy:
                for fault in faults[start : start + EACH]:
                    if time.monotonic() > until:
                        break
                    rounds.append(await struck(busy, fault, rng))
                    report.line(rounds[-1])
                rounds.append(await concluded(busy))
                report.line(rounds[-1])
            if time.monotonic() > until:
                return


def _chosen(given: argparse.Namespace, rng: random.Random, missing: dict[str, str]) -> list[Fault]:
    """Which faults come, in which order; each other one a tenth as often as kills."""
    others = given.kills // 10 if given.others is None else given.others
    chosen = rng.choices(list(KILLS), list(KILLS.values()), k=given.kills)
    chosen += [
        fault for fault, need in OTHERS.items() if need not in missing for _ in range(others)
    ]
    rng.shuffle(chosen)
    return [fault for fault in chosen if not given.only or fault.__name__ in given.only]


if __name__ == "__main__":
    sys.exit(main())
