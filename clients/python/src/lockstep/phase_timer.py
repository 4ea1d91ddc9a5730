"""PhaseTimer: times the phases of each training step without slowing them.

    timer = PhaseTimer(logger)
    for step, batch in timer.steps(loader):             # times the wait for data
        with timer.phase("forward"):
            loss = model(batch)
        with timer.phase("backward"):
            loss.backward()
        with timer.phase("optimizer"):
            optimizer.step()
        timer.log(loss=loss)

Logs each step as NAME_time_s per phase, and step_time_s since the end of the previous step. On a GPU
these are times of its stream, read some steps later, once it has finished them.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Deque, Dict, Generator, Iterable, Iterator, List, Optional, Tuple, TypeVar

from lockstep.clocks import Clock, HostClock, best_clock
from lockstep.step_logger import StepLogger

Batch = TypeVar("Batch")
# Host work that may overlap with the GPU is timed by the host.
HOST_PHASES = frozenset({"data"})
# A GPU that is further behind hangs; its steps are then logged without times.
MAX_PENDING_STEPS = 64


@dataclass
class TimedStep:
    """A step in progress: its finished phases, the marks at its ends, and its logged values."""

    begin: Any
    spans: List[Tuple[str, Any, Any]] = field(default_factory=list)
    host_s: Dict[str, float] = field(default_factory=dict)
    values: Dict[str, Any] = field(default_factory=dict)
    number: int = 0
    time_s: float = 0.0
    end: Any = None


class PhaseTimer:
    """Times one training loop, on that loop's thread. Never raises by itself.

    If a phase is entered several times in a step, its times are added up; a phase nested in another
    counts in both.
    """

    def __init__(self, logger: StepLogger, clock: Optional[Clock[Any]] = None) -> None:
        """`clock` defaults to the GPU's stream if torch has one, see lockstep.clocks."""
        self._logger = logger
        self._clock: Clock[Any] = clock or best_clock()
        self._host = HostClock()
        self._open: Dict[str, Any] = {}
        self._pending: Deque[TimedStep] = deque()
        self._current: Optional[TimedStep] = None

    def steps(self, batches: Iterable[Batch], start: int = 0) -> Generator[Tuple[int, Batch], None, None]:
        """The batches with their step numbers; the wait for each is the phase "data" of its step."""
        source: Iterator[Batch] = iter(batches)
        step = start
        self.start()
        while True:
            with self.phase("data"):
                try:
                    batch = next(source)
                except StopIteration:
                    break
            yield step, batch
            self.end_step(step)
            step += 1
        self.finish()

    def start(self) -> None:
        """Begins the first step now; by default it begins with its first phase."""
        with self._faults_counted():
            self._current = TimedStep(self._clock.mark())

    @contextlib.contextmanager
    def phase(self, name: str) -> Generator[None, None, None]:
        """A context that times its body as that phase."""
        self.begin(name)
        try:
            yield
        finally:
            self.end(name)

    def begin(self, name: str) -> None:
        """Begins the phase; an unfinished phase of that name is discarded."""
        with self._faults_counted():
            if self._current is None:
                self._current = TimedStep(self._clock.mark())
            self._open[name] = self._clock_of(name).mark()

    def end(self, name: str) -> None:
        """Ends the phase if it has begun."""
        with self._faults_counted():
            begin = self._open.pop(name, None)
            if begin is None or self._current is None:
                return
            end = self._clock_of(name).mark()
            if name in HOST_PHASES:
                host_s = self._current.host_s
                host_s[name] = host_s.get(name, 0.0) + self._host.seconds(begin, end)
            else:
                self._current.spans.append((name, begin, end))

    def log(self, **values: Any) -> None:
        """Adds values to the current step, logged together with its times."""
        with self._faults_counted():
            if self._current is None:
                self._current = TimedStep(self._clock.mark())
            self._current.values.update(values)

    def end_step(self, step: int, **values: Any) -> None:
        """Ends the current step, number `step`, and begins the next one."""
        with self._faults_counted():
            done, mark = self._current, self._clock.mark()
            self._current = TimedStep(mark)
            if done is None:
                return
            done.values.update(values)
            done.number, done.time_s, done.end = step, time.time(), mark
            self._pending.append(done)
            self._log_passed()

    def finish(self) -> None:
        """Waits for the GPU and logs all finished steps. The timer can continue afterwards."""
        with self._faults_counted():
            if self._pending:
                self._clock.wait(self._pending[-1].end)
            self._log_passed()
            self._current = None
            self._open.clear()

    def _clock_of(self, name: str) -> Clock[Any]:
        return self._host if name in HOST_PHASES else self._clock

    def _log_passed(self) -> None:
        while self._pending and self._clock.passed(self._pending[0].end):
            done = self._pending.popleft()
            self._send(done, self._times_of(done))
            for mark in (done.begin, *(mark for _, *span in done.spans for mark in span)):
                self._clock.recycle(mark)
        if len(self._pending) > MAX_PENDING_STEPS:
            self._send(self._pending.popleft(), {})

    def _times_of(self, done: TimedStep) -> Dict[str, float]:
        seconds = dict(done.host_s)
        for name, begin, end in done.spans:
            seconds[name] = seconds.get(name, 0.0) + self._clock.seconds(begin, end)
        seconds["step"] = self._clock.seconds(done.begin, done.end)
        return seconds

    def _send(self, done: TimedStep, seconds: Dict[str, float]) -> None:
        times = {f"{name}_time_s": value for name, value in seconds.items()}
        self._logger.log(done.number, **{"time": done.time_s, **times, **done.values})

    @contextlib.contextmanager
    def _faults_counted(self) -> Generator[None, None, None]:
        try:
            yield
        except Exception as error:
            self._logger.fault(error)
