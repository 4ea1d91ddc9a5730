"""Derived metrics in PromQL agree with the training answers about recorded jobs."""

import contextlib
import os
import pathlib
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parent.parent / "support")]
import lockstep_server
import programs
import recorded_jobs

OF_JOBS = {"lockstep_bottleneck", "lockstep_goodput_ratio", "lockstep_job_verdict", "lockstep_mfu",
           "lockstep_step_time_seconds", "lockstep_straggler", "lockstep_straggler_score",
           "lockstep_wasted_gpu_seconds", "lockstep_tokens_per_second"}


class DerivedMetricsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = lockstep_server.Server.of_recordings(cls)
        recorded_jobs.import_openmetrics(cls.server, os.environ["LOCKSTEP_PROGRAM"])
        cls.jobs = {job["job"]: job for job in recorded_jobs.truth("h200")}

    def query(self, text, time_s):
        with contextlib.closing(self.server.connect()) as connection:
            return connection.query(text, time_s)

    def values(self, text, time_s, *labels):
        return {tuple(row["metric"].get(label) for label in labels): float(row["value"][1])
                for row in self.query(text, time_s)}

    def test_mfu_is_that_of_the_answer(self):
        for name in ("pretrain-bf16", "pretrain-fp8"):
            found = self.values(f'quantile_over_time(0.5, lockstep_mfu{{job="{name}"}}[1m])',
                                self.jobs[name]["end_ms"] / 1000, "rank")
            for rank, measured in self.jobs[name]["measured"]["whole"].items():
                self.assertAlmostEqual(found[(rank,)] / measured["mfu_bf16"], 1, delta=0.01)

    def test_mfu_is_the_same_by_operations_of_steps_and_by_operations_per_second(self):
        recorded_jobs.write(self.server, recorded_jobs.operations("h200", "pretrain-bf16", "by-step"))
        end_s = self.jobs["pretrain-bf16"]["end_ms"] / 1000
        # All of their steps, each at its own time.
        text = 'avg_over_time(lockstep_mfu{{job="{}"}}[1h])'
        by_second = self.values(text.format("pretrain-bf16"), end_s + 10, "rank", "gpu", "dtype")
        by_step = self.values(text.format("by-step"), end_s + 10, "rank", "gpu", "dtype")
        self.assertEqual(by_second.keys(), by_step.keys())
        for key, mfu in by_second.items():
            # The recording has some 450 TFLOP/s with three decimals.
            self.assertAlmostEqual(by_step[key] / mfu, 1, delta=0.0005 / 450)
        self.assertEqual(len(self.query('lockstep_mfu{job="by-step"}', end_s + 30)), 4)
        self.assertEqual(self.query('lockstep_mfu{job="by-step"}', end_s + 120), [])

    def test_the_straggler_is_named_while_it_is_one(self):
        for name, rank, cause in (("straggler-gpu", "2", "gpu"), ("straggler-loader", "1", "loader"),
                                  ("straggler-pcie", "3", "h2d")):
            planted = self.jobs[name]["intervals"][0]
            text = f'lockstep_straggler{{job="{name}"}}'
            self.assertEqual(self.values(text, planted["until_ms"] / 1000, "rank", "cause"),
                             {(rank, cause): 1})
            before = self.values(text, planted["from_ms"] / 1000 - 2, "rank", "cause")
            self.assertNotIn(1, before.values())
            score = self.values(f'lockstep_straggler_score{{job="{name}"}} > 0.05',
                                planted["until_ms"] / 1000, "rank")
            self.assertEqual(list(score), [(rank,)])

    def test_healthy_jobs_have_no_straggler(self):
        for name, job in self.jobs.items():
            if job["expected"]["straggler"] is None:
                self.assertEqual(
                    self.query(f'lockstep_straggler{{job="{name}"}}', job["end_ms"] / 1000), [])

    def test_bounds_are_those_that_were_planted(self):
        for name, bound in (("input-bound", "input_bound"), ("comm-bound", "communication_bound"),
                            ("memory-bound-stream", "memory_bound"), ("fake-load", "fake_load")):
            found = self.values(f'count by (class) (lockstep_bottleneck{{job="{name}"}} == 1)',
                                self.jobs[name]["end_ms"] / 1000, "class")
            self.assertEqual(found, {(bound,): 4})

    def test_the_ledger_is_that_of_the_answer(self):
        for name in ("straggler-loader", "hang"):
            ledger = programs.ask(self.server.url, "training/ledger", job=name)
            found = self.values(f'lockstep_wasted_gpu_seconds{{job="{name}"}}',
                                self.jobs[name]["end_ms"] / 1000, "bin")
            for (bin_name,), seconds in found.items():
                self.assertAlmostEqual(seconds, ledger["bins"][bin_name], delta=4)

    def test_step_times_are_those_of_the_steps(self):
        end_s = self.jobs["pretrain-bf16"]["end_ms"] / 1000
        derived = self.values('sum_over_time(lockstep_step_time_seconds{job="pretrain-bf16"}[2m])',
                              end_s, "job")
        stored = self.values('avg by (job) (sum_over_time('
                             'train_step_time_seconds{job="pretrain-bf16"}[2m]))', end_s, "job")
        self.assertAlmostEqual(derived[("pretrain-bf16",)], stored[("pretrain-bf16",)], places=2)

    def test_names_may_be_a_regular_expression(self):
        end_s = self.jobs["straggler-gpu"]["end_ms"] / 1000
        found = self.query('count by (__name__) ({__name__=~"lockstep_(mfu|straggler_score)", job="straggler-gpu"})', end_s)
        self.assertEqual({row["metric"]["__name__"]: row["value"][1] for row in found},
                         {"lockstep_mfu": "4", "lockstep_straggler_score": "4"})

    def test_they_end_with_the_job(self):
        end_s = self.jobs["memory-leak"]["end_ms"] / 1000
        self.assertEqual(len(self.query('lockstep_mfu{job="memory-leak"}', end_s + 30)), 4)
        self.assertEqual(self.query('lockstep_mfu{job="memory-leak"}', end_s + 120), [])

    def test_peaks_are_series(self):
        peaks = self.values('lockstep_gpu_peak_flops{model="h200-sxm5-141gb"}', 1_700_000_000, "dtype")
        self.assertEqual(peaks[("bf16",)], 989.4e12)
        self.assertEqual(peaks[("fp8",)], 1978.9e12)

    def test_a_range_query_is_that_of_its_steps(self):
        end_s = self.jobs["straggler-gpu"]["end_ms"] / 1000
        matrix = programs.ask(self.server.url, "query_range", query="max(lockstep_straggler_score)",
                              start=end_s - 30, end=end_s, step=10)["result"][0]["values"]
        for time_s, value in matrix:
            self.assertEqual(float(self.query("max(lockstep_straggler_score)", time_s)[0]["value"][1]),
                             float(value))

    def test_queries_are_asked_by_training_steps(self):
        steps = programs.ask(self.server.url, "training/steps", job="straggler-gpu")["attempts"][0]
        matrix = programs.ask(self.server.url, "query_range", axis="step", job="straggler-gpu",
                              query='train_step{job="straggler-gpu",rank="0"}',
                              start=10, end=100, step=30)["result"]
        self.assertEqual(matrix[0]["values"], [[10, "10"], [40, "40"], [70, "70"], [100, "100"]])
        # Device counters too: their values at the ends of steps.
        text = 'max(DCGM_FI_PROF_SM_ACTIVE{job="straggler-gpu"})'
        by_step = programs.ask(self.server.url, "query_range", axis="step", job="straggler-gpu",
                               query=text, start=50, end=52)["result"][0]["values"]
        self.assertEqual([step for step, _ in by_step], [50, 51, 52])
        for step, value in by_step:
            at = self.query(text, steps["end"][step])
            self.assertEqual(value, at[0]["value"][1])
        with contextlib.closing(self.server.connect()) as connection:
            for query, words in (("axis=step", "requires the parameter"), ("axis=epoch", "must be time or step"),
                                 ("axis=step&job=nobody", "no data for training job"),
                                 ("axis=step&job=hang&start=9&end=3", "is before the first"),
                                 (f"axis=step&job=hang&start={-2**63}&end=9", "must be a number of training")):
                answer = connection.get(f"/api/v1/query_range?query=up&{query}")
                self.assertGreaterEqual(answer.status, 400)
                self.assertIn(words, answer.text)

    def test_a_counter_is_divided_among_steps(self):
        """Against the counter's samples, on straight lines between them."""
        selector = 'DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{job="straggler-gpu",rank="2"}'
        steps = programs.ask(self.server.url, "training/steps", job="straggler-gpu")["attempts"][0]
        samples = [(time_s, float(value)) for time_s, value in
                   self.query(f"{selector}[10m]", self.jobs["straggler-gpu"]["end_ms"] / 1000 + 60)[0]["values"]]

        def at(time_s):
            for (begin_s, before), (end_s, after) in zip(samples, samples[1:]):
                if begin_s <= time_s <= end_s:
                    return before + (after - before) * (time_s - begin_s) / (end_s - begin_s)
            return None

        found = programs.ask(self.server.url, "query_range", axis="step", job="straggler-gpu", query=selector,
                             per_step="increase")["result"]
        self.assertEqual(len(found), 1)
        amounts = {step: float(value) for step, value in found[0]["values"]}
        self.assertGreater(len(amounts), 150)
        for step in range(1, len(steps["end"])):
            ends = at(steps["end"][step - 1]), at(steps["end"][step])
            self.assertEqual(step in amounts, None not in ends, step)
            if step in amounts:
                self.assertAlmostEqual(amounts[step], ends[1] - ends[0], delta=1e-6 * ends[1])
        # A GPU of at most 700 W, and steps of 0.2 s: millijoules.
        self.assertLess(max(amounts[step] for step in range(50, 150)), 0.3 * 700e3)

    def test_a_chart_has_all_extremes(self):
        end_s = self.jobs["straggler-gpu"]["end_ms"] / 1000
        selector = 'DCGM_FI_DEV_POWER_USAGE{job="straggler-gpu",rank="0"}'
        times = {"start": end_s - 30, "end": end_s, "step": 10}
        found = programs.ask(self.server.url, "query_range", query=selector, reduce="min,max,last,count", **times)
        self.assertEqual(len(found["result"]), 4)
        for row in found["result"]:
            name = row["metric"].pop("__reduce__")
            by_function = programs.ask(self.server.url, "query_range", query=f"{name}_over_time({selector}[10s])", **times)
            self.assertEqual(row["values"], by_function["result"][0]["values"], name)

    def test_they_are_listed(self):
        names = set(programs.ask(self.server.url, "label/__name__/values"))
        self.assertTrue(OF_JOBS | {"lockstep_gpu_peak_flops"} <= names)
        metadata = programs.ask(self.server.url, "metadata")
        self.assertEqual(metadata["lockstep_mfu"][0]["type"], "gauge")
        self.assertEqual(metadata["lockstep_wasted_gpu_seconds"][0]["type"], "counter")
        ranks = programs.ask(self.server.url, "label/rank/values",
                             match='lockstep_mfu{job="hang"}')
        self.assertEqual(ranks, ["0", "1", "2", "3"])

    def test_without_jobs_they_are_not_listed(self):
        with tempfile.TemporaryDirectory() as folder:
            server = lockstep_server.Server.ready(pathlib.Path(folder))
            try:
                self.assertEqual(programs.ask(server.url, "label/__name__/values"), [])
                self.assertEqual(programs.ask(server.url, "metadata"), {})
            finally:
                server.kill()


if __name__ == "__main__":
    unittest.main()
