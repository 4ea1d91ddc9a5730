"""What phases are timed with: the host's clock, or events on the GPU's stream.

A mark is a moment; marks of one clock are compared with each other. Marks on a GPU lie in its future
when they are made, and are read when the GPU has passed them, so that nobody waits.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Generic, List, Optional, TypeVar

Mark = TypeVar("Mark")


class Clock(Generic[Mark]):
    """For one thread at a time."""

    def mark(self) -> Mark:
        """Now, or when the GPU has done what it was given so far."""
        raise NotImplementedError

    def passed(self, mark: Mark) -> bool:
        """Whether the moment has come. Does not wait."""
        raise NotImplementedError

    def wait(self, mark: Mark) -> None:
        """Waits for the moment."""
        raise NotImplementedError

    def seconds(self, begin: Mark, end: Mark) -> float:
        """From one passed mark to another."""
        raise NotImplementedError

    def recycle(self, mark: Mark) -> None:
        """Says that the mark is not needed any more."""


class HostClock(Clock[float]):
    """The host's own time."""

    def mark(self) -> float:
        return time.perf_counter()

    def passed(self, mark: float) -> bool:
        return True

    def wait(self, mark: float) -> None:
        pass

    def seconds(self, begin: float, end: float) -> float:
        return end - begin


class CudaClock(Clock[Any]):
    """Events on the stream that is current where they are made. Events are used again and again."""

    def __init__(self, cuda: Any) -> None:
        """`cuda` is torch.cuda."""
        self._cuda = cuda
        self._spare: List[Any] = []

    def mark(self) -> Any:
        event = self._spare.pop() if self._spare else self._cuda.Event(enable_timing=True)
        event.record()
        return event

    def passed(self, mark: Any) -> bool:
        return bool(mark.query())

    def wait(self, mark: Any) -> None:
        mark.synchronize()

    def seconds(self, begin: Any, end: Any) -> float:
        return float(begin.elapsed_time(end)) / 1000

    def recycle(self, mark: Any) -> None:
        self._spare.append(mark)


def best_clock() -> Clock[Any]:
    """Events where the program uses torch on a GPU, else the host's clock."""
    torch: Optional[Any] = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return CudaClock(torch.cuda)
    return HostClock()
