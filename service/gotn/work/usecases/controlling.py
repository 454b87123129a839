"""A run as a whole: start, cancel, resume."""

from typing import Any

from gotn.database.connection import Database, Tx
from gotn.errors import StaleRevision
from gotn.journal import Ledger
from gotn.work.records import OnFailure, Run, RunStatus
from gotn.work.rules import running
from gotn.work.store.touches import Touches
from gotn.work.usecases import claiming, reconciling
from gotn.work.usecases.turns import Turn, begun
from gotn.work.usecases.writing import Request, write

Row = dict[str, Any]


async def start(
    database: Database,
    request: Request,
    run_id: str,
    on_failure: OnFailure = OnFailure.GO_ON,
    expected_revision: int | None = None,
) -> Run:
    """Let a planned run begin; IllegalMove for any other. Claims are refused only after its end."""

    async def work(tx: Tx, ledger: Ledger) -> Run:
        turn = await begun(tx, ledger, run_id)
        expect(turn, expected_revision)
        running.check_run(turn.board.run, RunStatus.RUNNING)
        if running.run_status(turn.board.run) is not RunStatus.PLANNED:
            raise running.illegal_start(turn.board.run)
        claiming.start(turn, on_failure)
        turn = await reconciling.settled(turn)
        turn.write_down()
        return turn.told()

    given = {"run": run_id, "on_failure": on_failure.value, "expected_revision": expected_revision}
    touches = Touches(run=run_id)
    return await write(
        database, request, "startRun", given, Run, work, create=False, touches=touches
    )


def expect(turn: Turn, revision: int | None) -> None:
    """StaleRevision where the run is at another revision than its caller has seen."""
    current = turn.board.run.get("revision", 1)
    if revision is not None and revision != current:
        raise StaleRevision(
            f"The run is at revision {current}, not {revision}: read it again.",
            expected=revision,
            current=current,
        )
