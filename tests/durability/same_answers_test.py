"""Every query returns the same bytes wherever the samples are: in memory, in chunks of one or
several generations, merged to cold runs, after a restart, a kill or a restored backup, in 1, 2 or 7
shards.

The data and the queries are those of tests/compliance. LOCKSTEP_PROGRAM names the server.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "support"))
sys.path.insert(0, str(TESTS / "compliance"))
import demo_dataset
import lockstep_server
import programs
import remote_write

END_S = demo_dataset.DEFAULT_END
DURATION_S, INTERVAL_S = 3000, 30
FORM = {"start": END_S - 1200, "end": END_S, "step": 60}
QUERIES = [entry["query"] for entry in json.loads((TESTS / "compliance/queries.json").read_text())]
SERIES_PER_REQUEST = 100
# Ranks this far apart are in different slots, and thus in different shards.
RANK_STEP = 256
COLD_WITHIN_S = 60


def dataset():
    """Three instances, each of which is a rank."""
    series = demo_dataset.build(END_S * 1000, DURATION_S * 1000, INTERVAL_S * 1000, instances=3,
                                seed=1, stale_markers=True, scale=0.1)
    return [({**labels, "rank": str(RANK_STEP * int(labels["instance"][len("demo-service-")]))},
             [(time_ms, remote_write.STALE if value is demo_dataset.STALE else value)
              for time_ms, value in samples])
            for labels, samples in series]


class SameAnswersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = dataset()
        cls.expected = None

    def start(self, shards, *flags):
        server = lockstep_server.Server.ready(self.folder, f"--storage.shards={shards}",
                                              "--storage.retention.time=100y", *flags)
        self.addCleanup(server.kill)
        return server

    def push(self, server, keep=lambda index: True):
        """Sends the samples whose index in their series `keep` accepts."""
        connection = server.connect()
        part = [(labels, [sample for i, sample in enumerate(samples) if keep(i)])
                for labels, samples in self.data]
        part = [(labels, samples) for labels, samples in part if samples]
        for begin in range(0, len(part), SERIES_PER_REQUEST):
            answer = connection.write(part[begin:begin + SERIES_PER_REQUEST])
            self.assertTrue(answer.stored, f"{answer.status} {answer.text}")
        connection.close()

    def check(self, server, state):
        """The responses are those of the first state."""
        connection = server.connect()
        answers = {}
        for query in QUERIES:
            answer = connection.get("/api/v1/query_range", query=query, **FORM)
            answers[query] = (answer.status, answer.body)
        connection.close()
        if self.expected is None:
            type(self).expected = answers
            full = [body for status, body in answers.values() if status == 200 and len(body) > 200]
            self.assertGreater(len(full), 100)
        different = [query for query in QUERIES if answers[query] != self.expected[query]]
        self.assertEqual(different, [], f"{state}: answered otherwise")

    def run_states(self, shards):
        with tempfile.TemporaryDirectory(prefix="lockstep-same-") as folder:
            self.folder = pathlib.Path(folder)
            server = self.start(shards)
            self.push(server)
            self.check(server, "in memory")
            server.kill()
            server = self.start(shards)
            self.check(server, "replayed")
            self.assertEqual(server.stop(), 0)
            server = self.start(shards)
            self.check(server, "sealed")
            self.push(server)
            self.check(server, "sealed, and written once more")
            self.assertEqual(server.stop(), 0)

    def run_generations(self, shards):
        """Each third of the samples arrives later than its neighbours."""
        with tempfile.TemporaryDirectory(prefix="lockstep-same-") as folder:
            self.folder = pathlib.Path(folder)
            for third in (2, 0):
                server = self.start(shards)
                self.push(server, lambda index, third=third: index % 3 == third)
                self.assertEqual(server.stop(), 0)
            server = self.start(shards)
            self.push(server, lambda index: index % 3 == 1)
            self.check(server, "two generations and the head")
            server.kill()
            server = self.start(shards)
            self.check(server, "two generations and the journal")
            self.assertEqual(server.stop(), 0)
            folder = tempfile.TemporaryDirectory(prefix="lockstep-same-backup-")
            self.addCleanup(folder.cleanup)
            self.backups = pathlib.Path(folder.name) / "backups"
            server = self.start(shards, "--web.enable-admin-api", f"--storage.backup.dir={self.backups}")
            self.check(server, "three generations")
            self.await_cold(server)
            self.check(server, "one cold run")
            self.back_up(server)
            self.assertEqual(server.stop(), 0)
        self.check_restored(shards)

    def await_cold(self, server):
        """Windows that ended before the start are merged unasked."""
        connection = server.connect()

        def gauge(text, name):
            return next(line.split()[1] for line in text.splitlines() if line.startswith(name + " "))

        def all_is_cold():
            text = connection.get("/metrics").text
            windows = gauge(text, "lockstep_storage_windows")
            self.assertNotEqual(windows, "0")
            return (gauge(text, "lockstep_storage_cold_windows") == windows ==
                    gauge(text, "lockstep_storage_runs"))

        programs.wait_until(all_is_cold, "all windows are cold", COLD_WITHIN_S)
        connection.close()

    def back_up(self, server):
        """Backs up to a folder that outlives the store's."""
        connection = server.connect()
        answer = connection.post("/api/v1/admin/backup", to=str(self.backups))
        self.assertEqual(answer.status, 200, answer.text)
        connection.close()

    def check_restored(self, shards):
        with tempfile.TemporaryDirectory(prefix="lockstep-same-") as folder:
            self.folder = pathlib.Path(folder)
            subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "restore", "--from", self.backups,
                            "--data", self.folder / "data"], check=True, stdout=subprocess.DEVNULL)
            server = self.start(shards)
            self.check(server, "backed up and restored")
            self.assertEqual(server.stop(), 0)

    def test_wherever_the_samples_are(self):
        for shards in (1, 2, 7):
            with self.subTest(shards=shards):
                self.run_states(shards)
                self.run_generations(shards)


if __name__ == "__main__":
    unittest.main()
