"""Runs every query of docs/cookbook.md over the recorded jobs: no errors, and the results that the
page promises.

LOCKSTEP_PROGRAM names the server. The first line of a block says after "promql" what to expect:

  at=JOB        evaluate at the end of that job, whose name replaces JOB; some jobs are logs of
                tests/training_logs, or traces
  ago=SECONDS   so long before that
  gives=N       N series;  some: at least one, and fewer than there are ranks or bins
  rank=R        one series, of that rank
  value=X       the value of every series, within 1.5 %
  unrecorded=W  the recordings have no such series, but there must be no error
"""

import datetime
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/grafana"))
from recordings import Recordings
from programs import ask

PAGE = ROOT / "docs/cookbook.md"
BLOCK = re.compile(r"^```promql ?([^\n]*)\n(.*?)^```$", re.M | re.S)
RELATIVE_TOLERANCE = 0.015
LOGS = ROOT / "tests/training_logs/data"
# Job, its logs, and the time of the last line.
LOGS_BY_JOB = (
    ("nccl-inspector", [f"nccl/inspector/node0-pid424{rank + 2}.log" for rank in range(4)],
     lambda line: json.loads(line)["metadata"]["dump_timestamp_us"] / 1e6),
    ("wandb-events", ["wandb/events.jsonl"], lambda line: json.loads(line)["_timestamp"]),
    ("nemo-bf16", ["nemo/bf16_run.log"], None),
    ("nemo-fp8", ["nemo/fp8_run.log"], None),
    ("megatron-zeros", ["megatron_lm/energy_skipped.log"],
     lambda line: datetime.datetime.fromisoformat(f"{line[2:28].decode()}+00:00").timestamp()),
)
TRACES = ROOT / "import/traces/testdata"
# Job, and the files that `lockstep import` reads for it.
TRACES_BY_JOB = (
    ("kineto-ranks", [f"kineto/rank{rank}.pt.trace.json" for rank in range(4)]),
    ("nsys-tables", ["nsys/profile_cuda_gpu_kern_sum.csv", "nsys/profile_nvtx_sum.csv"]),
)
LAST_SAMPLE = re.compile(r" to (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)Z")


def blocks():
    """(expectations, query)"""
    for words, query in BLOCK.findall(PAGE.read_text()):
        pairs = (word.partition("=") for word in words.split())
        yield {name: value for name, _, value in pairs}, query.strip()


def ends():
    """{job: when it ended, in Unix seconds}"""
    texts = [(ROOT / "demo/data/truth.json").read_text(),
             gzip.decompress((ROOT / "tests/training/data/sweep/truth.json.gz").read_bytes()).decode()]
    return {job["job"]: job["end_ms"] / 1000 for text in texts for job in json.loads(text)["jobs"]}


def push_logs(server):
    """{job: the time of its last line, in Unix seconds}; lines without a time have that of their
    arrival.
    """
    told = {}
    for job, names, last in LOGS_BY_JOB:
        for name in names:
            log = (LOGS / name).read_bytes()
            urllib.request.urlopen(f"{server.url}/api/v1/push/log?job={job}", log, timeout=60).close()
        told[job] = time.time() + 1 if last is None else last(log.splitlines()[-1])
    return told


def import_traces(server):
    """{job: a time after its last sample, in Unix seconds}"""
    told = {}
    for job, names in TRACES_BY_JOB:
        done = subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "import", "--to", server.url, "--job", job,
                               *(str(TRACES / name) for name in names)], check=True, capture_output=True, text=True)
        last = max(LAST_SAMPLE.findall(done.stdout))
        told[job] = datetime.datetime.fromisoformat(f"{last}+00:00").timestamp() + 1
    return told


class CookbookTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Recordings(cls).lockstep
        cls.ends = {**ends(), **push_logs(cls.server), **import_traces(cls.server)}

    def ask(self, expected, query):
        job = expected.get("at", "pretrain-bf16")
        time_s = self.ends[job] - float(expected.get("ago", 0))
        return ask(self.server.url, "query", query=query.replace("JOB", job), time=f"{time_s:.3f}")["result"]

    def check(self, expected, rows):
        if "rank" in expected:
            self.assertEqual([row["metric"].get("rank") for row in rows], [expected["rank"]])
        if "gives" in expected:
            self.assertEqual(len(rows), int(expected["gives"]), rows)
        if "some" in expected:
            self.assertGreater(len(rows), 0)
        if "unrecorded" in expected:
            self.assertEqual(rows, [])
        for row in rows if "value" in expected else ():
            wanted = float(expected["value"])
            self.assertAlmostEqual(float(row["value"][1]), wanted, delta=RELATIVE_TOLERANCE * wanted)

    def test_queries_give_what_the_page_says(self):
        for expected, query in blocks():
            with self.subTest(query=query, expected=expected):
                self.assertTrue({"rank", "gives", "some", "unrecorded"} & set(expected), "nothing is said of it")
                self.check(expected, self.ask(expected, query))

    def test_there_are_some(self):
        self.assertGreater(len(list(blocks())), 40)

    def test_no_healthy_job_is_blamed(self):
        """Queries that name one rank name none without a planted fault."""
        for expected, query in blocks():
            if "rank" in expected:
                with self.subTest(query=query):
                    self.assertEqual(self.ask({"at": "pretrain-bf16"}, query), [])


if __name__ == "__main__":
    unittest.main()
