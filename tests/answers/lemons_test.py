"""GPUs that are slow in job after job are named over HTTP, from the steps of the jobs alone."""

import contextlib
import pathlib
import random
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "support")]
import lockstep_server
import programs

BEGIN_S = 1_700_000_000
GPUS = 64
GPUS_OF_HOST = 8
JOBS = 150
RANKS = 8
STEPS = 40
LEMONS = {13: 0.02, 40: 0.03}


def job_series(name, begin_s, gpus, rng, slow):
    """Steps as a trainer logs them, with the host and the UUID of the GPU as labels."""
    own = [0.8 * (1 + slow.get(gpu, 0)) * (1 + rng.gauss(0, 0.004)) for gpu in gpus]
    step_s = max(own) + 0.02
    series = []
    for rank, gpu in enumerate(gpus):
        labels = {"job": name, "rank": str(rank), "Hostname": f"host-{gpu // GPUS_OF_HOST}",
                  "gpu": str(gpu % GPUS_OF_HOST), "UUID": f"GPU-{gpu}"}
        times = [int(1000 * (begin_s + step_s * (step + 1))) for step in range(STEPS)]
        for metric, value in (("train_step_time_seconds", lambda: step_s),
                              ("train_phase_seconds:compute", lambda: own[rank] * (1 + rng.gauss(0, 0.002))),
                              ("train_phase_seconds:allreduce", lambda: step_s - own[rank])):
            metric, _, phase = metric.partition(":")
            key = {"__name__": metric, **labels, **({"phase": phase} if phase else {})}
            series.append((key, [(at, value()) for at in times]))
        series.append(({"__name__": "train_step", **labels}, [(at, step) for step, at in enumerate(times)]))
    return series


def write_fleet(connection, prefix, slow):
    rng = random.Random(7)
    for number in range(JOBS):
        gpus = rng.sample(range(GPUS), RANKS)
        answer = connection.write(job_series(f"{prefix}-{number}", BEGIN_S + 100 * number, gpus, rng, slow))
        assert answer.stored, answer.text


class LemonsTest(unittest.TestCase):
    def serve(self, slow):
        server = lockstep_server.Server.of_recordings(type(self))
        with contextlib.closing(server.connect()) as connection:
            write_fleet(connection, "train", slow)
        return server

    def test_lemons_are_named_with_their_jobs(self):
        server = self.serve(LEMONS)
        for _ in range(2):  # the second time, from what is kept
            found = programs.ask(server.url, "fleet/lemons")
            self.assertEqual(found["attempts"], JOBS)
            self.assertEqual(found["gpus_judged"], GPUS)
            self.assertEqual({lemon["uuid"] for lemon in found["lemons"]}, {f"GPU-{gpu}" for gpu in LEMONS})
            self.assertEqual(found["undecided"], [])
            for lemon in found["lemons"]:
                gpu = int(lemon["uuid"].removeprefix("GPU-"))
                self.assertEqual((lemon["kind"], lemon["host"]), ("gpu", f"host-{gpu // GPUS_OF_HOST}"))
                self.assertAlmostEqual(lemon["late_ratio"], LEMONS[gpu], delta=0.006)
                self.assertEqual(len(lemon["evidence"]), lemon["jobs"])
                self.assertTrue(lemon["sentence"].startswith("late by "))
        # Before half of the jobs had run.
        early = programs.ask(server.url, "fleet/lemons", end=BEGIN_S + 100 * 15)
        self.assertEqual((early["attempts"], early["lemons"]), (15, []))

    def test_a_healthy_fleet_has_none(self):
        found = programs.ask(self.serve({}).url, "fleet/lemons")
        self.assertEqual((found["lemons"], found["undecided"]), ([], []))
        self.assertEqual(found["gpus_judged"], GPUS)

    def test_an_empty_store_has_none(self):
        server = lockstep_server.Server.of_recordings(type(self))
        found = programs.ask(server.url, "fleet/lemons")
        self.assertEqual((found["lemons"], found["attempts"]), ([], 0))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
