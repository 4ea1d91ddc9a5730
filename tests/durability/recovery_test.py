"""What a store needs is taken away from a running server and given back: file handles, its folder.
Meanwhile writes are refused with the cause and the server is not ready; soon after it goes on, without
a restart.
"""

import pathlib
import resource
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


class RecoveryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-recovery-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
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

    def is_ready(self):
        return self.connection.get("/-/ready").status == 200

    def check_refuses(self, cause):
        answer = programs.wait_until(lambda: not self.is_ready() and self.push(), "it refuses",
                                     BACK_WITHIN_S)
        self.assertEqual(answer.status, 503)
        self.assertIn(cause, answer.text)
        self.assertIsNotNone(answer.headers["Retry-After"])
        # Reads go on.
        self.ledger.check(self, self.connection, self.start_ms / 1000 + 3600)

    def check_is_back(self):
        programs.wait_until(lambda: self.push().stored and self.is_ready(), "it takes writes",
                            BACK_WITHIN_S)
        self.ledger.check(self, self.connection, self.start_ms / 1000 + 3600)
        self.server.kill()
        self.serve()
        self.ledger.check(self, self.connection, self.start_ms / 1000 + 3600)

    def test_file_handles(self):
        for _ in range(3):
            self.assertTrue(self.push().stored)
        _, most = resource.prlimit(self.server.pid, resource.RLIMIT_NOFILE)
        # Those that are open stay; no number is free below this.
        resource.prlimit(self.server.pid, resource.RLIMIT_NOFILE, (3, most))
        # It moves what is in memory to tables, which need handles.
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
