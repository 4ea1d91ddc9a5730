"""The store's file system becomes read-only under a running server, and writable again: writes are refused with
the cause and the server is not ready, reads go on; soon after it takes writes again, without a restart, and
nothing acknowledged is lost.

The kernel refuses to make a mount read-only on which files are open for writing, as the store's log is. So the
folder gets a second mount on top, which is read-only: what is opened from then on fails with EROFS.

Needs mounts of its own: runs as root, or else is skipped with the reason.
"""

import ctypes
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

FLAGS = ("--storage.shards=1", "--web.enable-admin-api")
BACK_WITHIN_S = 10
CLONE_NEWNS = 0x20000  # linux/sched.h


def enter_private_mounts():
    """What this process and its children mount from now on, nobody else sees."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        raise unittest.SkipTest(f"cannot have mounts of its own: {os.strerror(ctypes.get_errno())}")
    mount("--make-rprivate", "/")


def mount(*arguments):
    mounted = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        raise unittest.SkipTest(f"cannot mount a disk: {mounted.stderr.strip()}")


class ReadOnlyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        enter_private_mounts()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-read-only-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "data"
        self.data.mkdir(mode=0o700)
        mount("-t", "tmpfs", "-o", "mode=700", "lockstep-test", self.data)
        self.addCleanup(subprocess.run, ["umount", self.data], check=True)
        self.start_ms = recent_hour_ms()
        self.script = Script(1, self.start_ms)
        self.ledger = Ledger()
        self.serve()

    def serve(self):
        self.server = lockstep_server.Server.ready(self.folder, *FLAGS)
        self.addCleanup(self.server.kill)
        self.connection = self.server.connect()
        self.addCleanup(self.connection.close)

    def push(self):
        batch = self.script.next_batch(0)
        self.ledger.send(batch)
        answer = self.connection.write(batch)
        if answer.stored:
            self.ledger.acknowledge(batch)
        return answer

    def check_samples(self):
        self.ledger.check(self, self.connection, self.start_ms / 1000 + 3600)

    def is_ready(self):
        return self.connection.get("/-/ready").status == 200

    def test_writes_come_back_with_the_file_system(self):
        for _ in range(3):
            self.assertTrue(self.push().stored)
        mount("--bind", self.data, self.data)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.data], check=True)
        mount("-o", "remount,bind,ro", self.data)
        # It moves what is in memory to tables, which are new files.
        self.assertNotEqual(self.connection.post("/api/v1/admin/tsdb/clean_tombstones").status, 200)
        for _ in range(3):
            refused = programs.wait_until(lambda: not self.is_ready() and self.push(), "it refuses", BACK_WITHIN_S)
            self.assertEqual(refused.status, 503)
            self.assertIn("Read-only file system", refused.text)
            self.assertIsNotNone(refused.headers["Retry-After"])
            self.check_samples()

        mount("-o", "remount,bind,rw", self.data)
        programs.wait_until(lambda: self.push().stored and self.is_ready(), "it takes writes", BACK_WITHIN_S)
        self.check_samples()
        self.server.kill()
        self.serve()
        self.check_samples()
        self.assertTrue(self.push().stored)
        self.server.kill()


if __name__ == "__main__":
    unittest.main()
