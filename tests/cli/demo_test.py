"""`lockstep demo`: creates a report from nothing, prints queries that work, and leaves nothing
behind.

LOCKSTEP_PROGRAM names the program.
"""

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
WITHIN_S = 60
LAST_LINE = re.compile(r"Ctrl-C ends the demo")
URL = re.compile(r"The server runs on (http://127\.0\.0\.1:\d+)\.")


def children_of(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class DemoTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # Where the demo creates its folder.
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        # The printed commands say `lockstep`.
        (self.folder / "bin").mkdir()
        (self.folder / "bin/lockstep").symlink_to(pathlib.Path(PROGRAM).resolve())
        self.environment = {**os.environ, "TMPDIR": str(self.temporary), "LC_ALL": "C.UTF-8",
                            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        self.environment.pop("LOCKSTEP_URL", None)
        # The local machine is reached directly even if a proxy is configured.
        self.environment["http_proxy"] = "http://127.0.0.1:1"

    def start(self, *arguments):
        """A demo on a free port."""
        demo = subprocess.Popen([PROGRAM, "demo", *(arguments or ("--http", "127.0.0.1:0"))],
                                env=self.environment, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        self.addCleanup(demo.stdout.close)
        self.addCleanup(demo.stderr.close)
        self.addCleanup(demo.wait)
        self.addCleanup(demo.kill)
        return demo

    def serving(self, *arguments):
        """A demo that has finished printing, and its output."""
        demo = self.start(*arguments)
        said = ""
        for line in demo.stdout:
            said += line
            if LAST_LINE.search(line):
                return demo, said
        raise AssertionError(f"ended early: {said}{demo.stderr.read()}")

    def assert_nothing_is_left(self):
        programs.wait_until(lambda: not os.listdir(self.temporary), "the folder is gone", WITHIN_S)

    def test_once_reports_the_straggler_its_cause_and_its_cost(self):
        done = subprocess.run([PROGRAM, "demo", "--once", "--http", "127.0.0.1:0"], env=self.environment,
                              text=True, capture_output=True, timeout=WITHIN_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # What was planted in that job: demo/data/truth.json.
        self.assertRegex(done.stdout, r"Rank 2 \(h200-node-0, GPU 2\) is late by 1\d\.\d % of a step")
        self.assertIn("its GPU does more work than the others", done.stdout)
        self.assertRegex(done.stdout, r"cost 0\.\d+ USD, of which 0\.\d+ was wasted")
        self.assertRegex(done.stdout, r"priced at 3\.50 USD")
        self.assertRegex(done.stdout, r"a job on 1024 GPUs about 1\d,000 USD a day")
        self.assertNotRegex(done.stdout, URL)
        self.assertEqual(os.listdir(self.temporary), [])

    def test_the_printed_queries_answer(self):
        demo, said = self.serving()
        self.assertLess(said.index("Rank 2"), said.index("The server runs on"))
        commands = re.findall(r"^  (lockstep query (?:.*\\\n)*.*)$", said, re.M)
        self.assertEqual(len(commands), 3)
        answers = [subprocess.run(["bash", "-c", command], env=self.environment, text=True, check=True,
                                  capture_output=True, timeout=WITHIN_S).stdout for command in commands]
        waits, busy, energy = [dict(line.split()[0::3] if "lowest" in answer else line.split()
                                    for line in answer.splitlines()[1:]) for answer in answers]
        self.assertEqual((set(waits), set(busy)), (set("0123"), set("0123")))
        # Rank 2 is late: it waits least, and its GPU is the busiest.
        self.assertEqual(min(waits, key=lambda rank: float(waits[rank])), "2")
        self.assertEqual(max(busy, key=lambda rank: float(busy[rank])), "2")
        self.assertEqual(len(energy), 13)
        # The default is jobs of the last 30 days; the recording appears to have just ended.
        jobs = subprocess.run([PROGRAM, "jobs", "--csv", "--url", URL.search(said)[1]], text=True,
                              capture_output=True, check=True, timeout=WITHIN_S).stdout
        self.assertEqual(len(jobs.splitlines()), 1 + 13)
        demo.terminate()
        self.assertEqual(demo.wait(WITHIN_S), 0)
        self.assert_nothing_is_left()

    def test_ctrl_c_ends_it(self):
        demo, _ = self.serving()
        demo.send_signal(signal.SIGINT)
        self.assertEqual((demo.wait(WITHIN_S), demo.stderr.read()), (0, ""))
        self.assert_nothing_is_left()

    def test_it_can_be_ended_while_it_loads(self):
        demo = self.start()
        programs.wait_until(lambda: os.listdir(self.temporary), "it has a folder", WITHIN_S)
        demo.send_signal(signal.SIGINT)
        self.assertEqual((demo.wait(WITHIN_S), demo.stderr.read()), (0, ""))
        self.assert_nothing_is_left()

    def test_a_killed_demo_leaves_no_server_and_no_folder(self):
        demo, _ = self.serving()
        [server] = children_of(demo.pid)
        demo.kill()
        programs.wait_until(lambda: not pathlib.Path(f"/proc/{server}").exists(), "the server has ended",
                            WITHIN_S)
        self.assert_nothing_is_left()

    def test_a_server_that_dies_ends_the_demo(self):
        demo, _ = self.serving()
        [server] = children_of(demo.pid)
        os.kill(server, signal.SIGKILL)
        self.assertEqual(demo.wait(WITHIN_S), 1)
        self.assertIn("the demo server exited unexpectedly", demo.stderr.read())
        self.assert_nothing_is_left()

    def test_the_usual_port_may_be_taken(self):
        with contextlib.ExitStack() as stack:
            taken = stack.enter_context(socket.socket())
            # If another program has the port already, that works as well.
            with contextlib.suppress(OSError):
                taken.bind(("127.0.0.1", 9009))
                taken.listen()
            demo = subprocess.Popen([PROGRAM, "demo"], env=self.environment, text=True, stdout=subprocess.PIPE)
            stack.callback(demo.stdout.close)
            stack.callback(demo.wait)
            stack.callback(demo.kill)
            url = next(found[1] for line in demo.stdout if (found := URL.search(line)))
            self.assertNotEqual(url, "http://127.0.0.1:9009")
            demo.terminate()
            self.assertEqual(demo.wait(WITHIN_S), 0)
        self.assert_nothing_is_left()

    def test_a_chosen_port_that_is_taken_is_an_error(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            demo = self.start("--http", f"127.0.0.1:{taken.getsockname()[1]}")
            self.assertEqual(demo.wait(WITHIN_S), 1)
        self.assertIn("Address already in use", demo.stderr.read())
        self.assert_nothing_is_left()

    def test_without_a_place_for_its_folder_it_says_so(self):
        self.environment["TMPDIR"] = str(self.folder / "nowhere")
        demo = self.start()
        self.assertEqual(demo.wait(WITHIN_S), 1)
        self.assertIn("TMPDIR", demo.stderr.read())

    def test_an_address_that_makes_no_sense_is_a_usage_error(self):
        demo = self.start("--http", "nowhere")
        self.assertEqual(demo.wait(WITHIN_S), 2)
        self.assertIn("--http", demo.stderr.read())
        self.assert_nothing_is_left()


if __name__ == "__main__":
    unittest.main()
