"""The newest write-ahead log of a killed server is truncated, garbled or deleted: the server does
not start and names the log. Once its mark is deleted it starts, with everything that was
acknowledged before the damage. A torn write after the last acknowledged one does no harm.
"""

import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import lockstep_server
from ledger import Ledger
from writer import Script, recent_hour_ms

BATCHES = 30
# One shard has only one log, whose size shows what it contains.
FLAGS = ("--storage.shards=1",)


def newest_log(folder):
    return max((folder / "data").rglob("*.log"), key=lambda path: int(path.stem))


def cut(path, damage_at):
    """As after a power loss during a write."""
    with path.open("r+b") as log:
        log.truncate(damage_at)


def garble(path, damage_at):
    """As if the file had grown before its content reached the disk."""
    with path.open("r+b") as log:
        length = log.seek(0, 2) - damage_at
        log.seek(damage_at)
        log.write(random.Random(damage_at).randbytes(length))


def blank(path, damage_at):
    """The same, with blocks that were never written."""
    with path.open("r+b") as log:
        length = log.seek(0, 2) - damage_at
        log.seek(damage_at)
        log.write(bytes(length))


class TornWalTest(unittest.TestCase):
    def start_afresh(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-torn-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.start_ms = recent_hour_ms()
        self.script = Script(1, self.start_ms)

    def serve(self):
        server = lockstep_server.Server.ready(self.folder, *FLAGS)
        self.addCleanup(server.kill)
        connection = server.connect()
        self.addCleanup(connection.close)
        return server, connection

    def push(self, connection, ledger):
        batch = self.script.next_batch(0)
        ledger.send(batch)
        answer = connection.write(batch)
        self.assertTrue(answer.stored, f"{answer.status} {answer.text}")
        return batch

    def killed_after_batches(self, ledger):
        """[(size of the log once the batch was acknowledged, batch), ...] of a killed server."""
        server, connection = self.serve()
        written = []
        for _ in range(BATCHES):
            batch = self.push(connection, ledger)
            written.append((newest_log(self.folder).stat().st_size, batch))
        server.kill()
        return written

    def check_is_refused(self, path):
        server = lockstep_server.Server(self.folder, *FLAGS)
        self.addCleanup(server.kill)
        self.assertEqual(server.wait(), 1)
        self.assertIn(f"{path.parent.name}: the write-ahead log {path.name}", server.log)
        self.assertIn("LOG-MARK", server.log)

    def check_goes_on(self, ledger):
        """Everything acknowledged is there, and new writes survive another kill."""
        server, connection = self.serve()
        ledger.check(self, connection, self.start_ms / 1000 + 3600)
        ledger.acknowledge(self.push(connection, ledger))
        server.kill()
        _, connection = self.serve()
        ledger.check(self, connection, self.start_ms / 1000 + 3600)

    def check_damage(self, damage, bytes_lost):
        self.start_afresh()
        ledger = Ledger()
        written = self.killed_after_batches(ledger)
        path = newest_log(self.folder)
        damage_at = path.stat().st_size - bytes_lost
        damage(path, damage_at)
        for size, batch in written:
            if size <= damage_at:
                ledger.acknowledge(batch)
        self.assertGreater(ledger.acknowledged_count, 0)
        self.check_is_refused(path)
        (path.parent / "LOG-MARK").unlink()
        self.check_goes_on(ledger)

    def test_cut(self):
        for bytes_lost in (1, 7, 40, 333, 1500):
            with self.subTest(bytes_lost=bytes_lost):
                self.check_damage(cut, bytes_lost)

    def test_garbled(self):
        for bytes_lost in (1, 7, 40):
            with self.subTest(bytes_lost=bytes_lost):
                self.check_damage(garble, bytes_lost)

    def test_blank(self):
        for bytes_lost in (1, 40, 1500):
            with self.subTest(bytes_lost=bytes_lost):
                self.check_damage(blank, bytes_lost)

    def test_missing(self):
        self.start_afresh()
        self.killed_after_batches(Ledger())
        path = newest_log(self.folder)
        path.unlink()
        self.check_is_refused(path)

    def test_torn_behind_what_was_acknowledged(self):
        for torn in (b"\0" * 4000, random.Random(1).randbytes(1500)):
            with self.subTest(torn=torn[:4]):
                self.start_afresh()
                ledger = Ledger()
                for _, batch in self.killed_after_batches(ledger):
                    ledger.acknowledge(batch)
                with newest_log(self.folder).open("ab") as log:
                    log.write(torn)
                self.check_goes_on(ledger)


if __name__ == "__main__":
    unittest.main()
