"""Counters and timings as Prometheus reads them, kept in this process."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

#: Upper bounds of the latency buckets, in seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
#: What comes as `text/plain` to whoever reads it.
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class Latency:
    """How long the requests of one route took."""

    #: How many took at most the bound of each bucket and more than the one before.
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        """Note one request."""
        place = next((n for n, bound in enumerate(BUCKETS) if seconds <= bound), len(BUCKETS))
        self.buckets[place] += 1
        self.seconds += seconds


@dataclass
class Metrics:
    """What this process has counted."""

    requests: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    latencies: dict[str, Latency] = field(default_factory=dict)
    statements: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    #: Root fields of queries: how each was answered, and why not from a compiled plan.
    fields: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: What is asked for when somebody reads it: name -> what it is, and how much of it is now.
    gauges: dict[str, tuple[str, Callable[[], int]]] = field(default_factory=dict)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Note an answered request."""
        self.requests[route, method, str(status)] += 1
        self.latencies.setdefault(route, Latency()).add(seconds)

    def statement(self, name: str) -> None:
        """Note a statement that is sent to Neo4j."""
        self.statements[name] += 1

    def root_field(self, way: str, reason: str) -> None:
        """Note how a root field of a query was answered (graph.hook)."""
        self.fields[way, reason] += 1

    def error(self, code: str) -> None:
        """Note an error that a caller was given."""
        self.errors[code] += 1

    def gauge(self, name: str, said: str, now: Callable[[], int]) -> None:
        """Show what goes up and down."""
        self.gauges[name] = (said, now)

    def text(self) -> str:
        """Everything, in Prometheus' text format."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("gotn_http_requests_total", "counter", "Requests answered.")
        for (route, method, status), count in sorted(self.requests.items()):
            labels = {"route": route, "method": method, "status": status}
            yield _sample("gotn_http_requests_total", labels, count)
        yield from self._histograms()
        yield from _head("gotn_statements_total", "counter", "Statements sent to Neo4j.")
        for name, count in sorted(self.statements.items()):
            yield _sample("gotn_statements_total", {"name": name}, count)
        yield from _head("gotn_errors_total", "counter", "Errors given to callers, by code.")
        for code, count in sorted(self.errors.items()):
            yield _sample("gotn_errors_total", {"code": code}, count)
        yield from self._root_fields()
        for name, (said, now) in sorted(self.gauges.items()):
            yield from _head(name, "gauge", said)
            yield _sample(name, {}, now())

    def _root_fields(self) -> Iterator[str]:
        """`surprise` is the one to watch: it is 0 as long as what is stored is whole."""
        name = "gotn_query_fields_total"
        yield from _head(name, "counter", "Root fields of queries, by how they were answered.")
        shown = {("compiled", ""): 0, ("surprise", ""): 0} | self.fields
        for (way, reason), count in sorted(shown.items()):
            yield _sample(name, {"way": way, "reason": reason}, count)

    def _histograms(self) -> Iterator[str]:
        name = "gotn_http_request_seconds"
        yield from _head(name, "histogram", "Seconds from the request to its answer.")
        for route, latency in sorted(self.latencies.items()):
            so_far = 0
            for bound, count in zip((*BUCKETS, "+Inf"), latency.buckets, strict=True):
                so_far += count
                yield _sample(f"{name}_bucket", {"route": route, "le": str(bound)}, so_far)
            yield _sample(f"{name}_sum", {"route": route}, round(latency.seconds, 6))
            yield _sample(f"{name}_count", {"route": route}, so_far)


def _head(name: str, kind: str, said: str) -> Iterator[str]:
    yield f"# HELP {name} {said}"
    yield f"# TYPE {name} {kind}"


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    return f"{name}{{{inside}}} {value}" if labels else f"{name} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
