"""lockstep answers random queries over random data like a real Prometheus 3.

LOCKSTEP_PROGRAM names the server. Runs next to the Prometheus of tools/build_prometheus.sh, with
data and queries derived from the commit, so that every commit tests others. Without it, a small
number of queries runs next to the packaged Prometheus if that is new enough, or else next to the
other peer; without any of them the test is skipped. With CI=true, only the first will do.
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
NEWEST_PEER = "prometheus-next"
QUERIES = 4000
# Older references were compared with these seeds; a seed per commit might find unexplained
# differences.
OLD_QUERIES = 500
OLD_SEED = 1


def version(program):
    said = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False).stdout
    found = re.search(r"version (\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def older_prometheus():
    packaged = shutil.which("prometheus", path=f"{programs.UNPACKED}:{os.environ['PATH']}")
    if packaged and version(packaged) >= OLDEST:
        return packaged
    return programs.find_peer("prometheus")


def seed_of_commit():
    """A number derived from the commit; constant without git."""
    said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False).stdout
    return int(said[:8], 16) if re.match(r"[0-9a-f]{40}", said) else OLD_SEED


def what_to_ask():
    """(Prometheus, seed, number of queries)"""
    newest = programs.PEERS / NEWEST_PEER
    if newest.exists():
        return str(newest), seed_of_commit(), QUERIES
    if os.environ.get("CI") == "true":
        raise FileNotFoundError(f"{newest} is missing: run './dev setup test'")
    return older_prometheus(), OLD_SEED, OLD_QUERIES


class DifferentialTest(unittest.TestCase):
    def test_random_queries_have_the_same_answers(self):
        prometheus, seed, queries = what_to_ask()
        print(f"{queries} queries of seed {seed} beside {prometheus}")
        done = subprocess.run(
            [sys.executable, HERE / "run.py", "--lockstep", os.environ["LOCKSTEP_PROGRAM"],
             "--prometheus", prometheus, "--seed", str(seed), "--queries", str(queries)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
