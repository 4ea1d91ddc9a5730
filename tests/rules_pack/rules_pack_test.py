"""Every alert of the shipped rules has a unit test that passes in lockstep and in promtool."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs

PACK = programs.ROOT / "rules_pack"
TESTS = sorted(map(str, PACK.glob("*_test.yml")))


def alerts(pattern, paths):
    return {name for path in paths for name in re.findall(pattern, pathlib.Path(path).read_text())}


class RulesPack(unittest.TestCase):
    def run_tests(self, *command):
        done = subprocess.run([*command, *TESTS], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_alert_is_tested(self):
        rules = set(map(str, PACK.glob("*.yml"))) - set(TESTS)
        known = alerts(r"- alert: (\w+)", rules)
        tested = alerts(r"alertname: (\w+)\n +exp_alerts:", TESTS)
        self.assertTrue(known)
        self.assertEqual(known, tested)

    def test_lockstep_passes(self):
        self.run_tests(os.environ["LOCKSTEP_PROGRAM"], "rules", "test")

    def test_promtool_passes(self):
        self.run_tests(programs.find_program("promtool"), "test", "rules")


if __name__ == "__main__":
    unittest.main(verbosity=2)
