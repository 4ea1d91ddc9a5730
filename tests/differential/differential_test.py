"""lockstep answers random queries over random data as a real Prometheus 3 does.

LOCKSTEP_PROGRAM names the server. Runs beside the Prometheus that tools/build_prometheus.sh
has put among the peers, else beside the packaged one when that is new enough, else beside the other peer; without
any of them it is skipped.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import programs

# Left-open ranges, UTF-8 names, native histograms with custom buckets, arithmetic in durations.
OLDEST = (3, 5)
SEED = 1
QUERIES = 500


def version(program):
    said = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False).stdout
    found = re.search(r"version (\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def new_prometheus():
    newest = programs.PEERS / "prometheus-next"
    if newest.exists():
        return str(newest)
    packaged = shutil.which("prometheus", path=f"{programs.UNPACKED}:{os.environ['PATH']}")
    if packaged and version(packaged) >= OLDEST:
        return packaged
    return programs.find_peer("prometheus")


class DifferentialTest(unittest.TestCase):
    def test_random_queries_have_the_same_answers(self):
        done = subprocess.run(
            [sys.executable, HERE / "run.py", "--lockstep", os.environ["LOCKSTEP_PROGRAM"],
             "--prometheus", new_prometheus(), "--seed", str(SEED), "--queries", str(QUERIES)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
