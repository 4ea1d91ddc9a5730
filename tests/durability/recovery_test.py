"""A running server temporarily loses what its store needs: file handles, its folder. Meanwhile
writes are rejected with the cause and the server is not ready; soon after it continues, without a
restart.
"""

import resource
import unittest

from served_store import ServedStoreTest


class RecoveryTest(ServedStoreTest):
    def setUp(self):
        super().setUp()
        self.serve()

    def test_file_handles(self):
        for _ in range(3):
            self.assertTrue(self.push().stored)
        _, most = resource.prlimit(self.server.pid, resource.RLIMIT_NOFILE)
        # Open handles stay; no number below this one is free.
        resource.prlimit(self.server.pid, resource.RLIMIT_NOFILE, (3, most))
        # Moves data in memory to tables, which need handles.
        self.assertNotEqual(
            self.connection.post("/api/v1/admin/tsdb/clean_tombstones").status, 200)
        self.check_refuses("Too many open files")
        resource.prlimit(self.server.pid, resource.RLIMIT_NOFILE, (most, most))
        self.check_is_back()

    def test_folder(self):
        self.assertTrue(self.push().stored)
        self.server.data.rename(self.folder / "away")
        self.check_refuses("is gone")
        self.server.data.mkdir()
        self.check_refuses("is gone")
        self.assertEqual(list(self.server.data.iterdir()), [])
        self.server.data.rmdir()
        (self.folder / "away").rename(self.server.data)
        self.check_is_back()


if __name__ == "__main__":
    unittest.main()
