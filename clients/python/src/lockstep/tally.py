"""Counts the outcomes of logged steps, and warns once per kind of problem."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from typing import Set

LOGGER = logging.getLogger("lockstep")


@dataclass
class Counts:
    """Counts of lines, unless stated otherwise.

    `accepted`: stored by the server; `rejected`: refused by it; `dropped`: never sent, for lack of room;
    `values_dropped`: single values that are not numbers; `failed_requests`: requests that were retried;
    `errors`: faults that would have been exceptions.
    """

    accepted: int = 0
    rejected: int = 0
    dropped: int = 0
    values_dropped: int = 0
    failed_requests: int = 0
    errors: int = 0


class Tally:
    """Thread-safe counters, even inside a signal handler that interrupts counting."""

    def __init__(self) -> None:
        self._counts = Counts()
        self._lock = threading.RLock()
        self._warned: Set[str] = set()

    def add(self, **more: int) -> None:
        with self._lock:
            for name, count in more.items():
                setattr(self._counts, name, getattr(self._counts, name) + count)

    def counts(self) -> Counts:
        with self._lock:
            return replace(self._counts)

    def warn_once(self, kind: str, text: str) -> None:
        """Logs a warning the first time that `kind` occurs in this process."""
        with self._lock:
            if kind in self._warned:
                return
            self._warned.add(kind)
        LOGGER.warning("%s (logged once)", text)
