"""The same number is the same in the API, the report and PromQL, for every recorded job."""

import contextlib
import os
import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parent.parent / "support")]
import lockstep_server
import programs
import recorded_jobs


class AgreementTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = lockstep_server.Server.of_recordings(cls)
        recorded_jobs.import_openmetrics(cls.server, os.environ["LOCKSTEP_PROGRAM"])
        recorded_jobs.write_workloads(cls.server)
        cls.jobs = recorded_jobs.truth("h200") + recorded_jobs.truth("workloads")

    def ask(self, what, job, **parameters):
        return programs.ask(self.server.url, f"training/{what}", job=job["job"],
                            start=job["begin_ms"] / 1000, end=job["end_ms"] / 1000, **parameters)

    def values(self, text, time_s, *labels):
        with contextlib.closing(self.server.connect()) as connection:
            return {tuple(row["metric"].get(label) for label in labels): float(row["value"][1])
                    for row in connection.query(text, time_s)}

    def each(self):
        for job in self.jobs:
            with self.subTest(job=job["job"], condition=job.get("condition")):
                yield job

    def test_the_report_holds_the_answers(self):
        for job in self.each():
            report = self.ask("report", job)
            for part in ("stragglers", "bottlenecks", "mfu", "ledger", "events"):
                self.assertEqual(report[part], self.ask(part, job), part)
            self.assertEqual(report["summary"], self.ask("jobs", job)["jobs"][0])

    def test_the_verdict_is_one(self):
        for job in self.each():
            listed = self.ask("jobs", job)["jobs"][0]
            found = self.values(f'lockstep_job_verdict{{job="{job["job"]}"}} == 1',
                                job["end_ms"] / 1000, "verdict")
            self.assertEqual(list(found), [(listed["verdict"],)])
            self.assertNotIn(listed["verdict"], listed["also"])

    def test_gpus_are_counted_once(self):
        for job in self.each():
            listed = self.ask("jobs", job)["jobs"][0]
            ledger = self.ask("ledger", job)
            self.assertEqual(ledger["gpus"], listed["gpus"])
            self.assertAlmostEqual(ledger["gpu_seconds"], ledger["wall_seconds"] * listed["gpus"], places=6)

    def test_the_ledger_adds_up(self):
        for job in self.each():
            ledger = self.ask("ledger", job, price="3.6")
            bins = ledger["bins"]
            self.assertGreaterEqual(min(bins.values()), 0)
            self.assertAlmostEqual(sum(bins.values()), ledger["gpu_seconds"], places=6)
            wasted = sum(seconds for name, seconds in bins.items() if name != "productive")
            self.assertGreaterEqual(ledger["wasted_gpu_seconds"], 0)
            self.assertAlmostEqual(ledger["wasted_gpu_seconds"], wasted, places=9)
            self.assertAlmostEqual(ledger["goodput"], bins["productive"] / ledger["gpu_seconds"])
            self.assertAlmostEqual(ledger["cost"]["wasted"], ledger["wasted_gpu_seconds"] / 1000, places=9)

    def test_the_ledger_in_promql_is_that_of_the_answer(self):
        for job in self.each():
            bins = self.ask("ledger", job)["bins"]
            found = self.values(f'lockstep_wasted_gpu_seconds{{job="{job["job"]}"}}',
                                job["end_ms"] / 1000, "bin")
            for (name,), seconds in found.items():
                # The metric ends with the last step, the answer with the job.
                if name != "idle_held":
                    self.assertAlmostEqual(seconds, bins[name], places=6, msg=name)
            missing = {name for name, seconds in bins.items() if seconds > 0} - {name for (name,) in found}
            self.assertLessEqual(missing, {"productive", "idle_held"})

    def test_a_straggler_costs_the_same_everywhere(self):
        for job in self.each():
            answer = self.ask("stragglers", job)
            gpus = self.ask("jobs", job)["jobs"][0]["gpus"]
            self.assertAlmostEqual(answer["lost_gpu_seconds"], answer["lost_seconds"] * gpus, places=6)
            self.assertEqual(answer["what_if"]["saved_seconds"], answer["lost_seconds"])
            self.assertEqual(answer["what_if"]["saved_gpu_seconds"], answer["lost_gpu_seconds"])
            if len(answer["ranks"]) == 1 and answer["ranks"][0]["lost_seconds"] is not None:
                self.assertAlmostEqual(answer["ranks"][0]["lost_seconds"], answer["lost_seconds"], places=9)

    def test_stragglers_in_promql_are_those_of_the_answer(self):
        for job in self.each():
            answer = self.ask("stragglers", job)
            late = {(str(rank["rank"]), rank["cause"]) for rank in answer["ranks"] if rank["is_open"]}
            found = self.values(f'lockstep_straggler{{job="{job["job"]}"}} == 1', job["end_ms"] / 1000,
                                "rank", "cause")
            self.assertEqual(set(found), late)

    def test_classes_in_promql_are_those_of_the_windows(self):
        for job in self.each():
            answer = self.ask("bottlenecks", job)
            found = self.values(f'avg_over_time(lockstep_bottleneck{{job="{job["job"]}"}}[1h])',
                                job["end_ms"] / 1000 + 1, "rank", "class")
            for gpu in answer["gpus"]:
                for name, share in gpu["share"].items():
                    self.assertAlmostEqual(found.get((str(gpu["rank"]), name), 0), share, places=9)

    def test_a_share_above_the_peak_is_said(self):
        for job in self.each():
            answer = self.ask("mfu", job)
            self.assertEqual(answer["is_above_peak"], (answer["hfu"] or 0) > 1)
            # On CUDA cores, the fp32 peak of an H200 is a seventh of its bf16 peak.
            wrong = self.ask("mfu", job, dtype="fp32")
            if wrong["is_above_peak"]:
                self.assertIn("not possible", wrong["reason"])

    def test_every_answer_carries_its_confidence(self):
        for job in self.each():
            for what in ("stragglers", "bottlenecks", "mfu", "ledger", "events"):
                confidence = self.ask(what, job)["confidence"]
                self.assertEqual(set(confidence), {"steps", "samples", "margin", "missing"}, what)
                self.assertGreater(confidence["samples"] + confidence["steps"], 0, what)


if __name__ == "__main__":
    unittest.main()
