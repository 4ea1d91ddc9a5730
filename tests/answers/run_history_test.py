"""A run is compared with earlier runs of the same configuration: since when it is slower, in which
phase, and what changed then."""

import contextlib
import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "support")]
import lockstep_server
import programs

BEGIN_S = 1_700_000_000
RANKS = 4
STEPS = 60


def run_series(job, begin_s, optimizer_s, driver, flops=1e15, sequence=4096):
    """Steps of a second, of which the optimizer takes a part, and a device metric with the driver's version."""
    step_s = 0.9 + optimizer_s
    times = [int(1000 * (begin_s + step_s * (step + 1))) for step in range(STEPS)]
    series = []
    for rank in range(RANKS):
        labels = {"job": job, "rank": str(rank)}
        for name, value, more in (
                ("train_step_time_seconds", step_s, {}), ("train_phase_seconds", 0.9, {"phase": "forward"}),
                ("train_phase_seconds", optimizer_s, {"phase": "optimizer"}), ("train_model_flops", flops, {}),
                ("train_sequence_length", sequence, {}),
                ("DCGM_FI_DEV_POWER_USAGE", 500, {"DCGM_FI_DRIVER_VERSION": driver, "gpu": str(rank), "Hostname": "a"})):
            series.append(({"__name__": name, **labels, **more}, [(at, value) for at in times]))
        series.append(({"__name__": "train_step", **labels}, [(at, step) for step, at in enumerate(times)]))
    return series


class RunHistoryTest(unittest.TestCase):
    def history(self, runs, job):
        server = lockstep_server.Server.of_recordings(type(self))
        with contextlib.closing(server.connect()) as connection:
            for number, (name, settings) in enumerate(runs):
                answer = connection.write(run_series(name, BEGIN_S + 600 * number, **settings))
                self.assertTrue(answer.stored, answer.text)
        return programs.ask(server.url, "training/history", job=job)

    def test_a_slower_run_names_when_it_began_in_which_phase_and_what_is_new(self):
        before = {"optimizer_s": 0.1, "driver": "570.1"}
        after = {"optimizer_s": 0.18, "driver": "580.65"}
        found = self.history([*((f"llm-{n}", before) for n in range(6)), ("llm-6", after), ("llm-7", after),
                              ("llm-8", before)], "llm-7")
        self.assertEqual(found["change"], "slower")
        self.assertAlmostEqual(found["change_ratio"], 0.08, places=3)
        self.assertEqual((found["since"], found["phase"], found["compared_runs"]), ("llm-6", "optimizer", 5))
        self.assertAlmostEqual(found["phase_change_seconds"], 0.08, places=3)
        self.assertIn({"name": "DCGM_FI_DRIVER_VERSION", "before": "570.1", "after": "580.65"}, found["changed_settings"])
        # Not the run that came after it.
        self.assertEqual([run["job"] for run in found["predecessors"]], [f"llm-{n}" for n in range(6, -1, -1)])
        self.assertEqual(found["sentence"],
                         "8.0 % slower than the median of 5 earlier runs, since llm-6; it is the phase optimizer; "
                         "DCGM_FI_DRIVER_VERSION was 570.1 and is 580.65.")

    def test_other_configurations_are_no_predecessors(self):
        same = {"optimizer_s": 0.1, "driver": "570.1"}
        found = self.history([("a", {**same, "flops": 2e15}), ("b", {**same, "sequence": 8192}), ("c", same), ("d", same)], "d")
        self.assertEqual([run["job"] for run in found["predecessors"]], ["c"])
        self.assertEqual(found["change"], "none")

    def test_a_first_run_has_none(self):
        found = self.history([("a", {"optimizer_s": 0.1, "driver": "570.1"})], "a")
        self.assertEqual((found["change"], found["since"], found["predecessors"]), ("unknown", None, []))
        self.assertEqual(found["sentence"], "No earlier run has the same configuration.")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
