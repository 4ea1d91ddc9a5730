"""The real server must find the faults planted in the recording (demo/data/truth.json)."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEMO = ROOT / "demo/demo.py"


def run_demo(folder, *arguments):
    result = subprocess.run(
        [sys.executable, str(DEMO), *arguments], env={**os.environ, "LOCKSTEP_DEMO_FOLDER": folder},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode != 0:
        raise AssertionError(result.stdout)
    return result.stdout


def rows_of(output, title):
    """The rows of the table under the heading that begins with `title`, without the table's
    heading.
    """
    section = output.split(f"\n{title}", 1)[1].split("\n\n", 1)[0]
    return [re.sub(r"^  \| ", "", line).split()
            for line in section.splitlines() if line.startswith("  | ")][1:]


class DemoTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-demo-")
        cls.addClassCleanup(folder.cleanup)
        cls.addClassCleanup(run_demo, folder.name, "stop")
        cls.output = run_demo(folder.name, "run", "--lockstep", os.environ["LOCKSTEP_PROGRAM"])
        truth = json.loads((ROOT / "demo/data/truth.json").read_text())
        cls.jobs = {job["job"]: job for job in truth["jobs"]}

    def test_stragglers_are_named(self):
        for title, job in (("3b.", "straggler-gpu"), ("3c.", "straggler-loader"),
                           ("3d.", "straggler-pcie")):
            planted = self.jobs[job]["affected_ranks"]
            self.assertEqual([(row[0], int(row[1])) for row in rows_of(self.output, title)],
                             [(job, rank) for rank in planted])

    def test_memory_bound_gpus_are_found_by_the_corrected_rule_alone(self):
        self.assertEqual(rows_of(self.output, "2. "), [])
        self.assertEqual([row[:3] for row in rows_of(self.output, "2b.")],
                         [["memory-bound-stream", str(i), str(i)] for i in range(4)])

    def test_every_job_has_its_cost(self):
        self.assertEqual({row[0] for row in rows_of(self.output, "6b.")}, set(self.jobs))

    def test_it_says_where_the_server_is_and_how_to_stop_it(self):
        self.assertRegex(self.output, r"keeps running on http://127\.0\.0\.1:\d+")
        self.assertIn("./dev demo stop", self.output)


if __name__ == "__main__":
    unittest.main()
