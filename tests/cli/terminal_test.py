"""What `lockstep jobs`, `ranks` and `query` print about recorded jobs: as tables, CSV and JSON,
repeatedly, and on a terminal.

LOCKSTEP_PROGRAM names the server and the verbs.
"""

import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / part) for part in ("answers", "support")]
import lockstep_server
import recorded_jobs

PROGRAM = os.environ["LOCKSTEP_PROGRAM"]
UTF8 = {**os.environ, "LC_ALL": "C.UTF-8"}
WITHIN_S = 60


class Terminal:
    """Runs a verb on a terminal of 20 lines and 60 columns."""

    def __init__(self, *arguments):
        self.ours, self._theirs = pty.openpty()
        termios.tcsetwinsize(self._theirs, (20, 60))
        self.before = termios.tcgetattr(self._theirs)
        self.program = subprocess.Popen([PROGRAM, *arguments], stdin=self._theirs, stdout=self._theirs,
                                        stderr=self._theirs, env=UTF8, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.said = b""

    def read_until(self, words, times=1):
        while self.said.count(words) < times:
            if not select.select([self.ours], [], [], WITHIN_S)[0]:
                raise TimeoutError(f"no {words} in {self.said}")
            self.said += os.read(self.ours, 65536)

    def press(self, key):
        os.write(self.ours, key)

    def is_as_before(self):
        return termios.tcgetattr(self._theirs) == self.before

    def close(self):
        self.program.kill()
        self.program.wait()
        os.close(self.ours)
        os.close(self._theirs)


class TerminalTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = lockstep_server.Server.of_recordings(cls)
        recorded_jobs.push_steps(cls.server, "h200")
        recorded_jobs.write_telemetry(cls.server, "h200")
        cls.jobs = recorded_jobs.truth("h200")

    def run_verb(self, *arguments, environment=UTF8):
        return subprocess.run([PROGRAM, *arguments, "--url", self.server.url], text=True, capture_output=True,
                              env=environment, timeout=WITHIN_S)

    def say(self, *arguments, **others):
        result = self.run_verb(*arguments, **others)
        self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
        return result.stdout

    def job(self, name):
        return next(job for job in self.jobs if job["job"] == name)

    def test_jobs_are_all_there_the_latest_first_with_who_is_late(self):
        rows = json.loads(self.say("jobs", "--start", "0", "--json"))
        self.assertEqual([row["job"] for row in rows],
                         [job["job"] for job in sorted(self.jobs, key=lambda job: -job["end_ms"])])
        for row in rows:
            planted = self.job(row["job"])["expected"]["straggler"]
            self.assertEqual(row["straggler"], None if planted is None else planted["ranks"][0], row)
            self.assertEqual((row["state"], row["ranks"]), ("ended", 4))
            self.assertGreater(row["step_seconds"], 0.01)
            self.assertLessEqual(row["goodput"], 1)

    def test_a_tables_rows_are_those_of_csv_and_json(self):
        for verb in (("jobs", "--start", "0"), ("ranks", "straggler-gpu")):
            rows = json.loads(self.say(*verb, "--json"))
            by_csv = list(csv.DictReader(io.StringIO(self.say(*verb, "--csv"))))
            self.assertEqual([list(row) for row in by_csv], [list(row) for row in rows])
            first = next(iter(rows[0]))
            self.assertEqual([row[first] for row in by_csv], [str(row[first]) for row in rows])
            table = self.say(*verb)
            self.assertEqual([line.split()[0] for line in table.splitlines()[-len(rows):]],
                             [str(row[first]) for row in rows])

    def test_the_named_rank_is_first_and_its_counters_beside_it(self):
        for name in ("straggler-loader", "straggler-gpu", "straggler-pcie"):
            planted = self.job(name)["expected"]["straggler"]
            rows = json.loads(self.say("ranks", name, "--json"))
            self.assertEqual(sorted(row["rank"] for row in rows), [0, 1, 2, 3])
            self.assertEqual(rows[0]["rank"], planted["ranks"][0])
            self.assertEqual([row["verdict"] for row in rows], ["slow_rank", "", "", ""])
            # The others wait for it: its own time is the longest, while all steps take equally
            # long.
            self.assertEqual(rows[0]["own_seconds"], max(row["own_seconds"] for row in rows))
            self.assertLess(max(row["step_seconds"] for row in rows), 1.02 * min(row["step_seconds"] for row in rows))
            for row in rows:
                self.assertTrue(0 < row["sm_active"] < 1 and 100 < row["power_watts"] < 750, row)
                self.assertEqual(len(row["seconds_lately"]), 32)

    def test_a_rank_is_one_line_with_its_curve(self):
        lines = self.say("ranks", "straggler-gpu").splitlines()
        self.assertTrue(lines[0].startswith("straggler-gpu  ended  step 183  "), lines[0])
        self.assertIn("slow_rank: rank 2 (gpu)", lines[0])
        self.assertRegex(lines[3], r"^ *2 +h200-node-0 .* slow_rank +gpu .*[▁▂▃▄▅▆▇█]{32}$")
        ascii_lines = self.say("ranks", "straggler-gpu", environment={**UTF8, "LC_ALL": "C"})
        self.assertTrue(ascii_lines.isascii())

    def test_ranges_are_curves(self):
        end = self.job("straggler-gpu")["end_ms"] / 1000
        asked = ("query", "--time", str(end), "--range", "30s", "--step", "1s",
                 'count by (rank) (DCGM_FI_DEV_POWER_USAGE{job="straggler-gpu"})')
        lines = self.say(*asked).splitlines()
        self.assertEqual(lines[0].split(), ["rank", "lowest", "highest", "last", "curve"])
        self.assertEqual([line.split() for line in lines[1:]],
                         [[rank, "1", "1", "1", "▄" * 31] for rank in "0123"])
        rows = list(csv.DictReader(io.StringIO(self.say(*asked, "--csv"))))
        self.assertEqual(len(rows), 4 * 31)
        answer = json.loads(self.say(*asked, "--json"))
        self.assertEqual([len(series["values"]) for series in answer["data"]["result"]], [31] * 4)

    def test_errors_are_the_servers(self):
        for arguments, words in ((("ranks", "nobody"), 'no data for training job "nobody"'),
                                 (("query", "1 +"), "HTTP 400: bad_data"),
                                 (("query", "--range", "soon", "1"), "--range"),
                                 (("jobs", "--start", "never"), "HTTP 400: bad_data")):
            result = self.run_verb(*arguments)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(words, result.stderr)
        self.assertEqual(self.run_verb("jobs", "--json", "--csv").returncode, 2)

    def test_watching_without_a_terminal_prints_one_page_after_the_other(self):
        program = subprocess.Popen([PROGRAM, "query", "--watch=0.1", "--url", self.server.url, "41 + 1"],
                                   stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual([program.stdout.readline() for _ in range(5)], ["42\n", "\n", "42\n", "\n", "42\n"])
            program.send_signal(signal.SIGTERM)
            self.assertEqual(program.wait(WITHIN_S), 0)
        finally:
            program.kill()
            program.stdout.close()
            program.wait()

    def watch(self):
        terminal = Terminal("ranks", "--watch=0.2", "--url", self.server.url, "straggler-gpu")
        self.addCleanup(terminal.close)
        terminal.read_until(b"\x1b[?2026l", times=3)
        return terminal

    def test_a_terminal_is_as_before_when_it_was_watched(self):
        for key in (b"q", b"\x03"):
            with self.subTest(key=key):
                terminal = self.watch()
                self.assertFalse(terminal.is_as_before())
                terminal.press(key)
                self.assertEqual(terminal.program.wait(WITHIN_S), 0)
                terminal.read_until(b"\x1b[?25h\x1b[?1049l")
                self.assertTrue(terminal.is_as_before())

    def test_frames_take_the_place_of_the_one_before(self):
        terminal = self.watch()
        first = terminal.said.index(b"\x1b[?2026h")
        self.assertEqual(terminal.said[:first], b"\x1b[?1049h\x1b[?25l")
        self.assertNotIn(b"\x1b[2J", terminal.said)
        frame = terminal.said[first:terminal.said.index(b"\x1b[?2026l")].decode()
        self.assertTrue(frame.startswith("\x1b[?2026h\x1b[Hstraggler-gpu  ended"), frame)
        lines = frame.removeprefix("\x1b[?2026h\x1b[H").removesuffix("\x1b[J").split("\n")
        self.assertTrue(all(len(line.rstrip("\r").removesuffix("\x1b[K")) <= 60 for line in lines), lines)

    def test_the_servers_end_is_a_sentence_in_the_frame(self):
        with tempfile.TemporaryDirectory() as folder:
            server = lockstep_server.Server.ready(pathlib.Path(folder))
            terminal = Terminal("query", "--watch=0.2", "--url", server.url, "1")
            self.addCleanup(terminal.close)
            terminal.read_until(b"\x1b[?2026l")
            server.kill()
            terminal.read_until(b"no answer from")
            terminal.press(b"q")
            self.assertEqual(terminal.program.wait(WITHIN_S), 0)


if __name__ == "__main__":
    unittest.main()
