"""Many readers or one writer: FAISS may search in parallel, but not while it is changed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """A lock for readers and writers; a writer that waits keeps new readers out."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._writers = 0  # those that wait and the one that writes
        self._busy = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Beside other readers."""
        with self._changed:
            self._changed.wait_for(lambda: not self._writers)
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Alone."""
        with self._changed:
            self._writers += 1
            self._changed.wait_for(lambda: not self._readers and not self._busy)
            self._busy = True
        try:
            yield
        finally:
            with self._changed:
                self._busy = False
                self._writers -= 1
                self._changed.notify_all()
