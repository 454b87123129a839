"""What is printed of a run: a line a fault, and a table at the end."""

import statistics
import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from chaos.judge import shown
from chaos.scenario import END, Round


def line(found: Round) -> None:
    """One fault, as it was seen."""
    verdict = "nothing lost, nothing twice" if not found.violations else "WRONG"
    print(
        f"{time.strftime('%H:%M:%S')} {found.fault}: {found.before} acknowledged before, "
        f"{found.failed} tries failed, back after {found.back:.1f} s: {verdict}",
        flush=True,
    )
    for violation in shown(found.violations):
        print(f"    {violation}", flush=True)


def table(rounds: Sequence[Round], seconds: float) -> None:
    """Each kind of fault: how often, how fast the way back, how many violations."""
    count = sum(one.fault != END for one in rounds)
    made = Table(title=f"{count} faults in {seconds / 60:.0f} minutes")
    for name in ("fault", "times", "tries failed", "back: median", "longest", "violations"):
        made.add_column(name, justify="left" if name == "fault" else "right")
    for name in sorted({one.fault for one in rounds}):
        some = [one for one in rounds if one.fault == name]
        back = [one.back for one in some]
        made.add_row(
            name,
            str(len(some)),
            str(sum(one.failed for one in some)),
            f"{statistics.median(back):.1f} s",
            f"{max(back):.1f} s",
            str(sum(len(one.violations) for one in some)),
        )
    Console(width=100).print(made)
