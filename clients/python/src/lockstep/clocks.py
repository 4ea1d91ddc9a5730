"""The clocks that time phases: the host's clock, or events on the GPU's stream.

A mark is a moment; only marks of one clock are comparable. GPU marks are in the future when created,
and are read after the GPU has passed them, so that nothing waits.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Generic, List, Optional, TypeVar

Mark = TypeVar("Mark")


class Clock(Generic[Mark]):
    """For one thread at a time."""

    def mark(self) -> Mark:
        """Now, or the moment when the GPU has finished all work queued so far."""
        raise NotImplementedError

    def passed(self, mark: Mark) -> bool:
        """Whether the moment has passed. Does not wait."""
        raise NotImplementedError

    def wait(self, mark: Mark) -> None:
        """Waits for the moment."""
        raise NotImplementedError

    def seconds(self, begin: Mark, end: Mark) -> float:
        """The time between two passed marks."""
        raise NotImplementedError

    def recycle(self, mark: Mark) -> None:
        """Releases a mark that is no longer needed."""


class HostClock(Clock[float]):
    """The host's clock."""

    def mark(self) -> float:
        return time.perf_counter()

    def passed(self, mark: float) -> bool:
        return True

    def wait(self, mark: float) -> None:
        pass

    def seconds(self, begin: float, end: float) -> float:
        return end - begin


class CudaClock(Clock[Any]):
    """Events on the stream that is current when they are created. Reuses events."""

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
    """Events if the program uses torch on a GPU, otherwise the host's clock."""
    torch: Optional[Any] = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return CudaClock(torch.cuda)
    return HostClock()
