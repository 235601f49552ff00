"""Makes lazily published artifacts durable, behind the back of whoever waits for the next one."""

from __future__ import annotations

import os
from threading import Condition, Thread

from overspill._lite import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Flusher:
    """One thread that calls `flush` with whatever has come since it last did."""

    def __init__(self, flush: Callable[[list[str]], None]) -> None:
        self._flush = flush
        self._waiting: list[str] = []
        self._busy = False
        self._closed = False
        self._changed = Condition()
        self._thread: Thread | None = None
        self.process = os.getpid()

    def add(self, name: str) -> None:
        with self._changed:
            self._waiting.append(name)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="overspill-flush", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until everything is durable; whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._waiting or self._busy), seconds)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                names, self._waiting = self._waiting, []
                self._busy = True
            try:
                self._flush(names)
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()
