"""`lockstep tail` with a real server that is killed in between: what is stored in the end is what
the logs contain.

LOCKSTEP_PROGRAM names the program.
"""

import os
import pathlib
import signal
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "support"))
import lockstep_server
import programs

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
WITHIN_S = 60
RANKS = 4
START_S = int(time.time()) - 1000
LINE = '{"step": %d, "time": %d, "loss": 2.5}\n'


class TailTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-tail-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.logs = self.folder / "logs/8f2c_q1w2e3/attempt_0"
        self.steps = [0] * RANKS
        for rank in range(RANKS):
            (self.logs / str(rank)).mkdir(parents=True)
        self.server = None
        self.serve()

    def serve(self):
        http = self.server.address if self.server else "127.0.0.1:0"
        self.server = lockstep_server.Server.ready(self.folder, http=http)
        self.addCleanup(self.server.stop)

    def tail(self):
        (self.folder / "tail").mkdir(exist_ok=True)
        program = programs.Program(self.folder / "tail", "tail",
                                   [PROGRAM, "tail", "--to", self.server.url, "--job", "j", "--interval", "0.05",
                                    str(self.folder / "logs")])
        self.addCleanup(program.kill)
        return program

    def write(self, steps, name="stdout.log"):
        for rank in range(RANKS):
            with open(self.logs / str(rank) / name, "a") as log:
                for _ in range(steps):
                    self.steps[rank] += 1
                    log.write(LINE % (self.steps[rank], START_S + self.steps[rank]))

    def stored(self):
        """Steps by rank, ordered by time."""
        connection = self.server.connect()
        try:
            result = connection.query('lockstep_step{job="j",run="8f2c"}[1h]', time.time() + 60)
        finally:
            connection.close()
        return {int(series["metric"]["rank"]): [int(value) for _, value in series["values"]] for series in result}

    def await_all(self):
        expected = {rank: list(range(1, self.steps[rank] + 1)) for rank in range(RANKS)}
        programs.wait_until(lambda: self.stored() == expected, f"all of {self.steps}", WITHIN_S)

    def test_a_tree_that_grows_while_the_server_and_the_tail_are_killed(self):
        self.write(5)
        tail = self.tail()
        self.await_all()
        self.write(5)
        self.await_all()
        # The server is down while logs grow and are rotated.
        self.server.kill()
        self.write(5)
        for rank in range(RANKS):
            log = self.logs / str(rank) / "stdout.log"
            log.rename(log.with_suffix(".log.1"))
        self.write(5)
        self.serve()
        self.await_all()
        # So is the tail.
        tail.kill()
        self.write(5)
        tail = self.tail()
        self.await_all()
        # It sends the rest when it is told to stop.
        self.write(5)
        os.kill(tail.pid, signal.SIGTERM)
        self.assertEqual(tail.wait(), 0)
        self.await_all()
        self.assertTrue((self.folder / "logs/.lockstep-tail").exists())

    def test_logs_that_are_truncated(self):
        self.write(5)
        tail = self.tail()
        self.await_all()
        for rank in range(RANKS):
            log = self.logs / str(rank) / "stdout.log"
            (log.parent / "copy.gz").write_bytes(b"\x1f\x8b" + log.read_bytes())
            os.truncate(log, 0)
        self.write(9)
        self.await_all()
        tail.stop()

    def test_a_state_that_is_none(self):
        (self.folder / "logs/.lockstep-tail").write_text("something else\n")
        tail = self.tail()
        self.assertEqual(tail.wait(), 2)


if __name__ == "__main__":
    unittest.main()
