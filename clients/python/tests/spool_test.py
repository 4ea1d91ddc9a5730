"""The shared spool folder: which process may send which stream, while others come and go."""

import contextlib
import itertools
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

from lockstep.backlog import Backlog, spooled_bytes
from lockstep.spool import Spool

LINE = b"a line\n"


class SpoolTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-spool-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "spool")
        self.spool = Spool(self.folder)

    def left(self, stream):
        """An unclaimed stream with a line on disk."""
        claim = self.spool.claim(stream)
        backlog = Backlog(claim.folder, 8 << 20, 1 << 20)
        backlog.append(LINE)
        backlog.spill()
        claim.release()

    def streams_left(self):
        claims = list(self.spool.claim_left_behind())
        for claim in claims:
            claim.release()
        return [claim.stream for claim in claims]

    def test_a_stream_has_one_owner(self):
        claim = self.spool.claim("one")
        self.assertIsNone(self.spool.claim("one"))
        self.assertIsNotNone(self.spool.claim("two"))
        claim.release()
        self.spool.claim("one").release()

    def test_another_process_is_an_owner_too(self):
        self.left("one")
        child = subprocess.Popen(
            [sys.executable, "-c", "import pathlib, sys\nfrom lockstep.spool import Spool\n"
             f"claim = Spool(pathlib.Path({str(self.folder)!r})).claim('one')\nprint('has it', flush=True)\n"
             "sys.stdin.read()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(child.stdout.readline(), b"has it\n")
        self.assertEqual(self.streams_left(), [])
        child.kill()
        child.communicate()
        self.assertEqual(self.streams_left(), ["one"])

    def test_what_is_left_behind_can_be_claimed_once(self):
        self.left("one")
        self.left("two")
        self.assertEqual(spooled_bytes(self.folder), 2 * len(LINE))
        self.assertEqual(sorted(self.streams_left()), ["one", "two"])
        [one, two] = self.spool.claim_left_behind()
        self.assertEqual(self.streams_left(), [])
        one.release()
        self.assertEqual(self.streams_left(), [one.stream])
        two.release()

    def test_an_empty_stream_leaves_nothing(self):
        claim = self.spool.claim("one")
        claim.folder.mkdir()
        claim.release()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_spool_that_is_not_there_has_nothing(self):
        self.assertEqual((self.streams_left(), spooled_bytes(self.folder)), ([], 0))

    def test_streams_may_go_while_others_look(self):
        done = threading.Event()

        def come_and_go():
            for number in itertools.count():
                if done.is_set():
                    return
                segment = self.folder / f"stream{number}" / "0.ndjson"
                segment.parent.mkdir(parents=True)
                with contextlib.suppress(FileNotFoundError):  # If empty, releasing it may delete it.
                    segment.write_bytes(LINE)
                    segment.unlink()
                    segment.parent.rmdir()
        others = threading.Thread(target=come_and_go)
        others.start()
        try:
            for _ in range(300):
                self.assertGreaterEqual(spooled_bytes(self.folder), 0)
                self.streams_left()
        finally:
            done.set()
            others.join()


if __name__ == "__main__":
    unittest.main()
