"""Runs every query of docs/profiles.md over imported traces and tables: no errors, and the results
that the page promises.

LOCKSTEP_PROGRAM names the program. The words after "promql" are those of cookbook_test.py. The
traces are those of import/traces/testdata, which contain their time; tables get the same time.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import lockstep_server
from cookbook_test import BLOCK, RELATIVE_TOLERANCE

PAGE = ROOT / "docs/profiles.md"
TESTDATA = ROOT / "import/traces/testdata"
BEGIN_S = 1_772_442_930
ASKED_S = BEGIN_S + 30
TABLES = {
    "steps.csv": "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl\n"
                 "1000000000,1200000000,200000000,0,0,:train_step_7,1,1,0\n"
                 "1200000000,1450000000,250000000,0,0,:train_step_8,1,1,0\n"
                 "1450000000,1650000000,200000000,0,0,:train_step_9,1,1,0\n",
    "sync.csv": "Duration (ns),Start (ns),PID,TID,API Name\n"
                "2600000,357826729,9,9,cudaDeviceSynchronize_v3020\n"
                "2000000,157826729,9,9,cudaDeviceSynchronize_v3020\n",
    "um.csv": "Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,Total GPU PageFaults,"
              "Minimum Virtual Address,Maximum Virtual Address\n"
              "3050.439,1073.676,15360,38007,0x7F9C80000000,0x7F9D7FF83000\n",
}
RUN = ("# Collective test starting: all_reduce_perf\n"
       "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"
       "  8589934592    2147483648     float     sum      -1    31317  274.29  {busbw}       0    31317  274.29  {busbw}       0\n")


def blocks():
    """(expectations, query)"""
    for words, query in BLOCK.findall(PAGE.read_text()):
        pairs = (word.partition("=") for word in words.split())
        yield {name: value for name, _, value in pairs}, query.strip()


class ProfilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-profiles-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.server = lockstep_server.Server.ready(cls.folder, "--storage.retention.time=30y")
        cls.addClassCleanup(cls.server.stop)
        kernels = TESTDATA / "nsys/profile_cuda_gpu_kern_sum.csv"
        cls.run_import("--job", "profile", "--rank", 0, *map(cls.written, TABLES, TABLES.values()),
                       cls.written("kernels.csv", kernels.read_text()))
        cls.run_import("--job", "profile", *sorted((TESTDATA / "kineto").glob("*.pt.trace.json")))
        for run, busbw in (("before", "480.00"), ("after", "384.00")):
            log = cls.written(f"{run}.log", RUN.format(busbw=busbw))
            cls.run_import("--job", "profile", "--run", run, log)

    @classmethod
    def written(cls, name, text):
        """The file, with a modification time at which the traces begin."""
        path = cls.folder / name
        path.write_text(text)
        os.utime(path, (BEGIN_S, BEGIN_S))
        return path

    @classmethod
    def run_import(cls, *arguments):
        subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "import", "--to", cls.server.url, *map(str, arguments)],
                       check=True, timeout=300, stdout=subprocess.DEVNULL)

    def ask(self, query):
        connection = self.server.connect()
        try:
            return connection.query(query.replace("JOB", "profile"), ASKED_S)
        finally:
            connection.close()

    def test_queries_give_what_the_page_says(self):
        for expected, query in blocks():
            with self.subTest(query=query, expected=expected):
                rows = self.ask(query)
                if "rank" in expected:
                    self.assertEqual([row["metric"].get("rank") for row in rows], [expected["rank"]])
                elif "gives" in expected:
                    self.assertEqual(len(rows), int(expected["gives"]), rows)
                else:
                    self.assertGreater(len(rows), 0)
                for row in rows if "value" in expected else ():
                    wanted = float(expected["value"])
                    self.assertAlmostEqual(float(row["value"][1]), wanted, delta=RELATIVE_TOLERANCE * wanted)

    def test_there_are_some(self):
        self.assertGreater(len(list(blocks())), 20)

    def test_steps_of_ranges_are_steps_of_the_job(self):
        """Three ranges from a table, and three from a trace."""
        rows = self.ask('sum(count_over_time(train_step_time_seconds{job="JOB",rank="0"}[5m]))')
        self.assertEqual([float(row["value"][1]) for row in rows], [6])


if __name__ == "__main__":
    unittest.main()
