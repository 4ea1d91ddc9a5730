"""Jobs become slow on a real server because of a host's network interface, a GPU's NVLink, or a
whole host: PromQL and the API name the ranks and the cause in every answer until the jobs recover.
"""

import os
import pathlib
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/live"), str(ROOT / "tests/support")]
import lockstep_server
import running_job
from host_counters import HostCounters, RemoteWriter, TextImporter
from running_job import Plan, RunningJob
from watcher import SETTLE_S, Watcher


class CountedJob(RunningJob):
    """A job whose exporters send their counters every `every_s`."""

    def __init__(self, plan, begin, sender, every_s=1.0, **trouble):
        super().__init__(plan, begin)
        self.counters = HostCounters(self, **{name: of(self) for name, of in trouble.items()})
        self._sender = sender
        self._every_s = every_s
        self._due = 0.0

    def push(self, server, now):
        if now >= self._due:
            self._due = now + self._every_s
            self._sender.send(self.counters.samples(now), now)
        super().push(server, now)


def plan(name, **options):
    return Plan(name, hosts=f"{name}-", ranks_of_host=2, seconds=42, onset_s=12, until_s=28, **options)


class Causes(unittest.TestCase):
    def test_ranks_behind_a_link_or_on_a_slow_host_are_named_while_it_lasts(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-causes-")
        self.addCleanup(folder.cleanup)
        server = lockstep_server.Server.ready(pathlib.Path(folder.name))
        self.addCleanup(server.kill)
        connection = server.connect()
        self.addCleanup(connection.close)
        writer = RemoteWriter(connection)
        importer = TextImporter(os.environ["LOCKSTEP_PROGRAM"], server.url)
        begin = time.time() + 0.5
        interface = CountedJob(plan("interface", slow="exchange", seed=5), begin, writer,
                               bad_host=lambda job: job.host_of(job.slow_rank))
        nvlink = CountedJob(plan("nvlink", slow="exchange", seed=24), begin, importer, every_s=2.0,
                            bad_rank=lambda job: job.slow_rank)
        host = CountedJob(plan("host", slow="host", seed=7), begin, writer,
                          busy_host=lambda job: job.host_of(job.slow_rank))
        watchers = [Watcher(interface, [(rank, "network") for rank in interface.ranks_of_slow_host]),
                    Watcher(nvlink, [(nvlink.slow_rank, "network")]),
                    Watcher(host, [(rank, "node") for rank in host.ranks_of_slow_host])]
        verdicts = {}

        def ask(connection, now):
            for watcher in watchers:
                watcher.ask(connection, now)
            for row in connection.query("lockstep_job_verdict == 1"):
                verdicts.setdefault(row["metric"]["job"], []).append(row["metric"]["verdict"])

        running_job.run(server.url, [interface, nvlink, host], ask)
        for watcher in watchers:
            with self.subTest(job=watcher.job.plan.name):
                self.assertEqual((watcher.wrong, watcher.missed), ([], []))
                for how, after in watcher.named.items():
                    self.assertIsNotNone(after, how)
                    self.assertLess(after, 2 * watcher.job.plan.batch_s + SETTLE_S, how)
                self.assertGreater(watcher.polls_after, 0)
        for job, verdict in ((interface, "network"), (nvlink, "network"), (host, "slow_rank")):
            said = verdicts[job.plan.name]
            self.assertIn(verdict, said)
            self.assertNotIn(verdict, (said[0], said[-1]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
