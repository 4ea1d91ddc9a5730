"""The disk of a running server fills up: writes are answered with 503, a reason and a Retry-After,
reads continue, writes succeed again when there is space, and nothing acknowledged is lost.

Needs a small file system: runs as root, otherwise skipped with the reason.
"""

import errno
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import lockstep_server
import programs
from ledger import Ledger
from writer import Script, recent_hour_ms

DISK_BYTES = 160 << 20
REFUSED_WITHIN_S = 60
RECOVERED_WITHIN_S = 60
FLAGS = ("--storage.shards=1",)


def mount_small_disk(test, folder):
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "lockstep-test", folder],
        capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        test.skipTest(f"cannot mount a small disk: {mounted.stderr.strip()}")
    test.addCleanup(subprocess.run, ["umount", folder], check=True)


class Ballast:
    """A file that takes all free space."""

    def __init__(self, folder):
        self._path = folder / "ballast"

    def leave(self, free_bytes):
        """The server may take from the same space at the same time."""
        with self._path.open("ab") as ballast:
            while (room := self._free_bytes() - free_bytes) > 0:
                try:
                    os.posix_fallocate(ballast.fileno(), os.fstat(ballast.fileno()).st_size, room)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def drop(self):
        self._path.unlink()

    def _free_bytes(self):
        disk = os.statvfs(self._path.parent)
        return disk.f_bavail * disk.f_frsize


def push(connection, script, ledger):
    """The response to the next batch."""
    batch = script.next_batch(0)
    ledger.send(batch)
    answer = connection.write(batch)
    if answer.stored:
        ledger.acknowledge(batch)
    return answer


class Pusher(threading.Thread):
    """Writes for some time, whatever the responses are. `complaint` is one that is neither a
    success nor a 503.
    """

    def __init__(self, server, number, ledger, start_ms):
        super().__init__(daemon=True)
        self._connection = server.connect()
        self._script = Script(number, start_ms)
        self._ledger = ledger
        self._enough = threading.Event()
        self.complaint = None

    def run(self):
        while not self._enough.is_set() and not self.complaint:
            answer = push(self._connection, self._script, self._ledger)
            if not answer.stored and answer.status != 503:
                self.complaint = f"{answer.status} {answer.text}"

    def finish(self):
        self._enough.set()
        self.join()
        self._connection.close()


class DiskFullTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-full-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        mount_small_disk(self, self.folder)
        self.ballast = Ballast(self.folder)
        self.ledger = Ledger()
        self.start_ms = recent_hour_ms()
        self.script = Script(1, self.start_ms)
        self.serve()

    def serve(self):
        self.server = lockstep_server.Server.ready(self.folder, *FLAGS)
        self.addCleanup(self.server.kill)
        self.connection = self.server.connect()
        self.addCleanup(self.connection.close)

    def check(self):
        self.ledger.check(self, self.connection, self.start_ms / 1000 + 3600)

    def push(self):
        return push(self.connection, self.script, self.ledger)

    def refusal(self):
        """The first response that is not a success; every response is a success or a 503."""
        answer = self.push()
        self.assertTrue(answer.stored or answer.status == 503, f"{answer.status} {answer.text}")
        return None if answer.stored else answer

    def check_full(self):
        """Writes are repeatedly rejected as they should be, and reads continue."""
        programs.wait_until(self.refusal, "writes are refused", REFUSED_WITHIN_S)
        for _ in range(5):
            answer = self.push()
            self.assertEqual(answer.status, 503, answer.text)
            self.assertIn("disk is full", answer.text)
            self.assertGreater(int(answer.headers["Retry-After"]), 0)
            self.check()
        self.assertEqual(self.connection.get("/-/healthy").status, 200)
        self.assertTrue(self.server.alive)

    def check_recovers(self):
        self.ballast.drop()
        programs.wait_until(lambda: self.push().stored, "writes are taken again",
                            RECOVERED_WITHIN_S)
        for _ in range(20):
            self.assertTrue(self.push().stored)
        self.check()

    def check_after_kill(self):
        self.server.kill()
        self.serve()
        self.check()
        self.assertTrue(self.push().stored)

    def run_full(self, free_bytes):
        for _ in range(20):
            self.assertTrue(self.push().stored)
        self.ballast.leave(free_bytes)
        self.check_full()
        self.check_recovers()
        self.check_after_kill()

    def test_little_room_left(self):
        self.run_full(8 << 20)

    def test_no_room_left(self):
        self.run_full(0)

    def test_killed_while_full(self):
        for _ in range(20):
            self.assertTrue(self.push().stored)
        self.ballast.leave(0)
        self.check_full()
        self.server.kill()
        self.ballast.drop()
        self.serve()
        self.check()
        self.assertTrue(self.push().stored)

    def test_restarted_while_full(self):
        for _ in range(20):
            self.assertTrue(self.push().stored)
        self.ballast.leave(8 << 20)
        self.check_full()
        self.assertEqual(self.server.stop(), 0)
        self.serve()
        self.check()
        self.check_full()
        self.check_recovers()
        self.check_after_kill()

    def test_fills_up_again_and_again_under_writers(self):
        pushers = [Pusher(self.server, number, self.ledger, self.start_ms) for number in range(2, 5)]
        for pusher in pushers:
            pusher.start()
        for free_bytes in (0, 32 << 20, 0):
            self.ballast.leave(free_bytes)
            self.check_full()
            self.check_recovers()
        for pusher in pushers:
            pusher.finish()
        self.assertEqual([pusher.complaint for pusher in pushers if pusher.complaint], [])
        self.check_after_kill()


if __name__ == "__main__":
    unittest.main()
