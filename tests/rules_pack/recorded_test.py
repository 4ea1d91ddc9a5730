"""The shipped rules over recorded jobs: exactly the rules about the planted faults fire. Also six
queries that people commonly bring along, unchanged; docs/cookbook.md tests the forms that answer
the same questions.

The jobs last half a minute each, so the durations in rules are divided by sixty.
"""

import contextlib
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/answers"), str(ROOT / "tests/support")]
import lockstep_server
import recorded_jobs

ALL_GPUS = {"0", "1", "2", "3"}
# By planted fault. Memory-bound kernels, tiny kernels and pure exchange use no tensor cores;
# decoding has few warps, and so does a hanging job: rank 3 is idle and the others spin; the leak is
# on all ranks.
FIRING = {
    "StragglerFound": {"straggler-gpu": {"2"}, "straggler-loader": {"1"}, "straggler-pcie": {"3"}},
    "GpuTensorCoresIdle": {job: ALL_GPUS for job in ("memory-bound-stream", "memory-bound-decode",
                                                     "fake-load", "comm-bound")},
    "GpuOccupancyLow": {"memory-bound-decode": ALL_GPUS, "hang": ALL_GPUS},
    "GpuMemoryLeaks": {"memory-leak": ALL_GPUS},
}
# About counters and signals that are in the recordings, but for which no fault was planted. The
# hanging job hangs for less than a minute, which is no alert yet; tests/live has jobs that hang for
# longer.
SILENT = {"GpuDoubleBitEcc", "GpuIsHot", "MfuDropped", "MfuImpossible", "JobMakesNoProgress", "JobCrashed", "RankNotReporting"}
SCALED = {"GpuMemoryLeaks"}


def expressions():
    """{alert: its expression}"""
    found = {}
    for path in (ROOT / "rules_pack").glob("*.yml"):
        text = path.read_text()
        for name, folded, line in re.findall(
                r"- alert: (\w+)\n +expr: (?:\|\n((?: {6}.*\n)+)|(.*)\n)", text):
            found[name] = folded or line
    return found


def scaled(expression):
    """Divides every duration by sixty: minutes become seconds, and seconds 17 ms. A leak is
    followed for three such hours instead of one, because the recorded one leaves that much memory.
    """
    expression = re.sub(r"\b(\d+)s\b", lambda found: f"{1000 * int(found[1]) // 60}ms", expression)
    expression = re.sub(r"\b(\d+)m\b", r"\1s", expression)
    return expression.replace(", 60)", ", 1)").replace(", 3600)", ", 180)")


# Query, a job, and the least and greatest value of that job's four GPUs at its end; None: no result
# for any job.
QUERIES = (
    ("DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) * 100", "pretrain-bf16", (20, 40)),
    # SM_ACTIVE counts warps that wait for memory.
    ("DCGM_FI_PROF_DRAM_ACTIVE > 0.8 and DCGM_FI_PROF_SM_ACTIVE < 0.3", "memory-bound-stream", None),
    # It fires on a hang, but on no straggler.
    ("stddev_over_time(DCGM_FI_PROF_SM_ACTIVE[5m]) > 0.15", "hang", (0.15, 0.5)),
    # The counter is a gauge: no result, even where GPU 3 is sent 3 GB in each step.
    ("rate(DCGM_FI_PROF_PCIE_RX_BYTES[1m]) > 15e9", "straggler-pcie", None),
    ("avg_over_time(DCGM_FI_DEV_POWER_USAGE[5m])", "pretrain-bf16", (600, 700)),
    # Dollars per second: 0.08 an hour.
    ("(DCGM_FI_DEV_POWER_USAGE / 1000) * 0.12 * (1/3600)", "pretrain-bf16", (0.07 / 3600, 0.085 / 3600)),
)


class RecordedRules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = lockstep_server.Server.of_recordings(cls)
        recorded_jobs.import_openmetrics(cls.server, os.environ["LOCKSTEP_PROGRAM"])
        cls.jobs = recorded_jobs.truth("h200")
        cls.rules = expressions()

    def moments(self, job):
        """When the fault is visible, and in the middle of the job's events."""
        yield job["end_ms"] / 1000 - 1
        for event in job["expected"]["events"]:
            if "until_ms" in event:
                yield event["until_ms"] / 1000 - 1

    def firing(self, name, job):
        """The GPUs of the job for which the rule fires; {None}: the job as a whole."""
        text = scaled(self.rules[name]) if name in SCALED else self.rules[name]
        gpus = set()
        with contextlib.closing(self.server.connect()) as connection:
            for moment in self.moments(job):
                gpus |= {row["metric"].get("gpu") for row in connection.query(text, moment)
                         if row["metric"].get("job") == job["job"]}
        return gpus

    def test_what_was_planted_fires_and_nothing_else(self):
        for name in FIRING.keys() | SILENT:
            for job in self.jobs:
                self.assertEqual(self.firing(name, job), FIRING.get(name, {}).get(job["job"], set()),
                                 (name, job["job"]))

    def test_queries_that_people_bring_along_run_unchanged(self):
        for text, name, expected in QUERIES:
            [end] = [job["end_ms"] / 1000 - 1 for job in self.jobs if job["job"] == name]
            with contextlib.closing(self.server.connect()) as connection:
                rows = connection.query(text, end)
            values = [float(row["value"][1]) for row in rows if row["metric"].get("job") == name]
            if expected is None:
                self.assertEqual(rows, [], text)
                continue
            self.assertEqual(len(values), 4, text)
            self.assertTrue(expected[0] <= min(values) and max(values) <= expected[1], (text, values))


if __name__ == "__main__":
    unittest.main(verbosity=2)
