"""The disk fills up under a running server: writes are answered 503 with a reason and a Retry-After,
reads go on, writes come back with the space, and nothing acknowledged is lost.

Needs a small file system of its own: runs as root, or else is skipped with the reason.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
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
    """A file that takes what room there is."""

    def __init__(self, folder):
        self._path = folder / "ballast"

    def leave(self, free_bytes):
        disk = os.statvfs(self._path.parent)
        room = disk.f_bavail * disk.f_frsize - free_bytes
        with self._path.open("ab") as ballast:
            os.posix_fallocate(ballast.fileno(), os.fstat(ballast.fileno()).st_size, room)

    def drop(self):
        self._path.unlink()


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
        batch = self.script.next_batch(0)
        answer = self.connection.write(batch)
        (self.ledger.acknowledge if answer.stored else self.ledger.doubt)(batch)
        return answer

    def refusal(self):
        """The first answer that is not good; every answer is either good or a 503."""
        answer = self.push()
        self.assertTrue(answer.stored or answer.status == 503, f"{answer.status} {answer.text}")
        return None if answer.stored else answer

    def check_full(self):
        """Writes are refused as they should be, again and again, and reads go on."""
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


if __name__ == "__main__":
    unittest.main()
