"""Writers push while the server is repeatedly killed with SIGKILL: what was answered with 2xx is
there afterwards, once, with its value.

LOCKSTEP_PROGRAM names the server; LOCKSTEP_KILL_ROUNDS is the number of kills (default 20).
"""

import os
import pathlib
import random
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import lockstep_server
from ledger import Ledger
from writer import Script, Writer, recent_hour_ms

ROUNDS = int(os.environ.get("LOCKSTEP_KILL_ROUNDS", "20"))
WRITERS = 4
PROGRESS_WITHIN_S = 60
FLAGS = ("--storage.shards=3",)


class Life:
    """One server from its start to its kill, with writers."""

    def __init__(self, folder, scripts, generation, ledger):
        self._stored = threading.Semaphore(0)
        self.server = lockstep_server.Server.ready(folder, *FLAGS)
        self.writers = [Writer(self.server, script, generation, ledger, self._stored.release)
                        for script in scripts]

    def start_writers(self):
        for writer in self.writers:
            writer.start()

    def kill_after(self, stored_batches, delay_s):
        """SIGKILL at a moment unrelated to responses and commits."""
        for _ in range(stored_batches):
            if not self._stored.acquire(timeout=PROGRESS_WITHIN_S):
                raise TimeoutError(f"no batch was stored within {PROGRESS_WITHIN_S} s")
        threading.Event().wait(delay_s)
        self.server.kill()
        for writer in self.writers:
            writer.join()


class KillTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-kill-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.random = random.Random(20)
        self.ledger = Ledger()
        self.start_ms = recent_hour_ms()

    def check(self, server):
        connection = server.connect()
        self.addCleanup(connection.close)
        self.ledger.check(self, connection, self.start_ms / 1000 + 3600)

    def resend_some(self, server, batches):
        """Sends half of the unanswered batches again, as a sender would: they must not be stored
        twice. The other half is never sent again.
        """
        connection = server.connect()
        self.addCleanup(connection.close)
        for batch in batches:
            if self.random.random() < 0.5:
                answer = connection.write(batch)
                self.assertTrue(answer.stored, f"{answer.status} {answer.text}")
                self.ledger.acknowledge(batch)

    def die_while_starting(self):
        server = lockstep_server.Server(self.folder, *FLAGS)
        threading.Event().wait(self.random.uniform(0, 0.15))
        server.kill()

    def test_nothing_acknowledged_is_lost_or_doubled(self):
        scripts = [Script(number, self.start_ms) for number in range(WRITERS)]
        in_doubt = []
        for generation in range(ROUNDS):
            with self.subTest(generation=generation):
                if generation % 3 == 2:
                    self.die_while_starting()
                life = Life(self.folder, scripts, generation, self.ledger)
                self.addCleanup(life.server.kill)
                self.check(life.server)
                self.resend_some(life.server, in_doubt)
                self.check(life.server)
                life.start_writers()
                life.kill_after(self.random.randrange(40), self.random.uniform(0, 0.05))
                self.assertEqual([w.complaint for w in life.writers if w.complaint], [])
                in_doubt = [batch for writer in life.writers for batch in writer.in_doubt]

        server = lockstep_server.Server.ready(self.folder, *FLAGS)
        self.check(server)
        self.assertEqual(server.stop(), 0)
        server = lockstep_server.Server.ready(self.folder, *FLAGS)
        self.addCleanup(server.kill)
        self.check(server)
        self.assertGreater(self.ledger.acknowledged_count, ROUNDS * WRITERS)


if __name__ == "__main__":
    unittest.main()
