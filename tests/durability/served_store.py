"""What tests that take something away from a running server have in common: a server, what was
pushed to it, and what it acknowledged.
"""

import pathlib
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


class ServedStoreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-served-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.start_ms = recent_hour_ms()
        self.script = Script(1, self.start_ms)
        self.ledger = Ledger()

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

    def check_samples(self):
        self.ledger.check(self, self.connection, self.start_ms / 1000 + 3600)

    def check_refuses(self, cause):
        """Writes are rejected with this cause, and reads continue."""
        answer = programs.wait_until(lambda: not self.is_ready() and self.push(), "it refuses", BACK_WITHIN_S)
        self.assertEqual(answer.status, 503)
        self.assertIn(cause, answer.text)
        self.assertIsNotNone(answer.headers["Retry-After"])
        self.check_samples()

    def check_is_back(self):
        """Writes succeed again, and after a restart everything acknowledged is there."""
        programs.wait_until(lambda: self.push().stored and self.is_ready(), "it takes writes", BACK_WITHIN_S)
        self.check_samples()
        self.server.kill()
        self.serve()
        self.check_samples()
