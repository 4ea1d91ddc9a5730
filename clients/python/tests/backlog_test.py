"""A backlog behaves as a list of lines taken from the front, wherever they are stored."""

import pathlib
import random
import tempfile
import unittest

from lockstep import backlog
from lockstep.backlog import Backlog, Piece


def numbered(numbers):
    return [f"line {number}\n".encode() for number in numbers]


class BacklogTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-backlog-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "stream")

    def backlog(self, disk=4 << 20, memory=1 << 20):
        return Backlog(self.folder, disk, memory)

    def filled(self, lines):
        filled = self.backlog()
        for line in lines:
            self.assertTrue(filled.append(line))
        return filled

    def rest(self, of, max_bytes=1 << 20):
        """All waiting lines, taken piece by piece."""
        lines = b""
        while (piece := of.oldest(max_bytes)) is not None:
            self.assertEqual(piece.offset, of.acknowledged)
            lines += piece.lines
            of.acknowledge(piece.end)
        return lines

    def test_a_piece_is_whole_lines_and_at_least_one(self):
        for spilled in (False, True):
            for max_bytes, expected in ((1, 1), (7, 1), (13, 1), (14, 2), (20, 2), (1000, 3)):
                waiting = self.filled(numbered(range(3)))
                if spilled:
                    waiting.spill()
                self.assertEqual(waiting.oldest(max_bytes),
                                 Piece(0, b"".join(numbered(range(expected)))), (spilled, max_bytes))
                self.rest(waiting)

    def test_any_order_of_calls_gives_the_lines_as_they_came(self):
        for seed in range(200):
            chance = random.Random(seed)
            waiting = self.backlog()
            appended = taken = b""
            for _ in range(40):
                call = chance.choice(("append", "append", "append", "spill", "take"))
                if call == "append":
                    line = bytes(chance.choices(b"abc", k=chance.randrange(20))) + b"\n"
                    appended += line
                    waiting.append(line)
                elif call == "spill":
                    waiting.spill(chance.random() < 0.1)
                elif (piece := waiting.oldest(chance.randrange(1, 50))) is not None:
                    taken += piece.lines
                    waiting.acknowledge(piece.end)
            self.assertEqual(taken + self.rest(waiting), appended, seed)
            self.assertEqual(list(self.folder.glob("*")), [])

    def test_what_is_spilled_can_be_taken_up_by_another(self):
        waiting = self.filled(numbered(range(5)))
        waiting.acknowledge(7)
        waiting.spill()
        taken_up = Backlog.left_behind(self.folder)
        self.assertEqual(taken_up.oldest(1000), Piece(7, b"".join(numbered(range(1, 5)))))
        taken_up.acknowledge(35)
        self.assertTrue(taken_up.empty)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_torn_line_at_the_end_is_left_out(self):
        waiting = self.filled(numbered(range(3)))
        waiting.spill()
        [segment] = self.folder.iterdir()
        text = segment.read_bytes()
        for length in range(len(text)):
            segment.write_bytes(text[:length])
            whole = text[:length // 7 * 7]
            taken_up = Backlog.left_behind(self.folder)
            self.assertEqual(taken_up.oldest(1000), Piece(0, whole) if whole else None, length)

    def test_segments_are_bounded_and_their_sum_is(self):
        line = b"x" * (100 << 10) + b"\n"
        waiting = self.backlog(disk=3 << 20, memory=64 << 20)
        for _ in range(64):
            waiting.append(line)
        self.assertFalse(waiting.spill())
        sizes = [path.stat().st_size for path in self.folder.iterdir()]
        self.assertEqual(len(sizes), 2)
        self.assertLessEqual(max(sizes), backlog.MAX_SEGMENT_BYTES + len(line))
        self.assertLessEqual(sum(sizes), 3 << 20)
        self.assertEqual(self.rest(waiting), 64 * line)

    def test_however_lines_come_the_disk_is_bounded(self):
        line = b"x" * 9_999 + b"\n"
        for together in (1, 7, 150, 400):
            waiting = self.backlog(disk=3 << 20, memory=64 << 20)
            for number in range(400):
                waiting.append(line)
                if number % together == together - 1:
                    waiting.spill()
                    self.assertLessEqual(backlog.spooled_bytes(self.folder.parent), 3 << 20)
            self.assertFalse(waiting.spill())
            self.assertEqual(self.rest(waiting), 400 * line)

    def test_what_somebody_removes_is_skipped_and_counted(self):
        line = b"x" * 9_999 + b"\n"
        for kept_bytes in (None, 0, 5_000, 25_000):
            waiting = self.backlog(memory=64 << 20)
            for _ in range(150):
                waiting.append(line)
            waiting.spill()
            first, second = sorted(self.folder.iterdir())
            size = first.stat().st_size
            if kept_bytes is None:
                first.unlink()
            else:
                first.write_bytes(first.read_bytes()[:kept_bytes])
            kept = (kept_bytes or 0) // len(line)
            self.assertEqual(self.rest(waiting), (kept * len(line) + 1_500_000 - size) // len(line) * line)
            self.assertEqual(waiting.lost_bytes, size - kept * len(line))
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_segment_that_is_gone_is_not_made_up(self):
        waiting = self.filled(numbered(range(2)))
        waiting.spill()
        [segment] = self.folder.iterdir()
        segment.unlink()
        waiting.append(b"again\n")
        self.assertRaises(FileNotFoundError, waiting.spill)
        self.assertEqual(self.rest(waiting), b"again\n")

    def test_memory_is_bounded(self):
        waiting = self.backlog(memory=20)
        self.assertEqual([waiting.append(line) for line in numbered(range(4))], [True, True, False, False])
        waiting.spill()
        self.assertTrue(waiting.append(b"again\n"))
        self.assertEqual(self.rest(waiting), b"line 0\nline 1\nagain\n")

    def test_a_disk_that_fails_loses_nothing(self):
        self.folder.parent.joinpath("stream").write_text("a file where the folder should be")
        waiting = self.filled(numbered(range(3)))
        self.assertRaises(OSError, waiting.spill)
        self.folder.unlink()
        self.assertTrue(waiting.spill())
        self.assertEqual(self.rest(waiting), b"".join(numbered(range(3))))


if __name__ == "__main__":
    unittest.main()
