"""Annotations by the logger and the client, on a real server."""

import logging
import pathlib
import tempfile
import time
import unittest

import lockstep_server
import programs
from lockstep import Client, StepLogger
from lockstep.errors import BadRequest, NotFound

WITHIN_S = 60


class AnnotationsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-annotations-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "server").mkdir()
        logging.getLogger("lockstep").setLevel(logging.CRITICAL)
        self.server = self.serve()
        self.client = Client(self.server.url)
        self.addCleanup(self.client.close)

    def serve(self, http="127.0.0.1:0"):
        server = lockstep_server.Server.ready(self.folder / "server", http=http)
        self.addCleanup(server.kill)
        return server

    def logger(self, rank=0):
        logger = StepLogger(self.server.url, job="j", rank=rank, spool=self.folder / "spool", interval_s=0.01)
        self.addCleanup(logger.close)
        return logger

    def test_moments_and_intervals(self):
        logger = self.logger()
        before = time.time()
        logger.annotate("new data", kind="deploy", step=7, tags=["v2"], labels={"by": "me"})
        logger.annotate("evaluated", kind="evaluation", start=before - 5)
        self.assertTrue(logger.flush(WITHIN_S))
        evaluated, moment = self.client.annotations(job="j")
        self.assertEqual((moment.text, moment.kind, moment.first_step, moment.last_step, moment.tags, moment.labels),
                         ("new data", "deploy", 7, 7, ["v2"], {"by": "me"}))
        self.assertEqual(moment.start, moment.end)
        self.assertTrue(before - 0.001 <= moment.start <= time.time())
        self.assertEqual(evaluated.start, round(before - 5, 3))
        self.assertTrue(before - 0.001 <= evaluated.end <= time.time())
        self.assertEqual(moment.unknown, {})

    def test_an_interval_is_open_while_it_lasts(self):
        logger = self.logger()
        with logger.annotation("profile", "nsys", step=3):
            self.assertTrue(logger.flush(WITHIN_S))
            [open_one] = self.client.annotations(job="j", kind="profile")
            self.assertEqual((open_one.end, open_one.is_open), (None, True))
        self.assertTrue(logger.flush(WITHIN_S))
        [ended] = self.client.annotations(job="j", kind="profile")
        self.assertEqual((ended.id, ended.start, ended.is_open, ended.tags), (open_one.id, open_one.start, False, []))
        self.assertGreaterEqual(ended.end, ended.start)

    def test_what_fails_inside_is_raised_and_marked(self):
        logger = self.logger()
        with self.assertRaises(KeyError):
            with logger.annotation("evaluation", tags=["nightly"]):
                raise KeyError("x")
        self.assertTrue(logger.flush(WITHIN_S))
        [failed] = self.client.annotations(tag=["nightly", "failed"])
        self.assertFalse(failed.is_open)

    def test_one_rank_speaks_for_the_job_or_each_for_itself(self):
        for rank in (0, 1):
            logger = self.logger(rank)
            logger.annotate("of the job")
            logger.annotate("of a rank", of_rank=True)
            self.assertTrue(logger.flush(WITHIN_S))
        told = sorted((one.text, one.labels.get("rank")) for one in self.client.annotations())
        self.assertEqual(told, [("of a rank", "0"), ("of a rank", "1"), ("of the job", None)])

    def test_annotations_wait_for_the_server(self):
        logger = self.logger()
        self.server.kill()
        logger.annotate("while it was away")
        logger.log(0, loss=1.0)
        self.assertFalse(logger.flush(0.2))
        self.serve(self.server.address)
        self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual([one.text for one in self.client.annotations()], ["while it was away"])
        self.assertEqual(logger.counts.dropped, 0)

    def test_faults_do_not_reach_the_training(self):
        logger = self.logger()
        logger.annotate("x", kind="two words")
        logger.annotate("x", tags=5)
        with logger.annotation("profile", labels=7):
            pass
        logger.annotate("good")
        self.assertTrue(logger.flush(WITHIN_S))
        self.assertEqual([one.text for one in self.client.annotations()], ["good"])
        self.assertEqual((logger.counts.rejected, logger.counts.errors), (1, 3))

    def test_what_cannot_be_sent_is_counted_at_the_end(self):
        logger = self.logger()
        self.server.kill()
        logger.annotate("lost")
        self.assertFalse(logger.close(WITHIN_S))
        self.assertEqual(logger.counts.dropped, 1)

    def test_who_only_annotates_is_no_rank(self):
        with self.logger() as logger:
            logger.annotate("from a script")
        self.assertEqual(len(self.client.annotations(job="j")), 1)
        self.assertEqual(programs.ask(self.server.url, "training/jobs")["jobs"], [])

    def test_the_client_stores_changes_and_deletes(self):
        begun = self.client.annotate("driver 570", kind="deploy", start=time.time() - 60)
        self.assertTrue(begun.is_open)
        ended = self.client.annotate(id=begun.id, end=time.time(), tags=["done"])
        self.assertEqual((ended.text, ended.kind, ended.tags, ended.is_open), ("driver 570", "deploy", ["done"], False))
        self.assertEqual([one.id for one in self.client.annotations(kind=["deploy", "note"], limit=5)], [begun.id])
        self.assertRaises(NotFound, self.client.delete_annotation, begun.id, "j")
        self.client.delete_annotation(begun.id)
        self.assertEqual(len(self.client.annotations()), 0)
        self.assertRaises(BadRequest, self.client.annotate)

    def test_notebooks_show_them(self):
        self.client.annotate("a < b", job="j", time=time.time())
        shown = self.client.annotations()._repr_html_()
        self.assertIn("1 annotations", shown)
        self.assertIn("a &lt; b", shown)


if __name__ == "__main__":
    unittest.main()
