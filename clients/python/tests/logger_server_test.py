"""Tests the step logger against a real server that is killed and restarted while steps are logged, or when they end."""

import pathlib
import tempfile
import time
import unittest

import lockstep_server
import programs
from lockstep import Client, StepLogger

STEPS = 300
FLUSH_WITHIN_S = 60


class LoggerServerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-logger-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "server").mkdir()

    def serve(self, http="127.0.0.1:0"):
        return lockstep_server.Server.ready(self.folder / "server", http=http)

    def logger(self, url, job="j", rank=3, attempt=0):
        return StepLogger(url, job=job, rank=rank, attempt=attempt, spool=self.folder / "spool", interval_s=0.01)

    def test_no_step_is_lost_or_doubled_when_the_server_dies(self):
        server = self.serve()
        start = time.time() - STEPS
        with self.logger(server.url) as logger:
            for step in range(STEPS):
                if step == STEPS // 3:
                    self.assertTrue(logger.flush(FLUSH_WITHIN_S))
                    server.kill()
                if step == 2 * STEPS // 3:
                    server = self.serve(server.address)
                    self.addCleanup(server.stop)
                logger.log(step, time=start + step, loss=step / 8, grad_norm=float("nan"))
            self.assertTrue(logger.flush(FLUSH_WITHIN_S))
        with Client(server.url) as client:
            [steps] = client.query('lockstep_step{job="j",rank="3",attempt="0"}[1h]', time.time() + 60)
            [loss] = client.query('{__name__=~".*loss",job="j",rank="3"}[1h]', time.time() + 60)
        self.assertEqual(steps.values, list(range(STEPS)))
        self.assertEqual(loss.values, [step / 8 for step in range(STEPS)])

    def end(self, logger, code):
        try:
            with logger:
                raise SystemExit(code)
        except SystemExit:
            pass

    def state(self, url, job):
        listed = programs.ask(url, "training/jobs", job=job)["jobs"][0]
        return listed["state"], listed["state_reason"]

    def test_ends_are_known_though_the_server_was_away_when_they_came(self):
        """When the server stops, job "sent" has sent its steps, "failed" has some left, and "unheard" begins later."""
        server = self.serve()
        sent, failed = self.logger(server.url, "sent"), self.logger(server.url, "failed")
        # Steps within one millisecond would be spread out, the last of them past the end.
        start = time.time() - STEPS
        for step in range(20):
            sent.log(step, time=start + step, loss=1.0)
            failed.log(step, time=start + step, loss=1.0)
        self.assertTrue(sent.flush(FLUSH_WITHIN_S) and failed.flush(FLUSH_WITHIN_S))
        server.kill()
        failed.log(20, loss=1.0)
        unheard = self.logger(server.url, "unheard")
        unheard.log(0, loss=1.0)
        for logger, code in ((sent, 0), (failed, 7), (unheard, 3)):
            self.end(logger, code)
        server = self.serve(server.address)
        self.addCleanup(server.stop)
        with self.logger(server.url, "other") as other:
            other.log(0, loss=1.0)
            programs.wait_until(lambda: not any((self.folder / "spool").glob("*/*")), "the spool is empty", FLUSH_WITHIN_S)
        for job, state in (("sent", "ended"), ("failed", "crashed"), ("unheard", "crashed"), ("other", "ended")):
            self.assertEqual(self.state(server.url, job), (state, "exit"), job)

    def test_an_end_that_comes_late_does_not_end_the_next_attempt(self):
        """Without attempt numbers, the next process registers before the previous one's end arrives."""
        server = self.serve()
        first = self.logger(server.url, attempt=None)
        first.log(0, loss=1.0)
        self.assertTrue(first.flush(FLUSH_WITHIN_S))
        server.kill()
        self.end(first, 1)
        server = self.serve(server.address)
        self.addCleanup(server.stop)
        with self.logger(server.url, attempt=None) as second:
            second.log(1, loss=1.0)
            programs.wait_until(lambda: not any((self.folder / "spool").glob("*/*")), "the spool is empty", FLUSH_WITHIN_S)
            self.assertEqual(self.state(server.url, "j")[0], "running")
            second.log(2, loss=1.0)
        self.assertEqual(self.state(server.url, "j"), ("ended", "exit"))


if __name__ == "__main__":
    unittest.main()
