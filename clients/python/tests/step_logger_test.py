"""Every logged step is stored exactly once, whatever the server and the network do, without disturbing the training.

The other side is steps_server.py, a real HTTP server that keeps the protocol and fails on request.
"""

import json
import logging
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import unittest.mock

import programs
import steps_server
from lockstep import StepLogger, step_logger
from lockstep.backlog import spooled_bytes
from steps_server import StepsServer, answered, cut_after_storing, cut_before_storing, forgetting

# Long enough for a busy machine.
WITHIN_S = 300
# Short rounds, so that retries come soon.
INTERVAL_S = 0.01


class LoggerTestCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-steps-")
        self.addCleanup(folder.cleanup)
        self.spool = pathlib.Path(folder.name, "spool")
        self.server = StepsServer()
        self.server.start()
        self.addCleanup(self.server.close)
        logging.getLogger("lockstep").setLevel(logging.CRITICAL)

    def logger(self, **options):
        logger = StepLogger(self.server.url, **{"job": "j", "rank": 0, "spool": self.spool,
                                                "interval_s": INTERVAL_S, **options})
        self.addCleanup(logger.close)
        return logger

    def log(self, logger, steps):
        for step in steps:
            logger.log(step, loss=step / 2)

    def run_program(self, text, *, check=True):
        """Runs a program with `url` and `spool` defined, and returns its result."""
        begin = f"from lockstep import StepLogger\nurl, spool = {self.server.url!r}, {str(self.spool)!r}\n"
        return subprocess.run([sys.executable, "-c", begin + textwrap.dedent(text)], check=check,
                              timeout=WITHIN_S, stderr=subprocess.PIPE, text=True)


class LinesTest(LoggerTestCase):
    def test_a_line_says_whose_step_it_is_and_what_was_measured(self):
        with self.logger(job="llama", run="r7", rank=3, attempt=1, token="secret") as logger:
            logger.log(5, loss=0.25, tokens=4096, ok=True, kind="warm", none=None,
                       **{"train/lr": 1e-5, "time": 1700000000.5})
            self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual(self.server.lines, [
            {"job": "llama", "run": "r7", "rank": 3, "attempt": 1, "step": 5, "time": 1700000000.5,
             "loss": 0.25, "tokens": 4096, "ok": 1, "kind": "warm", "train/lr": 1e-5}])
        [request] = self.server.requests
        self.assertEqual((request.offset, request.content_type, request.authorization),
                         (0, "application/x-ndjson", "Bearer secret"))
        self.assertEqual(logger.counts.accepted, 1)

    def test_a_rank_registers_once_with_its_first_step(self):
        environment = {"NODE_NAME": "node7", "WORLD_SIZE": "8"}
        with unittest.mock.patch.dict(os.environ, environment), self.logger(rank=3, attempt=1) as logger:
            for step in range(2):
                self.log(logger, [step])
                self.assertTrue(logger.flush(WITHIN_S))
        begin, end = self.server.registrations
        for told in begin, end:
            self.assertAlmostEqual(told["from"], self.server.lines[0]["time"], delta=WITHIN_S)
        place = {"job": "j", "rank": 3, "attempt": 1, "host": "node7", "world_size": 8, "from": begin["from"]}
        self.assertEqual(begin, {**place, "alive": begin["alive"]})
        self.assertGreaterEqual(begin["alive"], begin["from"])
        self.assertEqual(end, {**place, "to": end["to"], "exit_code": 0})
        self.assertGreater(end["to"], self.server.lines[-1]["time"])

    def exit_codes(self):
        return [told["exit_code"] for told in self.server.registrations if "exit_code" in told]

    def test_an_end_tells_how_the_program_ended(self):
        begin = "logger = StepLogger(url, job='j', rank=0, spool=spool, interval_s=0.01)\nlogger.log(0, loss=1)\n"
        for text, code in ((begin, 0), (begin + "raise ValueError('out of memory')", 1),
                           (begin + "try:\n  raise ValueError()\nexcept ValueError:\n  pass\n", 0),
                           (begin + "with logger:\n  raise SystemExit(7)\n", 7),
                           (begin + "try:\n  raise ValueError()\nfinally:\n  logger.close()\n", 1)):
            self.server.registrations.clear()
            self.run_program(text, check=False)
            self.assertEqual(self.exit_codes(), [code], text)

    def test_a_process_that_sends_no_steps_says_that_it_is_there(self):
        with unittest.mock.patch("lockstep.registration.ALIVE_EVERY_S", 0.02):
            logger = self.logger(attempt=2)
            self.log(logger, [0])
            self.assertTrue(logger.flush(WITHIN_S))
            programs.wait_until(lambda: len(self.server.registrations) > 3, "it says so", WITHIN_S)
            logger.close()
        alive = self.server.registrations[1:-1]
        self.assertEqual({frozenset(told) for told in alive}, {frozenset({"job", "rank", "attempt", "alive"})})
        times = [told["alive"] for told in alive]
        self.assertEqual(times, sorted(times))

    def test_numbers_that_json_lacks_are_words(self):
        with self.logger() as logger:
            logger.log(1, a=float("nan"), b=float("inf"), c=-float("inf"))
            logger.flush(WITHIN_S)
        self.assertEqual([self.server.lines[0][name] for name in "abc"], ["NaN", "Infinity", "-Infinity"])

    def test_values_that_are_no_numbers_are_left_out_and_counted(self):
        with self.logger() as logger:
            logger.log(1, loss=1.5, odd=object(), pair=[1, 2])
            logger.flush(WITHIN_S)
        self.assertEqual(self.server.lines[0]["loss"], 1.5)
        self.assertFalse({"odd", "pair"} & self.server.lines[0].keys())
        self.assertEqual(logger.counts.values_dropped, 2)

    def test_many_lines_go_in_few_bodies_of_bounded_size(self):
        with self.logger(interval_s=WITHIN_S) as logger:
            for step in range(4000):
                logger.log(step, text="x" * 900)
            self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual(self.server.steps(), list(range(4000)))
        self.assertLess(len(self.server.requests), 20)
        self.assertLessEqual(max(len(request.body) for request in self.server.requests), 1 << 20)
        self.assertEqual(self.server.requests[0].encoding, "gzip")


class FaultsTest(LoggerTestCase):
    def check_stored(self, logger, steps):
        self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual(self.server.steps(), list(steps))

    def test_what_fails_is_sent_again_and_stored_once(self):
        for fault in (answered(500), answered(503), answered(503, Retry_After="0"),
                      answered(429, Retry_After="0"), answered(401), answered(404), answered(200, b"<html>"),
                      answered(302, Location="http://127.0.0.1:1/"), answered(409, b"{}"),
                      cut_before_storing, cut_after_storing):
            with self.subTest(fault=fault):
                self.server.lines.clear()
                with self.logger() as logger:
                    self.server.faults.extend([fault, fault])
                    self.log(logger, range(10))
                    self.check_stored(logger, range(10))
                    self.log(logger, range(10, 20))
                    self.check_stored(logger, range(20))
                    self.assertEqual(spooled_bytes(self.spool), 0)

    def test_a_body_that_is_too_large_is_halved(self):
        self.server.max_body_bytes = 1000
        with self.logger() as logger:
            self.log(logger, range(100))
            self.check_stored(logger, range(100))

    def test_a_line_that_is_too_large_is_dropped_and_counted(self):
        self.server.max_body_bytes = 1000
        with self.logger() as logger:
            self.log(logger, range(5))
            logger.log(5, text="x" * 2000)
            self.log(logger, range(6, 10))
            self.check_stored(logger, [0, 1, 2, 3, 4, 6, 7, 8, 9])
        self.assertEqual((logger.counts.accepted, logger.counts.dropped), (9, 1))

    def test_rejected_lines_are_counted_and_do_not_come_again(self):
        with self.logger() as logger:
            self.log(logger, [1, -1, 2])
            self.check_stored(logger, [1, 2])
            self.log(logger, [3])
            self.check_stored(logger, [1, 2, 3])
        self.assertEqual((logger.counts.accepted, logger.counts.rejected), (3, 1))

    def test_a_server_that_forgot_its_streams_gets_a_new_one(self):
        with self.logger() as logger:
            self.log(logger, range(5))
            self.check_stored(logger, range(5))
            self.server.faults.append(forgetting)
            self.log(logger, range(5, 10))
            self.check_stored(logger, range(10))
            self.log(logger, range(10, 15))
            self.check_stored(logger, range(15))
        self.assertEqual(len({request.stream for request in self.server.requests}), 2)

    def test_a_pause_that_the_server_asks_for_is_kept(self):
        self.server.faults.append(answered(429, Retry_After="3600"))
        with self.logger() as logger:
            self.log(logger, range(3))
            while not logger.counts.failed_requests:
                logger.flush(INTERVAL_S)
            self.assertFalse(logger.flush(0.1))
        self.assertEqual(len(self.server.requests), 1)
        self.assertGreater(spooled_bytes(self.spool), 0)

    def test_a_server_that_is_away_for_a_while(self):
        with self.logger() as logger:
            for start in range(0, 100, 20):
                self.log(logger, range(start, start + 10))
                self.check_stored(logger, range(start + 10))
                self.server.stop()
                self.log(logger, range(start + 10, start + 20))
                self.assertFalse(logger.flush(0.05))
                self.server.start()
                self.check_stored(logger, range(start + 20))


class SpoolTest(LoggerTestCase):
    def left_behind(self, steps, **options):
        """A logger that ended while the server was unreachable."""
        self.server.stop()
        with self.logger(**options) as logger:
            self.log(logger, steps)
        self.assertGreater(spooled_bytes(self.spool), 0)
        self.server.start()

    def flush_all(self, logger):
        """Sends what `logger` has, and waits until what others left is sent."""
        self.assertTrue(logger.flush(WITHIN_S))
        programs.wait_until(lambda: not any(self.spool.glob("*/*")), "the spool is empty", WITHIN_S)

    def test_what_one_leaves_the_next_sends(self):
        self.left_behind(range(10), rank=0)
        self.left_behind(range(10, 20), rank=1)
        with self.logger(rank=2) as logger:
            self.log(logger, [99])
            self.flush_all(logger)
        self.assertEqual([(line["rank"], line["step"]) for line in sorted(
            self.server.lines, key=lambda line: (line["rank"], line["step"]))],
            [(0, step) for step in range(10)] + [(1, step) for step in range(10, 20)] + [(2, 99)])
        self.assertEqual(list(self.spool.iterdir()), [])

    def test_what_one_leaves_is_sent_by_those_that_live(self):
        with self.logger(rank=0) as logger:
            self.log(logger, [1])
            self.assertTrue(logger.flush(WITHIN_S))
            self.left_behind([2], rank=1)
            self.flush_all(logger)
        self.assertEqual(self.server.steps(), [1, 2])

    def test_what_was_sent_already_is_not_stored_again(self):
        self.server.faults.extend([cut_after_storing] * 2)
        with self.logger() as logger:
            self.log(logger, range(10))
            logger.flush(0)
            self.server_is_silent_until_close(logger)
        with self.logger() as logger:
            self.log(logger, [10])
            self.flush_all(logger)
        self.assertEqual(sorted(self.server.steps()), list(range(11)))

    def server_is_silent_until_close(self, logger):
        self.server.stop()
        logger.close()
        self.server.start()

    def test_nobody_takes_what_a_living_process_has(self):
        self.server.stop()
        one, other = self.logger(rank=0), self.logger(rank=1)
        self.log(one, range(5))
        self.assertFalse(one.flush(0.05))
        self.server.start()
        self.log(other, range(5))
        self.assertTrue(other.flush(WITHIN_S))
        self.assertTrue(one.flush(WITHIN_S))
        self.assertEqual(len(self.server.lines), 10)

    def test_a_full_spool_drops_and_counts(self):
        self.server.stop()
        with self.logger(max_spool_bytes=3 << 20) as logger:
            for step in range(1200):
                logger.log(step, text="x" * 10_000)
            while not logger.counts.dropped:
                logger.flush(0.05)
        self.assertTrue(0 < spooled_bytes(self.spool) <= 3 << 20)
        self.assertGreater(logger.counts.dropped, 0)

    def test_a_spool_that_cannot_be_used_costs_nothing_while_the_server_is_there(self):
        self.spool.write_text("a file where the folder should be")
        with self.logger() as logger:
            self.log(logger, range(5))
            self.assertTrue(logger.flush(WITHIN_S))
            self.server.stop()
            self.log(logger, range(5, 10))
            self.assertFalse(logger.flush(0.05))
            self.server.start()
            self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual(self.server.steps(), list(range(10)))

    def test_a_spool_that_somebody_empties_costs_what_was_in_it(self):
        with self.logger() as logger:
            self.log(logger, [1])
            self.assertTrue(logger.flush(WITHIN_S))
            self.server.stop()
            self.log(logger, [2])
            programs.wait_until(lambda: spooled_bytes(self.spool) > 0, "the step is spooled", WITHIN_S)
            for path in self.spool.glob("*/*.ndjson"):
                path.unlink()
            self.server.start()
            self.log(logger, [3])
            self.assertTrue(logger.flush(WITHIN_S))
        # The step may have been read for sending just before its file disappeared.
        self.assertIn(self.server.steps(), ([1, 3], [1, 2, 3]))

    def test_without_a_spool_steps_wait_in_memory(self):
        with self.logger(spool="") as logger:
            self.server.stop()
            self.log(logger, range(5))
            self.assertFalse(logger.flush(0.05))
            self.server.start()
            self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual(self.server.steps(), list(range(5)))


class TrainingTest(LoggerTestCase):
    """The training is neither slowed nor ended."""

    def hold_requests(self):
        """From now on, requests are answered only after the returned event is set."""
        release, arrived = threading.Event(), threading.Event()
        self.addCleanup(release.set)

        def hold(server, request):
            arrived.set()
            release.wait(WITHIN_S)
        self.server.faults.append(hold)
        return release, arrived

    def test_a_server_that_does_not_answer_fills_the_queue_and_no_more(self):
        _, arrived = self.hold_requests()
        with unittest.mock.patch.object(step_logger, "REQUEST_TIMEOUT_S", WITHIN_S):
            logger = self.logger()
            self.log(logger, [0])
        self.assertTrue(arrived.wait(WITHIN_S))
        self.log(logger, range(1, 30_000))
        self.assertEqual(logger.counts.dropped, 29_999 - 10_000)
        self.assertFalse(logger.close(0.05))
        self.assertEqual(len(self.spooled_lines()), 10_001)

    def spooled_lines(self):
        return [line for path in sorted(self.spool.glob("*/*.ndjson")) for line in path.read_text().splitlines()]

    def test_after_close_steps_are_counted_as_dropped(self):
        logger = self.logger()
        self.assertTrue(logger.close())
        self.log(logger, range(3))
        self.assertEqual(logger.counts.dropped, 3)
        self.assertTrue(logger.close())

    def test_threads_log_at_once(self):
        with self.logger() as logger:
            threads = [threading.Thread(target=self.log, args=(logger, range(start, start + 200)))
                       for start in range(0, 1600, 200)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual(sorted(self.server.steps()), list(range(1600)))

    def test_a_signal_handler_logs_while_the_training_does(self):
        with self.logger() as logger:
            handled = []

            def handle(*_):
                handled.append(len(handled))
                logger.log(-len(handled) + 1_000_000, loss=0.0)
                # The next signal comes after this handler, however slow the machine is.
                signal.setitimer(signal.ITIMER_REAL, 0.0005)
            before = signal.signal(signal.SIGALRM, handle)
            signal.setitimer(signal.ITIMER_REAL, 0.0005)
            try:
                step = 0
                while len(handled) < 50:
                    logger.log(step, loss=1.0)
                    step += 1
                    if step % 1000 == 0:
                        logger.flush(WITHIN_S)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
            self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual(logger.counts.dropped, 0)
        self.assertEqual(len(self.server.lines), step + len(handled))

    def test_a_forked_child_logs_for_itself(self):
        with self.logger(rank=0) as logger:
            self.log(logger, range(10))
            child = os.fork()
            if child == 0:
                try:
                    self.log(logger, range(100, 105))
                    os._exit(0 if logger.close(WITHIN_S) else 1)
                finally:
                    os._exit(2)
            self.log(logger, range(10, 20))
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual(sorted(self.server.steps()), [*range(20), *range(100, 105)])
        self.assertEqual(len({request.stream for request in self.server.requests}), 2)

    def test_a_program_that_ends_without_closing_has_sent_everything(self):
        self.run_program("""
            import multiprocessing
            logger = StepLogger(url, spool=spool, interval_s=3600)
            logger.log(1, loss=0.5)
            def work():
                logger.log(2, loss=0.25)
            child = multiprocessing.get_context("fork").Process(target=work)
            child.start()
            child.join()
            logger.log(3, loss=0.125)
            """)
        # Whatever could not be sent in the seconds allowed at the end is in the spool.
        left = [json.loads(line)["step"] for line in self.spooled_lines()]
        self.assertEqual(sorted(self.server.steps() + left), [1, 2, 3])

    def test_a_program_that_ends_while_the_server_is_away_leaves_its_steps(self):
        self.server.stop()
        ended = self.run_program("""
            logger = StepLogger(url, spool=spool)
            for step in range(100):
                logger.log(step, loss=0.5)
            """)
        self.assertEqual(len(self.spooled_lines()), 100)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)

    def test_what_was_spilled_survives_a_kill(self):
        self.server.stop()
        ended = self.run_program("""
            import os, pathlib, signal
            logger = StepLogger(url, spool=spool, interval_s=0.01)
            for step in range(100):
                logger.log(step, loss=0.5)
            def spilled():
                return "".join(path.read_text() for path in pathlib.Path(spool).glob("*/*.ndjson"))
            while len(spilled().splitlines()) < 100:
                logger.flush(0.01)
            os.kill(os.getpid(), signal.SIGKILL)
            """, check=False)
        self.assertEqual(ended.returncode, -signal.SIGKILL)
        self.server.start()
        with self.logger() as logger:
            self.log(logger, [100])
            SpoolTest.flush_all(self, logger)
        self.assertEqual(sorted(self.server.steps()), list(range(101)))

    def test_the_programs_own_chance_is_left_alone(self):
        import random
        random.seed(7)
        before = random.getstate()
        self.server.faults.extend([answered(503)] * 2)
        with self.logger() as logger:
            self.log(logger, range(3))
            self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual(random.getstate(), before)


if __name__ == "__main__":
    unittest.main()
