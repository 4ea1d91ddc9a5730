"""lockstep answers the PromQL compliance queries like a real Prometheus.

LOCKSTEP_PROGRAM names the server.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from lockstep_server import Server
from prometheus_server import Prometheus

# The data and all windows end here.
END_S = 1709251657
# (start, step) in seconds: the usual window, and almost all of the data.
WINDOWS = ((END_S - 1200, 10), (END_S - 6600, 60))


def run(script, *arguments):
    return subprocess.run([sys.executable, str(HERE / script), *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


class ComplianceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-compliance-")
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        cls.lockstep = Server.ready(path, "--storage.retention.time", "100y")
        cls.addClassCleanup(lambda: cls.lockstep.stop())
        cls.prometheus = Prometheus(path, "--storage.tsdb.retention.time=100y")
        cls.addClassCleanup(lambda: cls.prometheus.stop())
        pushed = run("demo_dataset.py", "--end", END_S,
                     "--url", f"{cls.prometheus.url}/api/v1/write",
                     "--url", f"{cls.lockstep.url}/api/v1/write")
        assert pushed.returncode == 0, pushed.stdout

    def test_every_query_answers_the_same(self):
        for start, step in WINDOWS:
            with self.subTest(start=start, step=step):
                compared = run("promql_compare.py", "--strict",
                               "--ref", self.prometheus.url, "--target", self.lockstep.url,
                               "--queries", HERE / "queries.json",
                               "--start", start, "--end", END_S, "--step", step)
                self.assertEqual(compared.returncode, 0, compared.stdout)


if __name__ == "__main__":
    unittest.main()
