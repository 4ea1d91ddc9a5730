"""Two jobs run on a real server for some seconds, and one has a rank that becomes slow and
recovers: PromQL and the API name only that rank, in every answer until it recovers, and the server
knows how the jobs ended.
"""

import pathlib
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/live"), str(ROOT / "tests/support")]
import lockstep_server
import running_job
from running_job import Plan, RunningJob
from watcher import SETTLE_S, Watcher


class LiveJobs(unittest.TestCase):
    def test_a_slow_rank_is_named_while_it_is_slow_and_ends_are_known(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-live-")
        self.addCleanup(folder.cleanup)
        server = lockstep_server.Server.ready(pathlib.Path(folder.name))
        self.addCleanup(server.kill)
        begin = time.time() + 0.5
        slow = RunningJob(Plan("slow", seconds=42, onset_s=12, until_s=28, seed=3), begin)
        healthy = RunningJob(Plan("healthy", ranks=4, seconds=35, says_exit="job", exit_code=1, seed=4), begin)
        watchers = [Watcher(slow, [(slow.slow_rank, "loader")]), Watcher(healthy, [])]
        states = {}

        def ask(connection, now):
            for watcher in watchers:
                watcher.ask(connection, now)
            for row in connection.query("lockstep_job_state == 1"):
                states.setdefault(row["metric"]["job"], []).append(row["metric"]["state"])

        running_job.run(server.url, [slow, healthy], ask, seconds_after=2)
        self.assertEqual([watcher.wrong + watcher.missed for watcher in watchers], [[], []])
        for how, after in watchers[0].named.items():
            self.assertIsNotNone(after, how)
            self.assertLess(after, 2 * slow.plan.batch_s + SETTLE_S, how)
        self.assertEqual((states["slow"][0], states["slow"][-1]), ("running", "ended"))
        self.assertEqual((states["healthy"][0], states["healthy"][-1]), ("running", "crashed"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
