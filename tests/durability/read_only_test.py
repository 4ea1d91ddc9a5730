"""The store's file system becomes read-only under a running server, and writable again: writes are
rejected with the cause, the server is not ready, and reads continue; soon after it accepts writes
again, without a restart, and nothing acknowledged is lost.

The kernel does not make a mount read-only while files on it are open for writing, like the store's
log. So the folder gets a second, read-only mount on top: opening files then fails with EROFS.

Needs its own mounts: runs as root, otherwise skipped with the reason.
"""

import ctypes
import os
import subprocess
import unittest

from served_store import ServedStoreTest

CLONE_NEWNS = 0x20000  # linux/sched.h


def enter_private_mounts():
    """Makes later mounts of this process and its children invisible to others."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        raise unittest.SkipTest(f"cannot have mounts of its own: {os.strerror(ctypes.get_errno())}")
    mount("--make-rprivate", "/")


def mount(*arguments):
    mounted = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        raise unittest.SkipTest(f"cannot mount a disk: {mounted.stderr.strip()}")


class ReadOnlyTest(ServedStoreTest):
    @classmethod
    def setUpClass(cls):
        enter_private_mounts()

    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.mkdir(mode=0o700)
        mount("-t", "tmpfs", "-o", "mode=700", "lockstep-test", self.data)
        self.addCleanup(subprocess.run, ["umount", self.data], check=True)
        self.serve()

    def test_writes_come_back_with_the_file_system(self):
        for _ in range(3):
            self.assertTrue(self.push().stored)
        mount("--bind", self.data, self.data)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.data], check=True)
        mount("-o", "remount,bind,ro", self.data)
        # Moves data in memory to tables, which are new files.
        self.assertNotEqual(self.connection.post("/api/v1/admin/tsdb/clean_tombstones").status, 200)
        for _ in range(3):
            self.check_refuses("Read-only file system")
        mount("-o", "remount,bind,rw", self.data)
        self.check_is_back()
        self.assertTrue(self.push().stored)
        self.server.kill()


if __name__ == "__main__":
    unittest.main()
