"""One step, from its claim to its end: guards, command, criteria, and who answers what.

its artifacts are there and its success is recorded   skipped
a guard is not met, or a criterion                    failed, with the reason
the command ends badly, or takes too long             failed, with the reason
all is met                                            completed
something waits for an answer and nobody is asked     handed over: it stays claimed, and
                                                      the instructions say how to end it
the worker is interrupted                             released: ready for another at once
the lease is lost                                     lost: the command is ended, nothing
                                                      is recorded, somebody else has it
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gotn.cli.working import commanding, conditions, outputs, workspace
from gotn.cli.working.asking import Nobody
from gotn.cli.working.commanding import Commander, Outcome
from gotn.cli.working.conditions import Answer, Condition, Finding
from gotn.cli.working.door import Door
from gotn.cli.working.groups import Groups
from gotn.cli.working.lease import Lease
from gotn.cli.working.telling import Stream, Telling
from gotn.cli.working.worked import End, Work, Worked
from gotn.cli.working.workspace import Workspace
from gotn.errors import Conflict, IllegalMove, Invalid, NotFound, Unavailable

Row = dict[str, Any]

#: Milliseconds that a step stays with whoever is to answer, once it was handed over.
HANDED_MS = 15 * 60 * 1000
#: Characters of a reason that are kept.
REASON = 500
#: Seconds in which a step is given back when the worker is interrupted.
GIVING_BACK = 5.0


@dataclass(kw_only=True)
class Stepper:
    """Works on steps of one run in one workspace."""

    door: Door
    place: Workspace
    asked: Nobody
    telling: Telling
    groups: Groups
    lease_ms: int
    #: Where outputs are kept of steps that somebody else will end.
    kept: Path
    #: The leases of steps that are worked on now.
    held: set[Lease] = field(default_factory=set)
    stopped: bool = False

    def stop(self) -> None:
        """Let everything stop: commands are ended and steps given back."""
        self.stopped = True
        for lease in self.held:
            lease.halt.set()

    async def work(self, claim: Row, worker: str, asked: float) -> Worked:
        """Work on a claimed step; it is ended, handed over, given back or lost afterwards."""
        async with Lease(self.door, claim, self.lease_ms, asked) as lease:
            work = Work(claim=claim, lease=lease, worker=worker)
            work.limit_ms = claim.get("time_limit_ms") or commanding.TIME_LIMIT_MS
            self.held.add(lease)
            try:
                if self.stopped:
                    lease.halt.set()
                return await self._guarded(work)
            finally:
                self.held.discard(lease)

    async def _guarded(self, work: Work) -> Worked:
        """Whatever happens to the step's own errors, they end it and not the worker."""
        try:
            return await self._steps(work)
        except Unavailable as error:
            return self._ended(work, End.LOST, error.message)
        except (Conflict, IllegalMove, NotFound) as error:
            return self._ended(work, End.LOST, work.lease.lost or error.message)
        except Invalid as error:  # such as an artifact whose name is too long
            reason = short(f"its end was refused: {error.message}")
            token = work.lease.token
            await self.door.end("RunFail", GIVING_BACK, work.id, token, reason=reason)
            return self._ended(work, End.FAILED, reason)

    async def _steps(self, work: Work) -> Worked:
        if await self._done_before(work):
            why = "its artifacts are there and its success is recorded"
            return await self._end(work, End.SKIPPED, "RunSkip", why)
        work.guards = await self._looked(work, conditions.read(work.node.get("guards")))
        if ended := await self._held_up(work, work.guards, "guard"):
            return ended
        if ended := await self._executed(work):
            return ended
        wanted = conditions.read(work.node.get("success_criteria"))
        work.criteria = await self._looked(work, wanted)
        if ended := await self._held_up(work, work.criteria, "success criterion"):
            return ended
        return await self._end(work, End.COMPLETED, "RunComplete", None)

    async def _done_before(self, work: Work) -> bool:
        """Whether all artifact files are there, and a run completed this node."""
        named = workspace.files(work.node.get("artifacts"))
        if not named or len(workspace.present(self.place, named)) < len(named):
            return False
        record = await self.door.ask("NodeRuns", id=work.id)
        return any(one.get("status") == "completed" for one in record.get("runs") or ())

    async def _looked(self, work: Work, wanted: tuple[Condition, ...]) -> list[Finding]:
        """The answers of the workspace, then those of whoever executes."""
        found = []
        for condition in wanted:
            if work.lease.halt.is_set():
                break
            finding = await conditions.evaluate(condition, self.place, self._runner(work))
            if finding.answer is Answer.UNANSWERED:
                finding = await self._answered(work, finding)
            found.append(finding)
        return found

    async def _answered(self, work: Work, finding: Finding) -> Finding:
        note = f" ({finding.message})" if finding.message else ""
        question = f"{work.id}: {finding.condition}{note}"
        said = await self.asked.met(question, work.lease.halt)
        if said is None:
            return finding
        answer = Answer.MET if said else Answer.NOT_MET
        return Finding(
            condition=finding.condition, answer=answer, message=finding.message, by=self.asked.name
        )

    def _runner(self, work: Work) -> conditions.Runner:
        """Runs a command of this step within the time that is left to it."""
        names = {
            "GOTN_RUN": self.door.run_id,
            "GOTN_NODE": work.id,
            "GOTN_ATTEMPT": str(work.claim.get("attempt") or 1),
            "GOTN_PROJECT": self.door.project,
        }
        stream = Stream(self.telling, work.id)
        commander = Commander(
            folder=self.place.root,
            variables=commanding.environment(commanding.here(), **names),
            groups=self.groups,
            stop=work.lease.halt,
            heard=stream.heard,
        )

        async def run(argv: tuple[str, ...]) -> Outcome:
            outcome = await commander.run(argv, max(work.limit_ms - work.elapsed_ms, 1))
            stream.end()
            return outcome

        return run

    async def _held_up(self, work: Work, findings: list[Finding], what: str) -> Worked | None:
        """The step's end where a condition is not met, or waits for an answer."""
        if ended := await self._halted(work):
            return ended
        for one in findings:
            if one.answer is Answer.NOT_MET:
                why = f": {one.message}" if one.message else ""
                why += f" (said {one.by})" if one.by else ""
                reason = f"{what} not met: {one.condition}{why}"
                return await self._end(work, End.FAILED, "RunFail", reason)
        waiting = [one for one in findings if one.answer is Answer.UNANSWERED]
        if waiting:
            return await self._hand_over(work, f"{what} unanswered", waiting)
        return None

    async def _executed(self, work: Work) -> Worked | None:
        """Run its command where the workspace allows it, else take the outcome by hand."""
        command = work.command
        if command is None:
            return await self._by_hand(work, None)
        ruling = self.place.allowed.rule(command)
        if not ruling.allowed:
            return await self._by_hand(work, f"{command} (not run: {ruling.why_not})")
        self.telling.line(f"{work.id} $ {command}")
        work.outcome = await self._runner(work)(ruling.argv)
        if ended := await self._halted(work):
            return ended
        if work.outcome.good:
            return None
        return await self._end(work, End.FAILED, "RunFail", f"{command}: {work.outcome.said}")

    async def _by_hand(self, work: Work, command: str | None) -> Worked | None:
        """A person says what became of it; None where it was done and its criteria are next."""
        said = await self.asked.outcome(work.told(command), work.lease.halt)
        if ended := await self._halted(work):
            return ended
        if said is None:
            return await self._hand_over(work, "it is done by hand", [], command)
        word, why = said
        if word == "failed":
            return await self._end(work, End.FAILED, "RunFail", why)
        return await self._end(work, End.SKIPPED, "RunSkip", why) if word == "skip" else None

    async def _halted(self, work: Work) -> Worked | None:
        """The step's end where the lease was lost or the worker is to stop."""
        if work.lease.lost is not None:
            return self._ended(work, End.LOST, work.lease.lost)
        if not work.lease.halt.is_set():
            return None
        why = "its worker was interrupted"
        await self.door.end("RunRelease", GIVING_BACK, work.id, work.lease.token, reason=why)
        return self._ended(work, End.RELEASED, why)

    async def _end(self, work: Work, end: End, operation: str, reason: str | None) -> Worked:
        """Record the end; LOST where it is refused."""
        reason = short(reason) if reason else None
        more: Row = {"reason": reason}
        ended = self._ended(work, end, reason)
        if operation != "RunSkip":
            named = workspace.files(work.node.get("artifacts"))
            more |= {
                "outputs": work.outputs,
                "artifacts": list(workspace.present(self.place, named)),
                "durationMs": ended.duration_ms,
            }
        patience = max(work.lease.left, 1.0)
        await self.door.end(operation, patience, work.id, work.lease.token, **more)
        return ended

    async def _hand_over(
        self, work: Work, why: str, waiting: list[Finding], command: str | None = None
    ) -> Worked:
        """Keep the claim for whoever goes on, and say how."""
        with_lease = {"lease_until": work.claim.get("lease_until")}
        try:
            renewed = await work.lease.renew(max(self.lease_ms, HANDED_MS))
            with_lease = {"lease_until": renewed.get("lease_until")}
        except Unavailable as error:
            self.telling.line(f"{work.id}: its lease could not be made longer: {error.message}")
        handed: Row = {
            "token": work.lease.token,
            "prompt": work.node.get("prompt_text"),
            "guards": [one.row() for one in work.guards],
            "success_criteria": work.node.get("success_criteria"),
            "artifacts": work.node.get("artifacts"),
            "command": command or work.command,
            "waiting": [str(one.condition) for one in waiting],
            "outputs": work.outputs,
        } | with_lease
        if work.outcome is not None:
            found, attempt = handed["outputs"], work.claim.get("attempt") or 1
            path = outputs.kept(self.kept, self.door.run_id, work.id, attempt, found)
            handed["outputs_file"] = str(path) if path else None
        ended = self._ended(work, End.HANDED_OVER, why)
        ended.handed = handed
        return ended

    def _ended(self, work: Work, end: End, reason: str | None) -> Worked:
        return Worked(
            node=work.id,
            attempt=work.claim.get("attempt") or 1,
            worker=work.worker,
            end=end,
            reason=reason,
            duration_ms=work.elapsed_ms,
        )


def short(reason: str) -> str:
    """A reason on one line, of at most `REASON` characters."""
    line = " ".join(reason.split())
    return line if len(line) <= REASON else f"{line[: REASON - 1]}…"
