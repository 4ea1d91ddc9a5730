"""The end of a process reaches the server after its steps, even if the server was unreachable then.

The other side is steps_server.py, as in step_logger_test.py.
"""

import json
import threading
import unittest
import unittest.mock

import programs
from lockstep import step_logger
from lockstep.identity import Identity
from lockstep.registration import Registration
from step_logger_test import INTERVAL_S, WITHIN_S, LoggerTestCase


class EndRecordTest(LoggerTestCase):
    def end(self, logger, code):
        with self.assertRaises(SystemExit), logger:
            raise SystemExit(code)

    def ends(self):
        return [(told["rank"], told["exit_code"]) for told in self.server.registrations if "exit_code" in told]

    def kept(self):
        return sorted(path.name for path in self.spool.glob("*/*"))

    def send_what_is_kept(self):
        """Acts like the next process on this host."""
        with self.logger(rank=9) as logger:
            self.log(logger, [99])
            programs.wait_until(lambda: not self.kept(), "the spool is empty", WITHIN_S)

    def test_it_waits_behind_the_steps_and_is_sent_behind_them(self):
        self.server.stop()
        logger = self.logger(rank=3, attempt=1)
        self.log(logger, range(10))
        self.end(logger, 7)
        self.assertEqual(self.kept(), ["00000000000000000000.ndjson", "end.json"])
        self.server.start()
        self.send_what_is_kept()
        steps = [at for at, (what, rank) in enumerate(self.server.arrivals) if (what, rank) == ("steps", 3)]
        [end] = [at for at, (what, rank) in enumerate(self.server.arrivals) if (what, rank) == ("end", 3)]
        self.assertGreater(end, steps[-1])
        self.assertEqual(self.ends(), [(3, 7), (9, 0)])
        [told] = [told for told in self.server.registrations if told["rank"] == 3]
        last = max(line["time"] for line in self.server.lines if line["rank"] == 3)
        self.assertEqual(told["attempt"], 1)
        self.assertTrue(told["host"])
        # Times are whole milliseconds, and all of this may happen within one.
        self.assertGreaterEqual(told["to"], last)
        self.assertLessEqual(told["to"], min(line["time"] for line in self.server.lines if line["rank"] == 9))
        self.assertEqual(list(self.spool.iterdir()), [])

    def test_it_waits_where_all_steps_were_sent(self):
        logger = self.logger(rank=3)
        self.log(logger, [1])
        self.assertTrue(logger.flush(WITHIN_S))
        self.server.stop()
        self.end(logger, 1)
        self.assertEqual(self.kept(), ["end.json"])
        self.server.start()
        self.send_what_is_kept()
        self.assertEqual(self.ends(), [(3, 1), (9, 0)])

    def test_it_waits_while_a_server_takes_no_registrations_and_not_if_it_never_will(self):
        for status, kept in ((503, ["end.json"]), (429, ["end.json"]), (404, []), (400, [])):
            with self.subTest(status=status):
                self.server.register_status = 204
                logger = self.logger(rank=3)
                self.log(logger, [1])
                self.assertTrue(logger.flush(WITHIN_S))
                self.server.register_status = status
                self.end(logger, 0)
                self.assertEqual(self.kept(), kept)
                self.server.register_status = 204
                self.send_what_is_kept()

    def test_it_is_tried_again_when_the_server_says_no(self):
        self.server.stop()
        logger = self.logger(rank=3)
        self.log(logger, [1])
        self.end(logger, 5)
        self.server.register_status = 503
        self.server.start()
        with self.logger(rank=9) as logger:
            self.log(logger, [99])
            programs.wait_until(lambda: logger.counts.accepted == 2 and ("end", 3) in self.server.arrivals,
                                "the end was tried", WITHIN_S)
            self.assertEqual(self.kept(), ["end.json"])
            self.server.register_status = 204
            programs.wait_until(lambda: not self.kept(), "the spool is empty", WITHIN_S)
        self.assertIn((3, 5), self.ends())

    def test_it_is_kept_where_the_server_does_not_answer_in_time(self):
        release, arrived = threading.Event(), threading.Event()
        self.addCleanup(release.set)

        def hold(server, request):
            arrived.set()
            release.wait(WITHIN_S)
        self.server.faults.append(hold)
        with unittest.mock.patch.object(step_logger, "REQUEST_TIMEOUT_S", WITHIN_S):
            logger = self.logger(rank=3)
            self.log(logger, [0])
        self.assertTrue(arrived.wait(WITHIN_S))
        self.assertFalse(logger.close(INTERVAL_S))
        self.assertIn("end.json", self.kept())

    def test_a_server_that_takes_no_registrations_is_told_nothing(self):
        self.server.register_status = 404
        logger = self.logger(rank=3)
        self.log(logger, [1])
        self.assertTrue(logger.flush(WITHIN_S))
        self.server.stop()
        self.end(logger, 1)
        self.assertEqual(self.kept(), [])


class RegistrationTest(unittest.TestCase):
    def test_an_end_is_not_dated_before_the_last_step_where_the_clock_is_set_back(self):
        with unittest.mock.patch("time.time") as clock:
            clock.return_value = 1000.0
            registration = Registration(Identity("job", "", 0, None, 0, 1, "host"), None)
            registration.note_step(1060.5)
            clock.return_value = 1030.0
            self.assertEqual(json.loads(registration.end(0))["to"], 1060.5)
            clock.return_value = 1070.0
            self.assertEqual(json.loads(registration.end(0))["to"], 1070)



if __name__ == "__main__":
    unittest.main()
