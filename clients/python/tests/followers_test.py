"""What scripts log to W&B and TensorBoard (the real libraries) is also logged to lockstep."""

import pathlib
import subprocess
import tempfile
import unittest

import pypi
import steps_server

FOLDER = pathlib.Path(__file__).resolve().parent
WITHIN_S = 300
OWN = ("job", "rank", "step", "time")


class FollowersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        python = pypi.environment("trackers", FOLDER / "requirements-trackers.txt")
        server = steps_server.StepsServer()
        server.start()
        cls.addClassCleanup(server.close)
        with tempfile.TemporaryDirectory(prefix="lockstep-followers-") as folder:
            result = subprocess.run([python, FOLDER / "track.py", server.url, folder], capture_output=True, text=True,
                                    timeout=WITHIN_S, check=False)
        if result.returncode != 0:
            raise AssertionError(result.stdout + result.stderr)
        cls.said = result.stdout
        cls.lines = server.lines

    def values(self, first, last):
        return [(line["step"], {name: value for name, value in line.items() if name not in OWN})
                for line in self.lines if first <= line["step"] <= last]

    def test_what_wandb_is_told(self):
        self.assertEqual(self.values(0, 11), [(0, {"loss": 4}), (1, {"loss": 2, "eval/accuracy": 0.5}),
                                              (10, {"loss": 1}), (11, {"lr": 0.25})])

    def test_what_tensorboard_is_told(self):
        self.assertEqual(self.values(20, 24), [
            (20, {"train/loss": 3.5}), (21, {"train/loss": 3}), (22, {"heads/a": 1, "heads/b": 2}),
            (24, {"train/loss": 2.5})])
        self.assertEqual([line["time"] for line in self.lines if line["step"] == 21], [1795242060.5])

    def test_errors_of_the_tracker_are_the_scripts(self):
        self.assertIn("raised", self.said)
        self.assertIn("errors=0", self.said)


if __name__ == "__main__":
    unittest.main()
