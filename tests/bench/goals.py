"""What is measured, the floor it is compared with, and what it may take: the table of goals."""

from dataclasses import dataclass, field

#: Graphs that are measured: random ones are wide, layered ones deep.
RANDOM, DEEP = "random", "deep"


@dataclass(frozen=True)
class Goal:
    """A limit of one figure."""

    limit: float
    #: "ratio" to the floor, "ms", or "gain": how many times faster than the floor at least.
    of: str = "ratio"

    def reached(self, figure: float) -> bool:
        """Whether a figure is within the goal."""
        return figure >= self.limit if self.of == "gain" else figure <= self.limit

    @property
    def text(self) -> str:
        """The goal for people."""
        if self.of == "ms":
            return f"≤ {self.limit:g} ms"
        return f"{'≥' if self.of == 'gain' else '≤'} {self.limit:g}x"


@dataclass(frozen=True)
class Measure:
    """One subject of the table."""

    name: str
    what: str
    floor: str
    #: The goal of each case, the usual one under "".
    goals: dict[str, Goal] = field(default_factory=dict)
    #: Whose figure "measured" is.
    whose: str = "GoTN"
    #: The figure that the ratio is made of: "median" or "p99".
    by: str = "median"

    def goal(self, case: str) -> Goal | None:
        """The goal of one case: of its first word that has one, or the usual one."""
        found = [self.goals[word] for word in case.split(", ") if word in self.goals]
        return found[0] if found else self.goals.get("")


def most(ratio: float) -> Goal:
    """At most so many times the floor."""
    return Goal(ratio)


ONE_WRITE = "one write transaction that creates the edge"
ONE_ENTRY = "one write transaction that takes the project's next seq and appends an entry"
SAME_JSON = "REST of the same JSON"
ST_FLOAT32 = "sentence-transformers in float32"
FETCH = "GoTN's packed one-row fetch alone"
MEASURES = (
    Measure(
        "bulk",
        "bulk import with journal, link, one cycle check",
        "UNWIND CREATE of the same nodes and edges",
        {"": most(3.0)},
    ),
    Measure(
        "link",
        "hard_requires, whole derivation",
        "UNWIND-by-id CREATE of the same pairs",
        {"": most(0.8)},
    ),
    Measure("plan", "plan, cold", FETCH, {RANDOM: most(2.0), DEEP: most(2.8)}),
    Measure(
        "mirror",
        "replan with the graph mirrored",
        "rustworkx generations in memory",
        {"": most(1.2)},
    ),
    Measure("insert", "edge in order", ONE_WRITE, {"": most(2.0)}, by="p99"),
    Measure("disorder", "edge out of order", ONE_WRITE, {"": most(5.0)}, by="p99"),
    Measure("refuse", "edge that closes a cycle, refused", ONE_WRITE, by="p99"),
    Measure(
        "ready",
        "ready list, at the GraphQL boundary",
        "one point read",
        {"": Goal(30.0, "ms")},
    ),
    Measure(
        "list",
        "GraphQL list of 1,000 with 3 related",
        SAME_JSON,
        {"1 client": most(1.3), "16 clients": most(1.4)},
    ),
    Measure("one", "GraphQL one node", SAME_JSON, {"": most(1.4)}),
    Measure(
        "grouped",
        "64 workers, a write each, grouped",
        "the same workers, a transaction each that takes the project's next seq",
        {"": Goal(2.0, "gain")},
    ),
    Measure(
        "claims",
        "steps of a run claimed, over HTTP where not in process",
        "the same workers, a transaction each that takes the project's next seq",
        {"64 workers": Goal(2.0, "gain")},
    ),
    Measure(
        "steps",
        "what a run can give out, at the GraphQL boundary",
        "one point read",
        {"": Goal(30.0, "ms")},
    ),
    Measure(
        "events",
        "from a commit to its subscribers",
        "the write that they hear of, over HTTP",
        by="p99",
    ),
    Measure("replay", "journal replay", "JSONL read, parse, rebuild", {"": most(1.8)}),
    Measure(
        "tree-import",
        "a task tree read, imported, with journal and kept totals",
        "UNWIND CREATE of the same tasks and relationships",
        {"": most(3.0)},
    ),
    Measure("total", "a tree's cost, own and inclusive", "one point read", {"": most(1.5)}),
    Measure(
        "spend",
        "a leaf's cost added, with journal and every total above it",
        ONE_ENTRY,
        {"": most(3.0)},
    ),
    Measure(
        "recompute",
        "a tree's total added up anew",
        "one scan of the same tasks",
        {"": most(1.7)},
    ),
    Measure(
        "tree-show",
        "the first 200 tasks of a tree, in its order",
        "one read of as many tasks",
        {"": most(4.0)},
    ),
    Measure(
        "task-claim", "the next task of a tree claimed, with journal", ONE_ENTRY, {"": most(6.0)}
    ),
    Measure("task-split", "a task spawned below one, likewise", ONE_ENTRY, {"": most(6.0)}),
    Measure(
        "task-finish", "a task finished with result and cost, likewise", ONE_ENTRY, {"": most(6.0)}
    ),
    Measure(
        "encode",
        "vectors of real texts",
        ST_FLOAT32,
        {
            "sentence-transformers": Goal(3.0, "gain"),
            "onnxruntime": Goal(2.4, "gain"),
            "openvino": Goal(4.0, "gain"),
        },
    ),
    Measure(
        "first",
        "first vector of a new process",
        "a bare Python process that imports numpy",
        {"": Goal(500.0, "ms")},
    ),
    Measure(
        "neighbours",
        "all-pairs nearest ten of real vectors",
        "faiss IndexFlatIP, one batch",
        {"10,000 vectors": most(0.4), "100,000 vectors": most(0.15)},
    ),
    Measure(
        "similar",
        "the ten nearest of one node",
        "a bare FAISS index, and one read of ten nodes",
        {"in process": most(2.0)},
    ),
    Measure(
        "soft-link",
        "a node says something else, journalled, and soft edges follow",
        "the text encoded, one FAISS query, one write transaction that changes the node",
    ),
    Measure("help", "gotn --help", "a bare Typer program", {"": most(1.5)}),
    Measure("peers", "layers of the same graph, in memory", FETCH, whose="the peer"),
)
#: What `make bench-peers` measures; no goals, they are others' programs.
PEERS = (
    Measure("gds", "Graph Data Science: project, sort, layers in one row", FETCH, whose="the peer"),
    Measure(
        "neo4j-graphql",
        "@neo4j/graphql: list of 1,000 with 3 related, without its 2 moments",
        SAME_JSON,
        whose="the peer",
    ),
)
BY_NAME = {measure.name: measure for measure in (*MEASURES, *PEERS)}
NAMES = tuple(measure.name for measure in MEASURES)
