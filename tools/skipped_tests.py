#!/usr/bin/env python3
"""Lists the tests that a ctest run skipped, with the reasons.

usage: skipped_tests.py BUILD_FOLDER ...

Exits with 1 if CI=true and any of these tests must not be skipped: in CI, a missing dependency is a failure.
"""

import os
import pathlib
import re
import sys

# Skip reasons of tests that another class in the same file runs.
COVERED = re.compile(r"^a base$|^told by ")
TEST = re.compile(r"^\d+/\d+ Test: (.*)$")
GOOGLE_SKIP = re.compile(r"^\[  SKIPPED \] (\S+) \(")
PYTHON_SKIP = re.compile(r"\.\.\. skipped (['\"])(.*)\1$")
PYTHON_LINE = re.compile(r"^(\w+) \(")
PYTHON_CASE = re.compile(r"^(\w+) \(\w+.*\)$")


def skipped(log):
    """(ctest's name of the test, the case or "", the reason) of each skipped test in LastTest.log."""
    test, case, last_line = "", "", ""
    for line in log.splitlines():
        if found := TEST.match(line):
            test = found[1]
        elif found := PYTHON_CASE.match(line):
            case = found[1]
        elif "... skipped " in line:
            found = PYTHON_SKIP.search(line)
            name = PYTHON_LINE.match(line)
            yield test, name[1] if name else case, found[2] if found else line
        elif found := GOOGLE_SKIP.match(line):
            yield test, found[1], last_line
        elif line.startswith("Test Skipped"):
            yield test, "", "see its output"
        if line.strip():
            last_line = line.strip()


def main(folders):
    unexpected = 0
    for folder in map(pathlib.Path, folders):
        log = folder / "Testing/Temporary/LastTest.log"
        for test, case, reason in skipped(log.read_text(errors="replace")) if log.exists() else ():
            if COVERED.search(reason):
                continue
            print(f"skipped in {folder.name}: {test} {case}: {reason}")
            unexpected += 1
    if unexpected and os.environ.get("CI") == "true":
        print(f"{unexpected} tests were skipped that CI must run")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
