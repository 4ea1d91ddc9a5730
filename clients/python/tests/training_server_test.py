"""Training answers of a real server as objects: they must match what was planted in the recording."""

import json
import pathlib
import unittest

import recording
from lockstep import Client

try:
    import pandas
except ImportError:
    pandas = None

TRUTH = pathlib.Path(recording.PATH).parent / "truth.json"
BEGIN, END = 1795242000, 1795242600


class TrainingServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        client = Client(recording.serve(cls))
        cls.addClassCleanup(client.close)
        cls.training = client.training
        cls.truth = {job["job"]: job for job in json.loads(TRUTH.read_text())["jobs"]}

    def check_html(self, answer, *words):
        shown = answer._repr_html_()
        for word in words:
            self.assertIn(word, shown)

    def test_jobs(self):
        jobs = self.training.jobs(BEGIN, END)
        self.assertEqual({job.job for job in jobs}, set(self.truth))
        job = jobs["straggler-pcie"]
        self.assertEqual((job.world_size, job.gpus, job.hosts, job.state), (4, 4, ["h200-node-0"], "ended"))
        self.assertRaises(KeyError, lambda: jobs["no-such-job"])
        self.check_html(jobs, "13 jobs", "straggler-pcie", "NVIDIA H200")
        self.check_html(job, "straggler-pcie: ended")

    def test_stragglers(self):
        for name, cause in (("straggler-gpu", "gpu"), ("straggler-loader", "loader"), ("straggler-pcie", "h2d")):
            with self.subTest(job=name):
                found = self.training.stragglers(name)
                self.assertEqual([(rank.rank, rank.cause) for rank in found.ranks],
                                 [(rank, cause) for rank in self.truth[name]["affected_ranks"]])
                self.assertGreater(found.lost_gpu_seconds, found.lost_seconds)
                self.check_html(found, "slow_rank", cause, "own_time_excess", "without them")
        self.assertEqual(self.training.stragglers("pretrain-bf16").ranks, [])

    def test_bottlenecks(self):
        found = self.training.bottlenecks("input-bound")
        self.assertEqual([gpu.class_ for gpu in found.gpus], ["input_bound"] * 4)
        self.check_html(found, "input_bound", "loader workers", "DCGM_FI_PROF_GR_ENGINE_ACTIVE 0.39")

    def test_mfu(self):
        found = self.training.mfu("pretrain-bf16")
        self.assertAlmostEqual(found.mfu, self.truth["pretrain-bf16"]["measured"]["whole"]["0"]["mfu_bf16"], places=2)
        self.assertEqual(len(found.ranks), 4)
        self.check_html(found, "MFU 46.", "bf16")
        self.check_html(self.training.mfu("fake-load"), "MFU unknown")

    def test_ledger(self):
        ledger = self.training.ledger("straggler-loader", price=3.2)
        self.assertAlmostEqual(sum(ledger.bins.values()), ledger.gpu_seconds, places=6)
        self.assertAlmostEqual(ledger.cost["total"], ledger.gpu_seconds / 3600 * 3.2, places=6)
        self.check_html(ledger, "goodput", "straggler wait", "wasted")

    def test_forecast(self):
        forecast = self.training.forecast("straggler-loader", total_steps=1e6, price=3.2)
        self.assertEqual(forecast.end["reason"], "the job has ended")
        self.assertAlmostEqual(forecast.cost["spent"], forecast.cost["gpu_hours"] * 3.2)
        self.assertEqual(sorted(forecast.unknown), ["attempt", "from", "to"])
        self.check_html(forecast, "the job has ended", "headroom_ratio")

    def test_events(self):
        events = self.training.events("loss-spike")
        planted = self.truth["loss-spike"]["expected"]["events"][0]
        self.assertIn(("loss_spike", planted["step"]), [(event.kind, event.step) for event in events])
        self.check_html(events, "loss_spike", str(planted["step"]))

    def test_report(self):
        report = self.training.report("straggler-gpu")
        self.assertEqual([rank.rank for rank in report.stragglers.ranks], [2])
        self.assertEqual(report.summary.job, "straggler-gpu")
        self.check_html(report, report.words[0], "slow_rank", "goodput")

    def test_nothing_of_note_is_left_unknown(self):
        """Only machine-readable fields may be unknown; fields for people are attributes."""
        told = {name: sorted(answer.unknown) for name, answer in (
            ("stragglers", self.training.stragglers("straggler-gpu")), ("mfu", self.training.mfu("pretrain-bf16")),
            ("ledger", self.training.ledger("pretrain-bf16")), ("job", self.training.jobs(BEGIN, END)["hang"]))}
        self.assertEqual(told, {
            "stragglers": ["also", "attempt", "evidence", "from", "methods", "presets", "slow_since", "to"],
            "mfu": ["attempt", "consumed_samples", "consumed_tokens", "from", "is_above_peak", "mfu_of_wall", "to",
                    "tokens_per_second_per_gpu", "work_varies"],
            "ledger": ["from", "to"], "job": []})

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_pictures_as_frames(self):
        comparison = self.training.compare(["pretrain-bf16", "pretrain-fp8"])
        frame = comparison.to_pandas()
        self.assertEqual(list(frame.columns), ["pretrain-bf16", "pretrain-fp8"])
        self.assertEqual(frame.index.name, "step")
        gap = (frame["pretrain-fp8"] - frame["pretrain-bf16"]).dropna()
        pandas.testing.assert_series_equal(gap, comparison.to_pandas("loss_gap")["pretrain-fp8"].dropna(),
                                           check_names=False)

        by_step = self.training.heatmap("straggler-loader", "own_seconds", by="step").to_pandas()
        self.assertEqual(list(by_step.columns), [0, 1, 2, 3])
        self.assertEqual(by_step.loc[100:].mean().idxmax(), 1)
        by_time = self.training.heatmap("straggler-loader", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", by="time").to_pandas()
        self.assertEqual(by_time.tail(10).mean().idxmin(), 1)

        steps = self.training.steps("pretrain-bf16").to_pandas()
        self.assertEqual(len(steps), self.truth["pretrain-bf16"]["steps"])
        self.assertAlmostEqual(steps["step_seconds"].median(), 0.2045, places=3)

    def test_pictures_show_themselves(self):
        self.check_html(self.training.compare(["pretrain-bf16", "pretrain-fp8"]), "2 runs, by step", "pretrain-fp8")
        self.check_html(self.training.heatmap("straggler-loader", "own_seconds"), "own_seconds (seconds)", "rgba(",
                        "<th>3</th>")
        self.check_html(self.training.steps("pretrain-bf16"), "1 attempts")


if __name__ == "__main__":
    unittest.main()
