"""The agent's loop: samples at fixed times, collects, pushes."""

from __future__ import annotations

import logging
import queue
import time
from typing import Iterable, List, Sequence

from lockstep.agent.pusher import Pusher
from lockstep.agent.remote_write import RequestBuilder
from lockstep.agent.samples import LabelPairs, Sample, Sampler

CLOSE_WITHIN_S = 5.0
LOGGER = logging.getLogger("lockstep.agent")


class SelfSampler(Sampler):
    """The agent's own resource usage."""

    def __init__(self, pusher: Pusher) -> None:
        self._pusher = pusher

    def sample(self) -> Iterable[Sample]:
        yield Sample("lockstep_agent_cpu_seconds_total", (), time.process_time())
        yield Sample("lockstep_agent_dropped_requests_total", (), float(self._pusher.dropped))


class Agent:
    """Samples every `interval_s` seconds and pushes every `push_every` samples, until stopped.

    Samples are at whole multiples of the interval, so that hosts with correct clocks sample together;
    samples missed by a late round are skipped, not made up for.
    """

    def __init__(self, samplers: Sequence[Sampler], common: LabelPairs, pusher: Pusher, interval_s: float,
                 push_every: int) -> None:
        self._samplers: List[Sampler] = [*samplers, SelfSampler(pusher)]
        self._builder = RequestBuilder(common)
        self._pusher = pusher
        self._interval_s = interval_s
        self._push_every = push_every
        self._newest_ms = 0
        # SimpleQueue.put may interrupt its own thread, as a signal handler does.
        self._stops: "queue.SimpleQueue[None]" = queue.SimpleQueue()

    def stop(self) -> None:
        """Makes `run` return soon. Safe in signal handlers of its thread."""
        self._stops.put(None)

    def run(self) -> None:
        """Samples until `stop`, then sends the rest."""
        rounds = 0
        while not self._stopped_within(self._until_next()):
            self.sample_once(time.time())
            rounds += 1
            if rounds % self._push_every == 0:
                self._push()
        self._push()
        if not self._pusher.close(CLOSE_WITHIN_S):
            LOGGER.warning("ended with samples that could not be sent")

    def sample_once(self, now_s: float) -> None:
        """Reads all samplers; the samples get the grid time nearest to now, each grid time only once."""
        time_ms = round(round(now_s / self._interval_s) * self._interval_s * 1000)
        if time_ms <= self._newest_ms:
            return
        self._newest_ms = time_ms
        for sampler in self._samplers:
            try:
                for sample in sampler.sample():
                    self._builder.add(time_ms, sample)
            except Exception as error:  # One odd line in /proc must not stop the other samplers.
                LOGGER.warning("%s failed: %r", type(sampler).__name__, error)

    def _stopped_within(self, seconds: float) -> bool:
        try:
            self._stops.get(timeout=seconds)
        except queue.Empty:
            return False
        return True

    def _push(self) -> None:
        body = self._builder.take()
        if body:
            self._pusher.push(body)

    def _until_next(self) -> float:
        return self._interval_s - time.time() % self._interval_s
