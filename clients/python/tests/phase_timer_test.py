"""Phases are timed with the clock that they run on, and nothing waits for a GPU.

The GPU here is a fake torch.cuda: a stream of work that takes as long as a test says and is done
when a test says so.
"""

import unittest

import steps_server
from lockstep import PhaseTimer, StepLogger
from lockstep.clocks import CudaClock, HostClock
from lockstep.phase_timer import MAX_PENDING_STEPS

WITHIN_S = 300


class Gpu:
    """A stream: `work` queues work, `do` lets the GPU finish `ms` of all work."""

    def __init__(self):
        self.queued_ms = 0
        self.done_ms = 0
        self.events = 0
        self.waits = 0

    def work(self, ms):
        self.queued_ms += ms

    def catch_up(self):
        self.done_ms = self.queued_ms

    def Event(self, enable_timing):
        assert enable_timing
        self.events += 1
        return Event(self)


class Event:
    """Like torch.cuda.Event: reading one that has not passed is an error."""

    def __init__(self, gpu):
        self._gpu = gpu
        self._at_ms = None

    def record(self):
        self._at_ms = self._gpu.queued_ms

    def query(self):
        return self._at_ms <= self._gpu.done_ms

    def synchronize(self):
        self._gpu.waits += 1
        self._gpu.catch_up()

    def elapsed_time(self, end):
        if not (self.query() and end.query()):
            raise RuntimeError("the event has not passed")
        return end._at_ms - self._at_ms


class PhaseTimerTest(unittest.TestCase):
    def setUp(self):
        self.server = steps_server.StepsServer()
        self.server.start()
        self.addCleanup(self.server.close)
        self.logger = StepLogger(self.server.url, job="j", rank=0, spool="", interval_s=0.01)
        self.addCleanup(self.logger.close)
        self.gpu = Gpu()

    def lines(self):
        self.assertTrue(self.logger.flush(WITHIN_S))
        return self.server.lines

    def times(self, *names):
        """Those times of all stored steps, in ms."""
        return [tuple(round(line[f"{name}_time_s"] * 1000) for name in names) for line in self.lines()]

    def train(self, timer, steps, start=0, *, lag=False):
        """Steps whose forward takes 3 ms, backward 5 ms in two parts, optimizer 1 ms, and 1 ms is untimed."""
        for step, _ in timer.steps(range(steps), start):
            for name, ms in (("forward", 3), ("backward", 4), ("backward", 1), ("optimizer", 1)):
                with timer.phase(name):
                    self.gpu.work(ms)
            self.gpu.work(1)
            timer.log(loss=step / 4)
            if not lag:
                self.gpu.catch_up()

    def test_phases_on_a_gpu_are_times_of_its_stream(self):
        self.train(PhaseTimer(self.logger, CudaClock(self.gpu)), 5, start=7)
        self.assertEqual(self.times("forward", "backward", "optimizer", "step"), [(3, 5, 1, 10)] * 5)
        self.assertEqual([(line["step"], line["loss"]) for line in self.lines()],
                         [(step, step / 4) for step in range(7, 12)])
        self.assertTrue(all(0 <= line["data_time_s"] < WITHIN_S for line in self.lines()))
        times = [line["time"] for line in self.lines()]
        self.assertEqual(times, sorted(times))

    def test_nobody_waits_before_the_end(self):
        timer = PhaseTimer(self.logger, CudaClock(self.gpu))
        loop = timer.steps(range(10))
        for _ in range(10):
            next(loop)
            with timer.phase("forward"):
                self.gpu.work(3)
        self.assertEqual((self.lines(), self.gpu.waits), ([], 0))
        self.assertEqual(list(loop), [])
        self.assertEqual(self.gpu.waits, 1)
        self.assertEqual(self.times("forward", "step"), [(3, 3)] * 10)

    def test_events_are_used_again(self):
        self.train(PhaseTimer(self.logger, CudaClock(self.gpu)), 100)
        self.assertEqual(len(self.lines()), 100)
        self.assertLess(self.gpu.events, 30)

    def test_a_gpu_that_hangs_costs_the_times_alone(self):
        timer = PhaseTimer(self.logger, CudaClock(self.gpu))
        for step in range(MAX_PENDING_STEPS + 10):
            with timer.phase("forward"):
                self.gpu.work(3)
            timer.end_step(step, loss=1.0)
        self.assertEqual([line["step"] for line in self.lines()], list(range(10)))
        self.assertNotIn("step_time_s", self.lines()[0])
        self.assertEqual(self.gpu.waits, 0)

    def test_an_error_in_the_loop_is_not_held_back_by_the_gpu(self):
        timer = PhaseTimer(self.logger, CudaClock(self.gpu))
        with self.assertRaisesRegex(KeyError, "mine"):
            for _ in timer.steps(range(3)):
                with timer.phase("forward"):
                    self.gpu.work(3)
                    raise KeyError("mine")
        self.assertEqual(self.gpu.waits, 0)

    def test_a_gpu_that_fails_does_not_end_the_training(self):
        def fail(enable_timing):
            raise RuntimeError("CUDA error")
        self.gpu.Event = fail
        timer = PhaseTimer(self.logger, CudaClock(self.gpu))
        with self.assertLogs("lockstep", "WARNING") as said:
            self.assertEqual([step for step, _ in timer.steps(range(3))], [0, 1, 2])
        self.assertEqual(len(said.output), 1)
        self.assertGreater(self.logger.counts.errors, 0)

    def test_on_the_host_phases_fit_into_their_step(self):
        timer = PhaseTimer(self.logger, HostClock())
        for _ in timer.steps(range(20)):
            with timer.phase("forward"):
                sum(range(1000))
            with timer.phase("backward"):
                sum(range(1000))
        self.assertEqual(len(self.lines()), 20)
        for line in self.lines():
            parts = [line[f"{name}_time_s"] for name in ("data", "forward", "backward")]
            self.assertGreater(min(parts), 0)
            self.assertLessEqual(sum(parts), line["step_time_s"])

    def test_phases_out_of_order_do_no_harm(self):
        timer = PhaseTimer(self.logger, CudaClock(self.gpu))
        timer.end("forward")
        timer.begin("forward")
        timer.begin("forward")
        timer.end_step(1)
        timer.end("forward")
        timer.end("forward")
        timer.finish()
        timer.end_step(2)
        self.assertEqual([line["step"] for line in self.lines()], [1])
        self.assertEqual(self.logger.counts.errors, 0)


if __name__ == "__main__":
    unittest.main()
