"""Imports runs of real trackers (W&B offline, MLflow's database and files, TensorBoard) and
compares them with what was reported to the trackers, value by value.

LOCKSTEP_PROGRAM names the program. The trackers are installed from PyPI on the first run.
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "support"))
import lockstep_server
import pypi

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
WITHIN_S = 300
ALL_TIME = "30y"


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


class TrackersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = pypi.environment("import-trackers", FOLDER / "tracker_requirements.txt")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-trackers-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.runs = self.folder / "runs"
        self.runs.mkdir()
        self.server = lockstep_server.Server.ready(self.folder, f"--storage.retention.time={ALL_TIME}")
        self.addCleanup(self.server.stop)

    def track(self, what):
        """What track.py reported to the tracker."""
        result = subprocess.run([self.python, FOLDER / "track.py", what, self.runs], capture_output=True, text=True,
                                timeout=WITHIN_S, check=False, cwd=self.runs,
                                env=dict(os.environ, HOME=str(self.folder)))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        lines = [line for line in result.stdout.splitlines() if line.startswith("told ")]
        return json.loads(lines[-1].removeprefix("told "))

    def run_import(self, *arguments, status=0):
        result = subprocess.run([PROGRAM, "import", "--to", self.server.url, *map(str, arguments)],
                                capture_output=True, text=True, timeout=WITHIN_S, check=False)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def series(self, selector):
        """[(labels, [[time s, value]])] of everything stored."""
        connection = self.server.connect()
        try:
            result = connection.query(f"{selector}[{ALL_TIME}]", time.time() + 10 * 365 * 86400)
        finally:
            connection.close()
        return [(one["metric"], [(at, float(value)) for at, value in one["values"]]) for one in result]

    def samples(self, selector):
        found = self.series(selector)
        self.assertEqual(len(found), 1, (selector, [labels for labels, _ in found]))
        return found[0][1]

    def by_step(self, metric, labels):
        """[(step, value)] ordered by time, with the step that is stored at the same time."""
        steps = dict(self.samples("lockstep_step{%s}" % labels))
        return [(steps[at], value) for at, value in self.samples("%s{%s}" % (metric, labels))]

    def check_values(self, metric, labels, expected):
        stored = self.by_step(metric, labels)
        self.assertEqual([step for step, _ in stored], [step for step, _ in expected], (metric, labels))
        for (step, value), (_, told) in zip(stored, expected):
            self.assertTrue(same(value, told), (metric, labels, step, value, told))

    def count(self):
        return sum(len(samples) for _, samples in self.series('{__name__=~".+"}'))

    def check_count(self, result):
        """The number of stored samples is the one that the import prints."""
        said = result.stdout.splitlines()[-1].split()
        self.assertEqual(int(said[1].replace(",", "")), self.count(), result.stdout)

    def check_again(self, *arguments):
        """Importing the same again stores nothing, and says so."""
        before = sorted((sorted(labels.items()), str(samples)) for labels, samples in self.series('{__name__=~".+"}'))
        again = self.run_import(*arguments)
        self.assertIn("imported 0 samples of ", again.stdout)
        after = sorted((sorted(labels.items()), str(samples)) for labels, samples in self.series('{__name__=~".+"}'))
        self.assertEqual(after, before)

    def test_wandb(self):
        told = self.track("wandb")
        result = self.run_import(self.runs)
        self.check_count(result)
        names = {"train/loss": "train_loss", "val/loss": "validation_loss", "epoch": "epoch"}
        for run, rows in told["runs"].items():
            run, rank = run.split("/")
            labels = f'job="proj",run="{run}"' + (f',rank="{rank}"' if rank else "")
            scale = 1 if rank else 10
            for key, metric in names.items():
                if key in rows[0]:
                    self.check_values(metric, labels, [(scale * step, row[key]) for step, row in enumerate(rows)])
            if rank:
                self.check_values("nested_a", labels, [(step, row["nested"]["a"]) for step, row in enumerate(rows)])
                self.check_values("nested_b_c", labels,
                                  [(step, row["nested"]["b"]["c"]) for step, row in enumerate(rows)])
        # Images, histograms, lists and texts are not samples, and W&B's own logs are not imported.
        self.assertEqual([labels for labels, _ in self.series('{__name__=~"image.*|histogram.*|list.*|text|flag|_.*"}')], [])
        self.assertIn("2 images, histograms, tables and the like were left out", result.stdout)
        self.assertEqual({labels.get("job") for labels, _ in self.series('{__name__=~".+"}')}, {"proj"})
        self.check_system(told["system"])
        self.check_again(self.runs)

    def check_system(self, system):
        ids = {labels["id"]: labels for labels, _ in self.series("wandb_run_info")}
        self.assertEqual(ids.keys(), system.keys())
        self.assertEqual(ids["solo1234"]["run"], "solo1234")
        compared = 0
        for run, rows in system.items():
            labels = ",".join(f'{name}="{ids[run][name]}"' for name in ("run", "rank") if name in ids[run])
            for key, metric, scale in (("memory_percent", "node_memory_used_percent", 1),
                                       ("proc.memory.rssMB", "process_resident_memory_bytes", 2**20),
                                       ("proc.cpu.threads", "process_threads", 1)):
                expected = [(at / 1000, scale * value) for at, name, value in rows if name == key]
                compared += len(expected)
                self.assertEqual(self.samples("%s{%s}" % (metric, labels)) if expected else [], expected, (run, key))
        self.assertGreater(compared, 10)

    def test_a_run_of_wandb_that_crashed(self):
        told = self.track("wandb")
        (path,) = [path for path in self.runs.glob("wandb/offline-run-*/*.wandb") if "solo1234" not in str(path)][:1]
        whole = path.read_bytes()
        shutil.rmtree(self.runs / "wandb")
        path.parent.mkdir(parents=True)
        # Within a record that begins where another one ended.
        within = whole.index(b"train/loss", len(whole) * 6 // 10) + 1
        path.write_bytes(whole[:within])
        result = self.run_import("--job", "j", path.parent)
        self.assertIn("its last record is truncated: the run crashed or is still running", result.stdout)
        (labels, samples), = self.series("train_loss")
        self.assertEqual((labels["job"], labels["run"]), ("j", "exp"))
        rows = told["runs"][f'exp/{labels["rank"]}']
        self.assertTrue(10 < len(samples) < len(rows), len(samples))
        self.check_values("train_loss", 'job="j"', [(step, rows[step]["train/loss"]) for step in range(len(samples))])
        # The run continued: only what is new is stored.
        before = self.count()
        path.write_bytes(whole)
        result = self.run_import("--job", "j", path.parent)
        self.check_values("train_loss", 'job="j"', [(step, row["train/loss"]) for step, row in enumerate(rows)])
        said = int(result.stdout.splitlines()[-1].split()[1].replace(",", ""))
        self.assertEqual(said, self.count() - before)

    def test_folders_without_anything_to_import(self):
        folder = self.runs / "wandb/offline-run-20260302_091500-ab"
        (folder / "logs").mkdir(parents=True)
        (folder / "logs/notes.md").write_text("nothing\n")
        result = self.run_import(self.runs, status=1)
        self.assertIn("nothing to import: none of its 1 files is complete and of a known format",
                      result.stderr)
        self.assertIn("1 folder with nothing to import", result.stdout)
        (self.runs / "empty").mkdir()
        self.assertIn("the folder has no files", self.run_import(self.runs / "empty", status=1).stderr)
        log = self.runs / "train.log"
        log.write_text("iter 10: loss 4.1234, time 123.45ms, mfu 41.20%\n")
        self.run_import(log, self.runs / "empty", status=3)

    def check_mlflow(self, told, job):
        names = {"loss": "train_loss", "nested/accuracy": "nested_accuracy"}
        for run, about in told.items():
            for key, metric in names.items():
                labels = f'run="{run}"'
                self.check_values(metric, labels, [(step, row[key]) for step, row in enumerate(about["rows"])])
                self.assertEqual(self.series("%s{%s}" % (metric, labels))[0][0].get("job"), job(about))

    def test_mlflow_database(self):
        told = self.track("mlflow")
        result = self.run_import(self.runs)
        self.assertIn(": mlflow: ", result.stdout)
        self.assertIn("1 values of deleted runs were left out", result.stdout)
        self.check_count(result)
        self.check_mlflow(told, lambda about: about["experiment"])
        self.assertEqual({labels["run"] for labels, _ in self.series("train_loss")}, set(told))
        infos = {labels["run"]: (labels["name"], labels["experiment"]) for labels, _ in self.series("mlflow_run_info")}
        self.assertEqual(infos, {run: (about["name"], about["experiment"]) for run, about in told.items()})
        self.check_again(self.runs)
        # Three runs under one name would be merged.
        self.assertIn("it contains 3 runs", self.run_import("--run", "r", self.runs / "mlflow.db", status=1).stderr)
        other = self.runs / "other"
        other.mkdir()
        (other / "a.db").write_bytes((self.runs / "mlflow.db").read_bytes()[:5000])
        self.run_import(other, status=1)

    def test_mlflow_files(self):
        told = self.track("files")
        self.run_import("--job", "j", self.runs)
        self.check_mlflow(told, lambda about: "j")
        self.check_again("--job", "j", self.runs)

    def test_tensorboard(self):
        told = self.track("tensorboard")
        result = self.run_import("--job", "tb", self.runs)
        self.check_count(result)
        names = {"train/loss": "train_loss", "lr": "train_learning_rate"}
        for run, scalars in told.items():
            for tag in {tag for tag, _, _ in scalars}:
                expected = [(step, value) for other, value, step in scalars if other == tag]
                stored = self.by_step(names[tag], f'run="{run}"')
                if run in ("fast", "tags"):
                    self.assertEqual(stored, expected, run)
                # Where times go back, or several files have the same ones, steps are between
                # others.
                self.assertEqual(sorted(stored), sorted(expected), run)
        self.check_again("--job", "tb", self.runs)


if __name__ == "__main__":
    unittest.main()
