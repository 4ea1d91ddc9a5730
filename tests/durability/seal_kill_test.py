"""A store that seals all the time is killed with SIGKILL, again and again: what it said is stored is
there afterwards, once, with its value.

LOCKSTEP_STORE_WRITER names the program of store_writer.cc.
"""

import os
import pathlib
import random
import subprocess
import tempfile
import threading
import unittest

from writer import recent_hour_ms

PROGRAM = os.environ["LOCKSTEP_STORE_WRITER"]
ROUNDS = int(os.environ.get("LOCKSTEP_KILL_ROUNDS", "20"))
# As in store_writer.cc.
STEP_MS, TIMES_PER_BATCH, SERIES_COUNT = 10, 25, 8


class SealKillTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-seal-")
        self.addCleanup(folder.cleanup)
        self.data = str(pathlib.Path(folder.name) / "data")
        self.start_ms = recent_hour_ms()
        self.random = random.Random(4)

    def killed_after(self, first, batches, delay_s):
        """The numbers of the batches that a writer, killed after at least `batches`, had stored, and
        how many chunks it had sealed."""
        with subprocess.Popen([PROGRAM, "write", self.data, str(first), str(self.start_ms)],
                              stdout=subprocess.PIPE, text=True) as writer:
            lines = []
            while len(lines) < batches:
                lines.append(writer.stdout.readline())
                self.assertTrue(lines[-1], "the writer ended by itself")
            # Not in step with what it says.
            threading.Event().wait(delay_s)
            writer.kill()
            lines += writer.stdout
            numbers, sealed = zip(*(map(int, line.split()[1:]) for line in lines))
            return list(numbers), sealed[-1]

    def samples(self):
        """{(series, step): value}, in which nothing may be twice."""
        printed = subprocess.run([PROGRAM, "print", self.data], capture_output=True, text=True,
                                 check=True).stdout
        found = {}
        for line in printed.splitlines():
            series, time_ms, value = line.split()
            key = (int(series), (int(time_ms) - self.start_ms) // STEP_MS)
            self.assertNotIn(key, found, "a sample twice")
            found[key] = float(value)
        return found

    def check(self, stored):
        found = self.samples()
        for (series, step), value in found.items():
            self.assertEqual(value, step * SERIES_COUNT + series)
        missing = [(series, number) for number in stored for series in range(SERIES_COUNT)
                   for step in range(number * TIMES_PER_BATCH, (number + 1) * TIMES_PER_BATCH)
                   if (series, step) not in found]
        self.assertEqual(missing, [], "(series, batch) stored and lost")

    def test_nothing_stored_is_lost_or_doubled(self):
        stored, sealed_chunks = [], 0
        for _ in range(ROUNDS):
            first = max(stored, default=-1) + 1 + self.random.randrange(10)
            numbers, sealed = self.killed_after(first, self.random.randrange(1, 150),
                                                self.random.uniform(0, 0.02))
            stored += numbers
            sealed_chunks += sealed
            self.check(stored)
        self.assertGreater(sealed_chunks, ROUNDS)


if __name__ == "__main__":
    unittest.main()
