"""Over HTTP, exactly the faults planted in recorded jobs are reported, whichever way the recording
came in.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parent.parent / "support")]
import lockstep_server
import programs
import recorded_jobs

CAUSES = {"loader-slow": "loader", "h2d-slow": "h2d", "gpu-slow": "gpu"}
EVENTS = {"loss-spike": "loss_spike", "hang": "hang", "memory-leak": "memory_leak"}


def bound_of(job):
    return {"comm-bound": "communication_bound"}.get(
        job["expected"]["bound"], job["expected"]["bound"].replace("-", "_"))


class Answers:
    """A server with a recording, which `load` writes. Test classes inherit this and
    unittest.TestCase.
    """

    recording = "h200"
    has_devices = True

    @classmethod
    def setUpClass(cls):
        cls.server = lockstep_server.Server.of_recordings(cls)
        cls.load(cls.server)
        cls.jobs = recorded_jobs.truth(cls.recording)

    def ask(self, what, **parameters):
        return programs.ask(self.server.url, f"training/{what}", **parameters)

    def check_straggler(self, job, answer, within_s):
        planted = job["expected"]["straggler"]
        if planted is None or job["job"] == recorded_jobs.TOO_WEAK:
            self.assertEqual((answer["verdict"], answer["ranks"]), ("none", []), job["job"])
            return
        self.assertEqual(answer["verdict"], "slow_rank", job["job"])
        self.assertEqual([rank["rank"] for rank in answer["ranks"]], planted["ranks"])
        rank = answer["ranks"][0]
        if answer["method"] != "own_time":
            self.assertEqual(rank["cause"], CAUSES[planted["cause"]], job["job"])
        interval = job["intervals"][0]
        self.assertAlmostEqual(rank["from"], interval["from_ms"] / 1000, delta=within_s)
        self.assertAlmostEqual(rank["to"], interval["until_ms"] / 1000, delta=within_s)

    def stragglers_by(self, method, within_s):
        for job in self.jobs:
            answer = self.ask("stragglers", job=job["job"], method=method)
            self.assertEqual(answer["method"], method)
            self.check_straggler(job, answer, within_s)


class WithSteps(Answers):
    def test_phase_times_name_the_rank(self):
        self.stragglers_by("phase_times", 1.0)

    def test_own_time_names_the_rank(self):
        self.stragglers_by("own_time", 1.0)

    def test_the_strongest_method_is_taken(self):
        for job in self.jobs:
            answer = self.ask("stragglers", job=job["job"])
            self.assertEqual(answer["method"], "phase_times")
            self.check_straggler(job, answer, 1.0)

    def test_step_time_tells_since_when(self):
        for job in self.jobs:
            answer = self.ask("stragglers", job=job["job"], method="step_time")
            is_slow = job["expected"]["straggler"] and job["job"] != recorded_jobs.TOO_WEAK
            self.assertEqual(answer["verdict"], "job_slow_all" if is_slow else "none", job["job"])

    def test_operations_are_those_that_were_measured(self):
        for job in self.jobs:
            for rank, measured in job.get("measured", {}).get("whole", {}).items():
                if not measured.get("mfu_bf16"):
                    continue
                answer = self.ask("mfu", job=job["job"], gpu_model="NVIDIA H200")
                self.assertAlmostEqual(answer["ranks"][int(rank)]["mfu"] / measured["mfu_bf16"], 1,
                                       delta=0.01)

    def test_events_are_those_that_were_planted(self):
        for job in self.jobs:
            # A learning rate that is too high also shows in the gradients; power that swings with
            # the load is reported rightly.
            found = [event for event in self.ask("events", job=job["job"])["events"]
                     if event["kind"] not in ("grad_spike", "saw_tooth_power")]
            planted = job["expected"]["events"]
            self.assertEqual([event["kind"] for event in found],
                             [EVENTS[event["type"]] for event in planted], job["job"])
            for event, truth in zip(found, planted):
                self.assertEqual(event["ranks"], truth.get("ranks", []), job["job"])
                if truth.get("step") is not None:
                    self.assertEqual(event["step"], truth["step"])

    def test_every_gpu_second_is_in_one_bin(self):
        for job in self.jobs:
            ledger = self.ask("ledger", job=job["job"], price="3.6")
            self.assertEqual(ledger["gpus"], 4)
            self.assertAlmostEqual(sum(ledger["bins"].values()), ledger["gpu_seconds"], places=6)
            self.assertAlmostEqual(ledger["wall_seconds"],
                                   (job["end_ms"] - job["begin_ms"]) / 1000, delta=1)
            if ledger["cost"] is not None:
                self.assertAlmostEqual(ledger["cost"]["total"], ledger["gpu_seconds"] / 1000)


class ListsJobs(Answers):
    def test_jobs_are_listed_the_latest_first(self):
        jobs = self.ask("jobs", start="0")["jobs"]
        self.assertEqual([job["job"] for job in jobs], [job["job"] for job in reversed(self.jobs)])
        for listed, job in zip(jobs, reversed(self.jobs)):
            self.assertEqual((listed["state"], listed["world_size"], listed["warnings"]),
                             ("ended", 4, []))
            self.assertEqual((listed["first_step"], listed["last_step"]), (0, job["steps"] - 1))
            self.assertEqual(listed["signals"], {"steps": True, "phases": True,
                                                 "devices": self.has_devices})

    def test_jobs_can_be_listed_without_verdicts(self):
        judged = self.ask("jobs", start="0")["jobs"]
        listed = self.ask("jobs", start="0", exclude_verdicts="true")["jobs"]
        self.assertTrue(all("sentence" in job for job in judged))
        verdict = {"verdict", "also", "sentence", "verdict_ranks", "verdict_confidence"}
        self.assertEqual(listed, [{name: value for name, value in job.items() if name not in verdict}
                                  for job in judged])


class WithDevices(Answers):
    def test_device_counters_name_the_rank(self):
        self.stragglers_by("device_counters", 2.5)

    def test_bounds_are_those_that_were_planted(self):
        for job in self.jobs:
            answer = self.ask("bottlenecks", job=job["job"])
            self.assertEqual(answer["verdict"], bound_of(job), job["job"])
            for gpu in answer["gpus"]:
                self.assertEqual(gpu["class"], bound_of(job), job["job"])
                self.assertAlmostEqual(sum(gpu["share"].values()), 1)


class ImportedTest(WithSteps, WithDevices, ListsJobs, unittest.TestCase):
    @classmethod
    def load(cls, server):
        recorded_jobs.import_openmetrics(server, os.environ["LOCKSTEP_PROGRAM"])

    def test_without_parameters_the_gpu_is_known(self):
        answer = self.ask("mfu", job="pretrain-bf16")
        self.assertEqual(answer["peak"]["model"], "h200-sxm5-141gb")
        self.assertAlmostEqual(answer["mfu"], 0.4638, delta=0.004)

    def test_a_part_of_a_job_is_asked_by_its_times(self):
        slow = next(job for job in self.jobs if job["job"] == "straggler-gpu")
        from_s = slow["intervals"][0]["from_ms"] / 1000
        before = self.ask("stragglers", job="straggler-gpu", end=from_s)
        self.assertEqual(before["verdict"], "none")
        inside = self.ask("stragglers", job="straggler-gpu", start=from_s)
        self.assertEqual([rank["rank"] for rank in inside["ranks"]], [2])
        self.assertGreaterEqual(inside["from"], from_s - 0.5)

    def test_a_picture_keeps_extremes(self):
        picture = self.ask("heatmap", job="straggler-gpu", metric="lateness", bins="4")
        self.assertEqual((picture["by"], len(picture["bins"]), picture["ranks"]),
                         ("step", 4, [0, 1, 2, 3]))
        # Only the planted rank is late, from the third bin on.
        late = [[value > 0.05 for value in row] for row in picture["mean"]]
        self.assertEqual(late, [[False] * 4, [False] * 4, [False, True, True, True], [False] * 4])
        for lowest, mean, highest in zip(picture["min"][2], picture["mean"][2], picture["max"][2]):
            self.assertTrue(lowest <= mean <= highest)
        hang = self.ask("heatmap", job="hang", metric="DCGM_FI_PROF_GR_ENGINE_ACTIVE", bins="38")
        self.assertEqual(hang["by"], "time")
        self.assertLess(min(value for value in hang["min"][3] if value is not None), 0.05)
        self.assertIn("phase:backward", hang["metrics"])

    def test_a_picture_with_few_rows_keeps_the_late_rank(self):
        question = {"job": "straggler-gpu", "metric": "lateness", "bins": "4"}
        whole = self.ask("heatmap", **question)
        self.assertEqual((whole["rows"][3], whole["furthest"]), ({"first_rank": 3, "last_rank": 3}, []))
        few = self.ask("heatmap", **question, rows="2")
        self.assertEqual(few["rows"], [{"first_rank": 0, "last_rank": 1}, {"first_rank": 2, "last_rank": 3}])
        # Rank 2, the first of its row, is late from the second bin on.
        self.assertEqual([few["furthest"][1][n] for n in (1, 2, 3)], [0, 0, 0])
        for name, choose in (("min", min), ("max", max)):
            self.assertEqual(few[name][1], [choose(pair) for pair in zip(*whole[name][2:])])
        for name in ("mean", "last"):
            self.assertEqual(few[name][1][1:], whole[name][2][1:])
        only = self.ask("heatmap", **question, rows="2", only="mean")
        self.assertEqual((only["mean"], only["min"], only["max"], only["last"]), (few["mean"], [], [], []))

    def test_steps_have_their_times(self):
        steps = self.ask("steps", job="hang")["attempts"][0]
        self.assertEqual((steps["first_step"], steps["last_step"], len(steps["step"])), (0, 127, 128))
        hang = next(job for job in self.jobs if job["job"] == "hang")["expected"]["events"][0]
        self.assertGreater(steps["behind_seconds"][hang["step"]], 10)
        self.assertLess(steps["behind_seconds"][hang["step"] - 1], 1)
        few = self.ask("steps", job="hang", points="2")["attempts"][0]
        self.assertEqual(few["step"], [63, 127])

    def test_runs_are_compared(self):
        answer = self.ask("compare", runs="pretrain-bf16,pretrain-fp8,loss-spike")
        bf16, fp8, spike = answer["runs"]
        self.assertAlmostEqual(fp8["speed"], 0.2045 / 0.2196, delta=0.005)
        self.assertIsNone(fp8["parts_at"])
        planted = next(job for job in self.jobs if job["job"] == "loss-spike")
        self.assertAlmostEqual(spike["parts_at"], planted["expected"]["events"][0]["step"], delta=3)
        self.assertEqual(len(bf16["loss"]), len(answer["at"]))

    def report(self, *flags):
        return subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "report", "--url", self.server.url,
                               *flags], capture_output=True, text=True, check=False)

    def test_the_report_says_it_in_words(self):
        words = self.report("straggler-gpu", "--price", "3.6").stdout
        self.assertIn("Rank 2 (h200-node-0, GPU 2) is late by 12.3 % of a step from step 65 on: "
                      "its GPU does more work", words)
        self.assertIn("It cost 0.16", words)
        self.assertIn("| hang | 66   | 3 ", self.report("hang", "--markdown").stdout)
        data = json.loads(self.report("hang", "--json").stdout)["data"]
        self.assertEqual(data["summary"]["job"], "hang")
        for part in ("stragglers", "bottlenecks", "mfu", "ledger", "events"):
            self.assertEqual(data[part], self.ask(part, job="hang"))
        nobody = self.report("nobody")
        self.assertEqual(nobody.returncode, 1)
        self.assertIn("no data for training job \"nobody\"", nobody.stderr)

    def test_what_is_wrong_is_said(self):
        with contextlib.closing(self.server.connect()) as connection:
            for path, status, words in (
                    ("stragglers", 400, "no job parameter"),
                    ("stragglers?job=nobody", 404, "no data for training job"),
                    ("stragglers?job=hang&method=magic", 400, "not one of collective_waits"),
                    ("stragglers?job=hang&attempt=3", 404, "1 attempts"),
                    ("mfu?job=hang&dtype=bf17", 400, "bf17"),
                    ("ledger?job=hang&price=cheap", 400, "price")):
                answer = connection.get(f"/api/v1/training/{path}")
                self.assertEqual(answer.status, status, path)
                self.assertIn(words, answer.text)


class PushedTest(WithSteps, ListsJobs, unittest.TestCase):
    has_devices = False

    @classmethod
    def load(cls, server):
        recorded_jobs.push_steps(server, cls.recording)

    def test_tokens_are_counted(self):
        answer = self.ask("mfu", job="pretrain-bf16")
        self.assertEqual((answer["consumed_tokens"], answer["consumed_samples"]),
                         (236 * 65536, 236 * 32))
        self.assertIsNone(answer["mfu"])
        self.assertIn("the GPU model is unknown", answer["reason"])


class DevicesAloneTest(WithDevices, unittest.TestCase):
    @classmethod
    def load(cls, server):
        recorded_jobs.write_telemetry(server, cls.recording)

    def test_device_counters_are_the_strongest_method(self):
        self.assertEqual(self.ask("stragglers", job="straggler-loader")["method"],
                         "device_counters")


class RegisteredTest(WithSteps, WithDevices, unittest.TestCase):
    """Counters of an exporter without job labels; the launcher registered which GPU each rank is
    on. Devices are looked up per job, so the list of jobs does not have them.
    """

    @classmethod
    def load(cls, server):
        recorded_jobs.push_steps(server, cls.recording)
        recorded_jobs.write_telemetry(server, cls.recording, names_jobs=False)
        recorded_jobs.register_ranks(server, cls.recording)

    def test_the_gpu_is_known(self):
        answer = self.ask("mfu", job="pretrain-bf16")
        self.assertAlmostEqual(answer["mfu"], 0.4638, delta=0.004)
        self.assertEqual([rank["host"] for rank in answer["ranks"]], ["h200-node-0"] * 4)


class SweepTest(WithSteps, WithDevices, ListsJobs, unittest.TestCase):
    recording = "sweep"

    @classmethod
    def load(cls, server):
        recorded_jobs.push_steps(server, cls.recording)
        recorded_jobs.write_telemetry(server, cls.recording)


class TracesTest(Answers, unittest.TestCase):
    @classmethod
    def load(cls, server):
        for name in ("ar", "st", "se"):
            recorded_jobs.write_trace(server, name, 1_790_000_000_000)

    def test_verdicts_are_those_that_were_published(self):
        answer = self.ask("stragglers", job="ar")
        self.assertEqual((answer["verdict"], answer["also"]), ("slow_rank", []))
        self.assertEqual([rank["rank"] for rank in answer["ranks"]], [0])
        # 26 s more than its peers in each step; steps are a minute apart.
        self.assertAlmostEqual(answer["ranks"][0]["score"], 26.1 / 60, delta=0.01)
        answer = self.ask("stragglers", job="st")
        self.assertEqual((answer["verdict"], answer["ranks"]), ("stage_imbalance", []))
        answer = self.ask("stragglers", job="se")
        self.assertEqual((answer["verdict"], answer["also"], answer["ranks"]),
                         ("uneven_work", ["stage_imbalance"], []))


if __name__ == "__main__":
    unittest.main()
