#!/usr/bin/env python3
"""Format, layers, ban list and clang-tidy over the tree, or over the files named.

usage: lint.py --build DIR --clang-format PROGRAM --clang-tidy PROGRAM [--changed] [FILE ...]
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

import check_layers
import tidy

ROOT = pathlib.Path(__file__).resolve().parent.parent


def changed_files():
    """The files that differ from main, committed or not."""
    base = subprocess.run(["git", "merge-base", "HEAD", "main"], cwd=ROOT, capture_output=True,
                          text=True, check=True).stdout.strip()
    names = subprocess.run(["git", "diff", "--name-only", base], cwd=ROOT, capture_output=True,
                           text=True, check=True).stdout.split()
    return [name for name in names if (ROOT / name).is_file()]


def badly_formatted(program, files):
    """The files that clang-format would change."""
    result = subprocess.run([program, "--dry-run", "-Werror", *files], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    sys.stdout.write(result.stderr)
    return result.returncode != 0


def run_clang_tidy(program, build, file):
    result = subprocess.run([program, "-p", str(build), "--quiet", file], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + (result.stderr if result.returncode else "")


def clang_tidy_findings(program, build, files):
    """How many of `files` clang-tidy complains about."""
    compiled = {os.path.relpath(entry["file"], ROOT)
                for entry in json.loads((build / "compile_commands.json").read_text())}
    todo = [file for file in files if file in compiled]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda file: run_clang_tidy(program, build, file), todo)
        for number, (file, (status, output)) in enumerate(zip(todo, runs), 1):
            print(f"[{number}/{len(todo)}] clang-tidy {file}", flush=True)
            if status:
                bad += 1
                print(output)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--clang-format", required=True)
    parser.add_argument("--clang-tidy", required=True)
    parser.add_argument("--changed", action="store_true", help="only what differs from main")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()

    files = options.files or (changed_files() if options.changed else tidy.tree(ROOT))
    code = [file for file in files if tidy.CPP.search(file)]
    failed = check_layers.main([]) + tidy.main([])
    if code and badly_formatted(options.clang_format, code):
        failed += 1
    failed += clang_tidy_findings(options.clang_tidy, options.build.resolve(), code)
    print("lint: clean" if not failed else "lint: see above")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
