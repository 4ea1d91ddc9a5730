"""`lockstep import` with files of every kind and a real server: what is stored is what the files
contain.

LOCKSTEP_PROGRAM names the program. Expected values were counted by Python over the raw files, or
come from their README.
"""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "support"))
import lockstep_server

PROJECT = ROOT.parent
LOGS = ROOT / "training_logs/data"
STEPS = ROOT / "training/data/h200/steps.jsonl.gz"
METRICS = PROJECT / "demo/data/metrics.om.gz"
TRACES = PROJECT / "import/traces/testdata"
BLOCK = PROJECT / "import/tsdb_blocks/testdata/block"
PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
# The number of new samples comes before the number of samples in the file.
OTHERS = re.compile(r"; ([0-9,]+) (?:already stored|replaced a sample of the same series and time)")
REPORT = re.compile(r"^(.+?): ([a-z_ ]+): ([0-9,]+) samples of ([0-9,]+) series(?:, ([0-9,]+) steps)?", re.M)
IMPORT_WITHIN_S = 300
ALL_TIME = "30y"


def number(text):
    return int((text or "0").replace(",", ""))


def samples_of_text(lines):
    """{series as written: number of samples} of exposition text with times."""
    counts = {}
    for line in lines:
        if line and not line.startswith("#"):
            series = line.rsplit(" ", 2)[0]
            counts[series] = counts.get(series, 0) + 1
    return counts


class ImportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-import-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = self.serve()

    def serve(self, **more):
        server = lockstep_server.Server.ready(self.folder, "--storage.retention.time=30y", **more)
        self.addCleanup(server.stop)
        return server

    def run_import(self, *arguments, status=0):
        result = subprocess.run([PROGRAM, "import", "--to", self.server.url, *map(str, arguments)],
                                capture_output=True, text=True, timeout=IMPORT_WITHIN_S)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def reports(self, *arguments, status=0):
        """{path: (format, samples, series, steps)}"""
        stdout = self.run_import(*arguments, status=status).stdout
        return {path: (form, number(samples), number(series), number(steps))
                for path, form, samples, series, steps in REPORT.findall(stdout)}

    def held(self, *arguments, status=0):
        """Like reports(), with all samples of a file, and the number of new ones in all files."""
        stdout = self.run_import(*arguments, status=status).stdout
        held, new = {}, 0
        for line in stdout.splitlines():
            for path, form, samples, series, steps in REPORT.findall(line):
                others = sum(map(number, OTHERS.findall(line)))
                held[path] = (form, number(samples) + others, number(series), number(steps))
                new += number(samples)
        return held, new

    def query(self, text):
        connection = self.server.connect()
        try:
            return connection.query(text, time.time() + 3600)
        finally:
            connection.close()

    def value(self, text):
        result = self.query(text)
        return float(result[0]["value"][1]) if result else None

    def sample_count(self, selector='{__name__=~".+"}'):
        return int(self.value(f"sum(count_over_time({selector}[{ALL_TIME}]))") or 0)

    def test_a_recording_of_real_gpus(self):
        """The steps and the metrics of the same jobs, as a user would import both."""
        steps = [json.loads(line) for line in gzip.decompress(STEPS.read_bytes()).splitlines()]
        report = self.reports(STEPS)[str(STEPS)]
        self.assertEqual((report[0], report[3]), ("steps", len(steps)))
        self.assertEqual(self.sample_count("lockstep_step"), len(steps))
        self.assertEqual(self.sample_count("train_loss"),
                         sum("reduced_train_loss" in step for step in steps))
        stored = self.sample_count()
        self.assertEqual(stored, report[1])

        text = samples_of_text(gzip.decompress(METRICS.read_bytes()).decode().splitlines())
        report = self.reports("--job", "unused", METRICS)[str(METRICS)]
        self.assertEqual(report[:3], ("openmetrics", sum(text.values()), len(text)))
        device = sum(count for series, count in text.items() if series.startswith("DCGM_"))
        self.assertEqual(self.sample_count('{__name__=~"DCGM_.*"}'), device)
        # Again: nothing is new.
        everything = self.sample_count()
        self.run_import(STEPS, METRICS)
        self.assertEqual(self.sample_count(), everything)

    def test_every_log_is_recognised_and_stored_once(self):
        expected = json.loads((LOGS / "expected.json").read_text())
        (self.folder / "logs").mkdir()
        logs = self.folder / "logs/all"
        shutil.copytree(LOGS, logs)
        dry = self.reports("--dry-run", "--job", "j", logs, status=3)
        self.assertEqual(self.sample_count(), 0)
        for name, truth in expected.items():
            with self.subTest(name=name):
                parser = "steps" if name.endswith(".jsonl") and truth["parser"] == "jsonl" else truth["parser"]
                self.assertIn(str(logs / name), dry)
                self.assertEqual(dry[str(logs / name)][0].replace("jsonl", "steps"), parser.replace("jsonl", "steps"))
        # Only the broken lines of one file are left out. Some files of one folder have the same
        # steps, and each import counts what it added.
        held, new = self.held("--job", "j", logs, status=3)
        self.assertEqual(held, dry)
        stored = self.sample_count()
        self.assertGreater(stored, 10_000)
        self.assertEqual(new, stored)
        self.assertEqual(self.held("--job", "j", logs, status=3), (dry, 0))
        self.assertEqual(self.sample_count(), stored)
        # A server that forgot its streams receives everything again and stores nothing twice.
        address = self.server.address
        self.server.kill()
        self.server = self.serve(http=address)
        self.run_import("--job", "j", logs, status=3)
        self.assertEqual(self.sample_count(), stored)

    def test_ranks_of_a_tree(self):
        self.run_import("--job", "j", LOGS / "torchrun")
        ranks = self.query('count by (rank, run) (count_over_time(train_loss{run="8f2c"}[30y]))')
        self.assertEqual(sorted(series["metric"]["rank"] for series in ranks), ["0", "1", "2", "3"])

    def test_final_values_of_real_runs(self):
        """As stated in the README of the logs."""
        self.run_import(LOGS / "real")
        at_step = "last_over_time(%s[30y]) and on (run, attempt) (last_over_time(lockstep_step[30y]) == %d)"
        events = TRACES / "tensorboard/hf_trainer.tfevents"
        report = self.reports("--run", "tb", events)[str(events)]
        self.assertEqual(report[0], "tensorboard")
        self.assertAlmostEqual(self.value('last_over_time(train_loss{run="tb"}[30y])'), 6.342394, places=5)
        self.assertAlmostEqual(self.value('last_over_time(validation_loss{run="tb"}[30y])'), 6.271109, places=5)
        self.assertEqual(self.value('last_over_time(lockstep_step{run="tb"}[30y])'), 120)
        self.assertAlmostEqual(self.value('last_over_time(train_loss{run="lightning_csv/version_0"}[30y])'),
                               4.640894, places=5)

    def test_profiles(self):
        kineto = sorted((TRACES / "kineto").glob("h200_*.json.gz"))
        reports = self.reports("--job", "k", *kineto)
        self.assertEqual({report[0] for report in reports.values()}, {"kineto"})
        for path in kineto:
            trace = json.loads(gzip.decompress(path.read_bytes()))
            kernels = [event for event in trace["traceEvents"] if event.get("cat") == "kernel"]
            stored = 'sum(last_over_time(train_kernels{rank="%d",class!~"mem.*"}[30y]))'
            self.assertEqual(self.value(stored % trace["distributedInfo"]["rank"]), len(kernels))
        self.run_import("--job", "three_steps", *sorted((TRACES / "kineto").glob("*.pt.trace.json")))
        for rank in range(4):
            self.assertEqual(self.sample_count(f'train_step_time_seconds{{job="three_steps",rank="{rank}"}}'), 3)

        table = TRACES / "nsys/profile_cuda_gpu_kern_sum.csv"
        self.assertEqual(self.reports("--job", "n", table)[str(table)][0], "nsys")
        self.assertAlmostEqual(
            self.value('last_over_time(nsys_kernel_seconds{stat="total",kernel=~"sm90_xmma.*"}[30y])'),
            1.9325503230, places=9)

    def test_a_store_of_a_prometheus(self):
        data = self.folder / "prometheus"
        shutil.copytree(BLOCK, data / "01M82DMRRCAEW6C81BY9KX2X9R")
        for name in ("wal", "chunks_head"):
            (data / name).mkdir()
        result = self.run_import("--resume", data)
        self.assertIn("wal is left out", result.stderr)
        report = REPORT.findall(result.stdout)[0]
        self.assertEqual(report[1], "tsdb block")
        text = samples_of_text((BLOCK.parent / "samples.om").read_text().splitlines())
        self.assertEqual((number(report[2]), number(report[3])), (sum(text.values()), len(text)))
        for series, count in text.items():
            self.assertEqual(self.sample_count(series), count, series)
        self.assertEqual(list(data.glob("*.lockstep-offset")), [])

    def test_a_file_of_no_known_format_costs_no_other(self):
        tree = self.folder / "tree"
        tree.mkdir()
        (tree / "notes.md").write_text("# Notes\n\nNothing to see.\n")
        (tree / "weights.bin").write_bytes(bytes(range(256)) * 64)
        (tree / "stderr.log").write_bytes(b"")
        (tree / "train.log").write_text("iter 10: loss 4.1234, time 123.45ms, mfu 41.20%\n")
        result = self.run_import("--job", "j", tree)
        self.assertEqual(self.sample_count("train_loss"), 1)
        self.assertIn("notes.md: unknown format\n", result.stderr)
        self.assertIn("; 2 of unknown format", result.stdout)
        # An explicitly named file is imported.
        result = self.run_import("--job", "j", tree / "notes.md", tree / "train.log", tree / "none", status=3)
        self.assertIn("none: cannot open it", result.stderr)
        self.assertIn("notes.md: its first 25 bytes match no known format (openmetrics, ",
                      result.stderr)
        self.run_import(tree / "notes.md", status=1)

    def test_standard_input_and_zstd(self):
        line = b'{"job":"j","rank":0,"step":%d,"time":%d,"loss":2.5}\n'
        lines = b"".join(line % (step, 1_700_000_000 + step) for step in range(100))
        result = subprocess.run([PROGRAM, "import", "--to", self.server.url, "-"], input=gzip.compress(lines),
                                capture_output=True, timeout=IMPORT_WITHIN_S)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.sample_count("lockstep_step"), 100)


if __name__ == "__main__":
    unittest.main()
