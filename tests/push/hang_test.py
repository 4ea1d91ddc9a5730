"""Dumps of hung ranks, imported and pushed to a real server, and what it says of them.

LOCKSTEP_PROGRAM names the server. The dumps are those of tests/training/flight_recorder.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "support"))
import lockstep_server

DUMPS = ROOT / "training/flight_recorder/dumps"
TRUTH = json.loads((ROOT / "training/flight_recorder/truth.json").read_text())

# What a rank says that waits in the first collective of all ranks, which it does not name.
WAITS = {"version": "2.10", "entries": [{"record_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 1,
                                         "profiling_name": "gloo:all_reduce", "state": "scheduled"}]}


class HangTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.start()

    def start(self):
        self.server = lockstep_server.Server.ready(self.folder)
        self.addCleanup(self.server.kill)

    def run_program(self, *arguments):
        return subprocess.run([os.environ["LOCKSTEP_PROGRAM"], *map(str, arguments)], capture_output=True, text=True,
                              timeout=120, check=False)

    def load(self, job, *paths, flags=()):
        return self.run_program("import", "--to", self.server.url, "--job", job, *flags, *paths)

    def ask(self, job, **parameters):
        connection = lockstep_server.Connection(self.server.address)
        answer = connection.get("/api/v1/training/hang", job=job, **parameters)
        connection.close()
        return answer

    def hang(self, job):
        return json.loads(self.ask(job).body)["data"]

    def send(self, job, rank, body):
        connection = lockstep_server.Connection(self.server.address)
        answer = connection.send("POST", f"/api/v1/push/dump?job={job}&rank={rank}", body)
        connection.close()
        return answer

    def test_every_scenario_is_recognised_and_explained(self):
        for scenario, truth in TRUTH.items():
            with self.subTest(scenario=scenario):
                files = [path for path in sorted((DUMPS / scenario).iterdir()) if path.name != "fr_trace.txt"]
                done = self.load(scenario, *files)
                self.assertEqual(done.returncode, 0, done.stderr)
                found = self.hang(scenario)
                self.assertEqual(found["verdict"], truth["verdict"], found["sentence"])
                if "missing" in truth:
                    cause = found["cause"]
                    self.assertEqual(sorted(one["rank"] for one in cause["missing"]), truth["missing"])
                    self.assertEqual(cause["description"], truth["group"])
                    self.assertEqual(cause["sequence"], truth["sequence"])

    def test_the_answer_survives_a_restart_and_is_told_as_text(self):
        self.assertEqual(self.load("mesh", DUMPS / "mesh").returncode, 0)
        before = self.hang("mesh")
        self.server.stop()
        self.start()
        self.assertEqual(self.hang("mesh"), before)
        done = self.run_program("hang", "--server", self.server.url, "mesh")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Rank 5 did not enter all_reduce 4 of group mesh_tp", done.stdout)
        self.assertIn("Rank 5 is in load_batch (", done.stdout)
        self.assertEqual(self.ask("mesh", format="text").text, done.stdout)

    def test_without_dumps_the_steps_tell_what_is_known(self):
        began = time.time() - 900
        steps = [{"job": "still", "rank": rank, "step": step, "time": began + step, "loss": 2.5}
                 for step in range(30) for rank in range(3) if (rank, step) != (1, 29)]
        connection = lockstep_server.Connection(self.server.address)
        answer = connection.send("POST", "/api/v1/push/steps", "\n".join(map(json.dumps, steps)).encode())
        connection.close()
        self.assertEqual(answer.status, 200, answer.text)
        found = self.hang("still")
        self.assertEqual((found["verdict"], found["cause"]), ("no_data", None))
        self.assertEqual((found["first_to_stop"], found["lowest_last_step"], found["highest_last_step"]),
                         ([1], 28, 29))
        self.assertIn("Rank 1 reported steps up to 28, others up to 29.", found["sentence"])
        self.assertEqual(found["missing"], ["the flight recorder's dump of each rank"])
        # A rank that is known by its steps and sent no dump.
        for rank in (0, 2):
            self.send("still", rank, json.dumps(WAITS).encode())
        self.assertEqual(self.hang("still")["cause"]["without_dump"], [1])
        done = self.run_program("report", "--server", self.server.url, "still")
        self.assertIn("There is no dump of rank 1.", done.stdout)

    def test_a_wait_that_ended(self):
        self.assertEqual(self.load("j", DUMPS / "slow").returncode, 0)
        self.assertEqual(self.hang("j")["verdict"], "ranks_missing")
        for rank in range(4):
            self.send("j", rank, (DUMPS / "all_kinds" / f"nccl_trace_rank_{rank}").read_bytes())
        self.assertEqual(self.hang("j")["verdict"], "none")

    def test_another_attempt_of_the_job_is_not_mixed_in(self):
        self.assertEqual(self.load("j", DUMPS / "missing_rank").returncode, 0)
        for rank in (1, 2, 3):
            self.send("j", rank, (DUMPS / "restart" / f"nccl_trace_rank_{rank}").read_bytes())
        found = self.hang("j")
        self.assertEqual([one["rank"] for one in found["set_aside"]], [0])
        self.assertEqual((found["verdict"], found["cause"]["without_dump"]), ("dumps_missing", [0]))
        # An older dump does not replace a newer one.
        answer = self.send("j", 1, (DUMPS / "missing_rank/nccl_trace_rank_1").read_bytes())
        self.assertTrue(json.loads(answer.body)["data"]["is_older"])
        self.assertEqual(self.hang("j"), found)

    def test_errors_say_what_to_do(self):
        self.assertEqual(self.ask("nobody").status, 404)
        done = self.run_program("import", "--to", self.server.url, DUMPS / "fine/nccl_trace_rank_0")
        self.assertIn("set it with --job", done.stderr)
        copy = self.folder / "dump"
        copy.write_bytes((DUMPS / "fine/nccl_trace_rank_0").read_bytes())
        self.assertIn("set it with --rank", self.load("j", copy).stderr)
        self.assertEqual(self.load("j", copy, flags=("--rank", "0")).returncode, 0)
        copy.write_bytes(b"\x80\x02cos\nsystem\n.")
        done = self.load("j", copy, flags=("--rank", "0", "--format", "flight-recorder"))
        self.assertIn("GLOBAL: the pickle wants to run code", done.stderr)


if __name__ == "__main__":
    unittest.main()
