"""Recorded workloads of many kinds are classified correctly over HTTP, in PromQL and in the report."""

import contextlib
import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parent.parent / "support")]
import lockstep_server
import programs
import recorded_jobs

VERDICTS = {
    "dense-bf16": "healthy", "regression": "slower", "spin": "fake_load", "checkpoints": "healthy",
    "decode-eager": "launch_bound", "idle": "idle", "gemm-fp32": "healthy", "tiny-batch": "memory_bound",
    "rollouts": "input_bound", "lengths": "healthy", "leak-foreign": "memory_leak", "hang": "healthy",
    "uneven-work": "uneven_work", "creeping-slowdown": "slower"}
# The speed of their hosts varies by more than 5 %, so longer steps are also a correct answer.
WANDERING = {"decode-eager", "tiny-batch"}


class WorkloadsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = lockstep_server.Server.of_recordings(cls)
        recorded_jobs.write_workloads(cls.server)
        cls.jobs = {job["condition"]: job for job in recorded_jobs.truth("workloads")}

    def ask(self, what, condition, **parameters):
        job = self.jobs[condition]
        return programs.ask(self.server.url, f"training/{what}", job=job["job"],
                            start=job["begin_ms"] / 1000, end=job["end_ms"] / 1000, **parameters)

    def test_gpus_are_classed(self):
        for condition, job in self.jobs.items():
            wanted = job["expected"]["bound"]
            if wanted is None:
                continue
            wanted = {one.replace("-", "_") for one in ([wanted] if isinstance(wanted, str) else wanted)}
            classes = {gpu["class"] for gpu in self.ask("bottlenecks", condition)["gpus"]}
            self.assertLessEqual(classes, wanted, condition)
            self.assertTrue(classes, condition)

    def test_windows_are_classed(self):
        asked = 0
        for condition, job in self.jobs.items():
            windows = self.ask("bottlenecks", condition)["windows"]
            for expected in job["expected"].get("bound_windows", []):
                any_of = {one.replace("-", "_") for one in expected["any_of"]}
                for window in windows:
                    is_inside = (window["from"] * 1000 >= expected["from_ms"] - 500 and
                                 window["to"] * 1000 <= expected["until_ms"] + 500)
                    if is_inside:
                        asked += 1
                        self.assertLessEqual(set(window["classes"]), any_of, condition)
        self.assertGreaterEqual(asked, 8)

    def test_events_are_those_that_were_planted(self):
        judged = {"loss_spike", "hang", "memory_leak", "nan", "saw_tooth_power"}
        for condition, job in self.jobs.items():
            events = self.ask("events", condition)["events"]
            wanted = {event["type"].replace("-", "_") for event in job["expected"]["events"]
                      if "stall" not in event.get("any_of", [])}
            allowed = {kind.replace("-", "_") for kind in job["expected"]["events_allowed"]}
            found = {event["kind"] for event in events} & judged
            self.assertLessEqual(found, wanted | allowed, condition)
            self.assertLessEqual(wanted, found, condition)
        # One long step of one rank without phases: a hang cannot be told from a stalled loader.
        stood = [event for event in self.ask("events", "hang")["events"] if event["kind"] in ("hang", "stall")]
        self.assertEqual([(event["kind"], event["step"]) for event in stood], [("stall", 378)])
        self.assertTrue(stood[0]["words"].startswith("unknown: "))

    def test_operations_are_as_measured(self):
        for condition, job in self.jobs.items():
            for expected in job["expected"]["mfu"]:
                found = self.ask("mfu", condition, **expected["query"])
                if expected["value"] is None:
                    self.assertIsNone(found["mfu"])
                    continue
                nearest = min(abs(found["mfu"] / right - 1)
                              for right in [expected["value"], *expected.get("or", [])])
                self.assertLess(nearest, expected["tolerance"], (condition, expected["query"]))

    def test_the_ledger_books_what_happened(self):
        for condition, job in self.jobs.items():
            ledger = self.ask("ledger", condition)
            for name, seconds in job["expected"].get("ledger", {}).items():
                self.assertAlmostEqual(ledger["bins"][name] / seconds, 1, delta=0.15, msg=condition)
        spin = self.ask("ledger", "spin")
        self.assertGreater(spin["bins"]["fake_load"], 0.8 * spin["gpu_seconds"])
        self.assertLess(spin["goodput"], 0.05)
        # Its GPU is busy for 36 % of the time.
        self.assertLess(self.ask("ledger", "decode-eager")["goodput"], 0.45)

    def test_the_end_is_forecast_half_way(self):
        for condition in ("dense-bf16", "spin", "gemm-fp32", "tiny-batch", "lengths"):
            job = self.jobs[condition]
            half_way = (job["begin_ms"] + job["end_ms"]) / 2000
            end = self.ask("steps", condition)["attempts"][0]["end"][-1]
            found = programs.ask(self.server.url, "training/forecast", job=job["job"], start=job["begin_ms"] / 1000,
                                 end=half_way, total_steps=job["steps"])
            self.assertTrue(found["is_running"], condition)
            self.assertEqual(found["end"]["reason"], "", condition)
            # The recorded hosts wander by 5 to 17 % within a job.
            self.assertAlmostEqual(found["end"]["time"], end, delta=0.15 * (end - half_way), msg=condition)
            self.assertLessEqual(found["end"]["earliest_time"], found["end"]["time"], condition)
            self.assertLessEqual(found["end"]["time"], found["end"]["latest_time"], condition)

    def test_checkpoints_and_memory_are_forecast(self):
        checkpoints = self.ask("forecast", "checkpoints")["checkpoints"]
        self.assertEqual(checkpoints["interval_steps"], self.jobs["checkpoints"]["settings"]["checkpoint_every"])
        self.assertGreater(checkpoints["best_interval_seconds"], checkpoints["seconds_each"])
        leak = self.jobs["leak-foreign"]["expected"]["events"][0]
        memory = self.ask("forecast", "leak-foreign")["memory"]
        steps = self.ask("forecast", "leak-foreign")["pace"]["seconds_per_step"]
        self.assertAlmostEqual(memory["growth_bytes_per_second"] * steps / leak["bytes_per_step"], 1, delta=0.15)
        self.assertAlmostEqual(memory["full_in_seconds"] * memory["growth_bytes_per_second"] / memory["headroom_bytes"], 1,
                               delta=0.05)
        for condition in ("dense-bf16", "lengths"):
            self.assertIsNone(self.ask("forecast", condition)["memory"]["full_in_seconds"], condition)

    def test_ranks_that_share_a_gpu_have_one(self):
        job = self.ask("jobs", "uneven-work")["jobs"][0]
        self.assertEqual((job["gpus"], len(job["ranks"])), (1, 4))
        self.assertTrue(any("GPU" in warning for warning in job["warnings"]))
        ledger = self.ask("ledger", "uneven-work")
        self.assertEqual(ledger["gpus"], 1)
        self.assertAlmostEqual(ledger["gpu_seconds"], ledger["wall_seconds"])
        gpus = self.ask("bottlenecks", "uneven-work")["gpus"]
        self.assertEqual(len({gpu["uuid"] for gpu in gpus}), 1)
        stragglers = self.ask("stragglers", "uneven-work")
        self.assertEqual((stragglers["verdict"], stragglers["ranks"]), ("uneven_work", []))

    def test_one_verdict_wherever_it_is_shown(self):
        with contextlib.closing(self.server.connect()) as connection:
            for condition, job in self.jobs.items():
                listed = self.ask("jobs", condition)["jobs"][0]
                if condition not in WANDERING or listed["verdict"] != "slower":
                    self.assertEqual(listed["verdict"], VERDICTS[condition], condition)
                self.assertTrue(listed["sentence"].endswith("."))
                self.assertGreater(listed["verdict_confidence"]["samples"], 10)
                report = self.ask("report", condition)
                self.assertEqual(report["summary"]["verdict"], listed["verdict"], condition)
                self.assertIn(listed["sentence"], " ".join(report["words"]))
                rows = connection.query(f'lockstep_job_verdict{{job="{job["job"]}"}} == 1',
                                        job["end_ms"] / 1000)
                self.assertEqual([row["metric"]["verdict"] for row in rows], [listed["verdict"]], condition)


if __name__ == "__main__":
    unittest.main()
