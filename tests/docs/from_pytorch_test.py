"""docs/from-pytorch.md: its loop names the late rank, with a real server and the real client; its
other snippets are valid.

LOCKSTEP_PROGRAM names the server and the command line.
"""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import lockstep_server
import programs

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
PAGE = (ROOT / "docs/from-pytorch.md").read_text()
EXAMPLE = ROOT / "clients/python/examples/first_straggler.py"
SOURCES = ROOT / "clients/python/src"
WITHIN_S = 120


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.M | re.S)


class FromPytorchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-from-pytorch-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # Recorded logs have dates in the past.
        self.server = lockstep_server.Server.ready(self.folder, "--storage.retention.time", "100y")
        self.addCleanup(self.server.kill)

    def run_program(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_example_names_the_late_rank(self):
        begin_s = time.time()
        done = subprocess.run([sys.executable, str(EXAMPLE), "--url", self.server.url], capture_output=True, text=True,
                              timeout=WITHIN_S, env={**os.environ, "PYTHONPATH": str(SOURCES),
                                                     "LOCKSTEP_SPOOL": str(self.folder / "spool")})
        self.assertEqual(done.returncode, 0, done.stderr)
        # On a busy machine, another rank may also be late for a while.
        self.assertIn("rank 2 holds the job back: loader\n", done.stdout)
        self.assertIn("rank 2 holds the job back: loader", PAGE)
        self.assertIn("Rank 2", self.run_program("report", "--url", self.server.url, "first-straggler"))
        self.assertIn("first-straggler", self.run_program("jobs", "--url", self.server.url))
        self.assertIn("loader", self.run_program("ranks", "--url", self.server.url, "first-straggler"))
        # The query of the shipped alert StragglerFound.
        self.assertIn("(lockstep_straggler) == 1", (ROOT / "rules_pack/jobs.yml").read_text())
        late = programs.ask(self.server.url, "query_range", query="lockstep_straggler == 1", start=begin_s, end=time.time(),
                            step=1)["result"]
        self.assertIn("2", {row["metric"]["rank"] for row in late})

    def test_the_loop_is_the_one_of_the_example(self):
        [loop] = [block for block in blocks("python") if "timer.steps" in block]
        example = textwrap.dedent(EXAMPLE.read_text().partition("def train(")[2].partition("\n")[2].partition("\n\n\n")[0])
        # The stand-in for a tensor is not one.
        example = example.replace("float(loss)", "loss")
        for line in loop.partition("timer = ")[2].splitlines()[1:]:
            self.assertIn(line, example.splitlines())

    def test_other_snippets(self):
        for block in blocks("python"):
            ast.parse(textwrap.dedent(block))
        for module, name in re.findall(r"`from (lockstep\.\w+) import (\w+)`", PAGE):
            self.assertIn(f"class {name}", (SOURCES / f"{module.replace('.', '/')}.py").read_text())
        [config] = blocks("yaml")
        self.assertIn("/usr/share/lockstep/rules_pack", config)
        file = self.folder / "lockstep.yml"
        shipped = self.folder / "rules"
        shutil.copytree(ROOT / "rules_pack", shipped, ignore=shutil.ignore_patterns("*_test.yml"))
        file.write_text(config.replace("/usr/share/lockstep/rules_pack", str(shipped)))
        self.run_program("check", "config", file)

    def test_a_log_of_torchtitan_is_followed(self):
        logs = self.folder / "logs"
        node = logs / "none_x1y2z3/attempt_0/0"
        node.mkdir(parents=True)
        shutil.copy(ROOT / "tests/training_logs/data/torchtitan/rank0.log", node / "stderr.log")
        tail = programs.Program(self.folder, "tail", [PROGRAM, "tail", "--to", self.server.url, "--job", "pretrain-7", str(logs)])
        self.addCleanup(lambda: tail.alive and tail.kill())
        programs.wait_until(
            lambda: programs.ask(self.server.url, "series", match='train_loss{job="pretrain-7", rank="0"}', start=0),
            f"the log's losses; {tail.log}", WITHIN_S)


if __name__ == "__main__":
    unittest.main()
