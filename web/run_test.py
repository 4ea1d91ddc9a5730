#!/usr/bin/env python3
"""Runs one of the page's npm scripts; exits 77, which skips the test, without node_modules.

usage: run_test.py types|unit|page|links|walk|numbers
"""

import subprocess
import sys

import build_page

SKIPPED = 77


def main():
    if not (build_page.HERE / "node_modules/.lockstep-stamp").exists():
        print("web: node_modules is missing because npm or its registry was not available.")
        return SKIPPED
    return subprocess.run(["npm", "run", "--silent", sys.argv[1]], cwd=build_page.HERE, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
