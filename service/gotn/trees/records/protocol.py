"""What the agent protocol gives back (004, Agent protocol)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gotn.trees.records.words import TaskClaimStatus


@dataclass(kw_only=True)
class Spawned:
    """New tasks below one."""

    tree_id: str
    parent: str
    tasks: tuple[str, ...]


@dataclass(kw_only=True)
class Claimed:
    """A task that a worker executes now, or why there is none."""

    status: TaskClaimStatus
    tree_id: str
    #: Why there is no task.
    nothing: str | None = None
    task_id: str | None = None
    #: The prompt with its context, as a model is asked.
    prompt: str | None = None
    #: What the prompt was made of: {source, text, file} each.
    context: Any | None = None
    execution_config: Any | None = None
    #: The score that its result must reach.
    quality_gate: Any | None = None
    #: 1 for the first.
    attempt: int = 0
    #: Needed to finish it.
    token: str | None = None
    lease_until: datetime | None = None
    warnings: tuple[str, ...] = ()


@dataclass(kw_only=True)
class Ended:
    """A task that ended, and what followed from that in the same transaction."""

    tree_id: str
    task_id: str
    status: str
    spawned: tuple[str, ...] = ()
    #: Tasks whose turn cannot come any more.
    cancelled: tuple[str, ...] = ()


@dataclass(kw_only=True)
class QueuedTask:
    """A task that is not done yet."""

    task_id: str
    prompt: str = ""
    #: Why it waits, or what became of its lease.
    reason: str | None = None
    worker: str | None = None
    lease_until: datetime | None = None


@dataclass(kw_only=True)
class Queue:
    """What of a tree may start now, what runs, and what waits, in the tree's order."""

    tree_id: str
    ready: tuple[QueuedTask, ...] = ()
    running: tuple[QueuedTask, ...] = ()
    waiting: tuple[QueuedTask, ...] = ()
    #: How many tasks these are in all, shown or not.
    total: int = 0
    #: Why nothing more can happen by itself, and how to go on; none where something can.
    stuck: str | None = None


@dataclass(kw_only=True)
class Executed:
    """A tree or task that executed a work node."""

    tree_id: str
    #: None for the tree as a whole.
    task_id: str | None = None
    node: str
    #: 1 where that is new.
    changed: int = 0
