"""What the pages of docs/sending say is true: configurations are accepted; lines, tables and logs
are accepted and become the series in the pages' tables. The commands on the first page work.

LOCKSTEP_PROGRAM names the server. The logs are those of tests/training_logs.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "tests/grafana")]
import programs
from recordings import Recordings

PAGES = ROOT / "docs/sending"
LOGS = ROOT / "tests/training_logs/data"
FIELDS = ROOT / "tests/catalogue/data/dcgm_fields.csv"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NAME = re.compile(r"`((?:train|gpu_torch|lockstep)_\w+)(?:\{([^`]*)\})?`")
# For each page: logs, how they are pushed, and the entries of its tables that those logs do not
# have.
PUSHED = {
    "nemo": (("nemo/bf16_run.log", {}),),
    "megatron": (("megatron_lm/timers_all.log", {}), ("megatron_lm/timers_minmax.log", {}),
                 ("megatron_lm/timers_max.log", {})),
    "torchtitan": (("torchtitan/rank0.log", {}),),
    "huggingface": (("hf_trainer/trainer_state.json", {}), ("hf_trainer/stdout.log", {"logging_steps": "10"})),
    "lightning": (("lightning_csv/version_2/metrics.csv", {"path": "lightning_logs/version_2/metrics.csv"}),),
}

# In the order of all_reduce_perf: out of place, then in place.
NCCL_TESTS = """\
# nThread 1 nGpus 8 minBytes 8388608 maxBytes 16777216 step: 2(factor) warmup iters: 5 iters: 20 validation: 1
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
     8388608       2097152     float     sum      -1    78.10  107.41  187.97      0    77.90  107.68  188.45      0
    16777216       4194304     float     sum      -1    74.89  224.03  392.05      0    74.80  224.29  392.51      0
# Avg bus bandwidth    : 290.245
"""


def text(page):
    return (PAGES / f"{page}.md").read_text()


def blocks(page, kind):
    return [content for one, content in BLOCK.findall(text(page)) if one == kind]


class SendersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Recordings(cls).lockstep

    def post(self, route, body, **parameters):
        url = f"{self.server.url}{route}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(urllib.request.Request(url, body), timeout=60) as answer:
            self.assertEqual(answer.status, 200)

    def names(self, job):
        found = programs.ask(self.server.url, "series", match=f'{{job="{job}"}}', start=0)
        return {(labels["__name__"], name, value) for labels in found for name, value in labels.items()}

    def test_logs_become_the_series_that_tables_name(self):
        for page, logs in PUSHED.items():
            for name, parameters in logs:
                self.post("/api/v1/push/log", (LOGS / name).read_bytes(), job=f"of-{page}", **parameters)
            stored = self.names(f"of-{page}")
            self.assertTrue(stored, page)
            for metric, labels in NAME.findall(text(page)):
                with self.subTest(page=page, metric=metric):
                    self.assertIn((metric, "__name__", metric), stored)
                    for label, value in re.findall(r'(\w+)="(\w+)"', labels):
                        self.assertIn((metric, label, value), stored)

    def test_lines_of_the_shell_page(self):
        [script] = [block for block in blocks("curl", "") if "<<'END'" in block]
        lines = re.search(r"<<'END'\n(.*?)END", script, re.S)[1].encode()
        self.post("/api/v1/push/steps", lines)
        self.assertIn(("train_grad_norm", "rank", "3"), self.names("pretrain-7"))

    def rows_by_awk(self, command, table):
        """The output of the page's awk program."""
        [script] = [block for block in blocks("curl", "") if block.startswith(command)]
        awk = shlex.split(re.search(r"\| (awk .*') \|", script)[1])
        return subprocess.run(awk, input=table, check=True, capture_output=True, text=True).stdout.encode()

    def value_of(self, query):
        [row] = programs.ask(self.server.url, "query", query=query)["result"]
        return float(row["value"][1])

    def test_tables_of_the_shell_page(self):
        lines = self.rows_by_awk("all_reduce_perf", NCCL_TESTS)
        self.post("/api/v1/push/steps", lines)
        self.assertEqual(self.value_of('max_over_time(bus_bandwidth_bytes_per_second{job="nccl-baseline"}[1h])'), 392.05e9)
        self.assertEqual(self.value_of('max_over_time(message_bytes{job="nccl-baseline"}[1h])'), 16777216)
        self.post("/api/v1/push/steps", self.rows_by_awk("nvidia-smi", "3, 97, 71532, 688.12\n"))
        self.assertEqual(self.value_of('gpu_memory_used_bytes{job="pretrain-7",rank="3"}'), 71532 * 2**20)
        self.assertEqual(self.value_of('gpu_power_watts{job="pretrain-7",rank="3"}'), 688.12)

    def test_scrape_configurations_are_accepted(self):
        [configuration] = [block for block in blocks("dcgm-exporter", "yaml") if "scrape_configs" in block]
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write(configuration)
            file.flush()
            subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "check", "config", file.name], check=True,
                           capture_output=True)

    def test_counters_are_dcgms(self):
        known = set(re.findall(r"DCGM_FI_\w+", FIELDS.read_text()))
        [counters] = blocks("dcgm-exporter", "csv")
        for line in counters.splitlines():
            name, kind, words = (part.strip() for part in line.split(",", 2))
            with self.subTest(name=name):
                self.assertIn(name, known)
                self.assertIn(kind, ("gauge", "counter"))
                self.assertTrue(words)

    def test_commands_of_the_first_page(self):
        page = (ROOT / "docs/start.md").read_text()
        commands = [shlex.split(block.replace("\\\n", "")) for kind, block in BLOCK.findall(page)
                    if re.match("lockstep (jobs|report|ranks)", block)]
        self.assertEqual(len(commands), 3)
        for command in commands:
            with self.subTest(command=command):
                # The demo moves the times of the recording; here they stay.
                all_times = ["--start", "0"] if command[1] == "jobs" else []
                result = subprocess.run([os.environ["LOCKSTEP_PROGRAM"], *command[1:], *all_times,
                                         "--url", self.server.url],
                                        check=True,
                                        capture_output=True, text=True)
                self.assertIn("straggler-loader", result.stdout)
        self.assertIn("ank 1", result.stdout)


if __name__ == "__main__":
    unittest.main()
