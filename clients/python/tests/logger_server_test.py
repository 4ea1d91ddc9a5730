"""The step logger against a real server, which is killed and started again while steps are logged."""

import pathlib
import tempfile
import time
import unittest

import lockstep_server
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

    def logger(self, url):
        return StepLogger(url, job="j", rank=3, attempt=0, spool=self.folder / "spool", interval_s=0.01)

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


if __name__ == "__main__":
    unittest.main()
