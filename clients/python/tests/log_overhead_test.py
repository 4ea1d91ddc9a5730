"""The benchmark runs, and the cost of a call per training step is below the limit."""

import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "bench/log_overhead.py"
MAX_MEDIAN_US = 50


class LogOverheadTest(unittest.TestCase):
    def test_the_median_call_is_cheap(self):
        said = subprocess.run([sys.executable, str(PROGRAM), "--steps", "2000"], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
        self.assertLess(float(re.search(r"median ([0-9.]+) us", said)[1]), MAX_MEDIAN_US, said)
        self.assertIn("; 0 dropped", said)


if __name__ == "__main__":
    unittest.main()
