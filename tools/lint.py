#!/usr/bin/env python3
"""Checks format, layers, ban list and clang-tidy for the whole tree or the given files.

usage: lint.py --build DIR --clang-format PROGRAM --clang-tidy PROGRAM [--changed | --recent N] [FILE ...]
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


def git(*arguments):
    """The output of git, split into words."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True,
                          check=True).stdout.split()


def changed_files():
    """The files that differ from main, committed or not; from HEAD if the clone has no branch main."""
    has_main = subprocess.run(["git", "rev-parse", "--verify", "--quiet", "main"], cwd=ROOT,
                              stdout=subprocess.DEVNULL, check=False).returncode == 0
    names = git("diff", "--name-only", *(git("merge-base", "HEAD", "main") if has_main else ["HEAD"]))
    return [name for name in names if (ROOT / name).is_file()]


def recent_files(count):
    """The files that differ from main, and the `count` source files that changed last on it."""
    names = dict.fromkeys(changed_files())
    for name in dict.fromkeys(git("log", "-n", "200", "--name-only", "--format=", "--", "*.cc")):
        if count > 0 and (ROOT / name).is_file() and name not in names:
            names[name] = None
            count -= 1
    return list(names)


# Other versions place a few spaces differently, so no text satisfies both.
CLANG_FORMAT_VERSION = "16"


def is_our_formatter(program):
    """Whether the program is the version of clang-format used for this tree."""
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return f" version {CLANG_FORMAT_VERSION}." in version


def badly_formatted(program, files):
    """Whether clang-format would change any of the files."""
    result = subprocess.run([program, "--dry-run", "-Werror", *files], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    sys.stdout.write(result.stderr)
    return result.returncode != 0


def run_clang_tidy(program, build, file):
    result = subprocess.run([program, "-p", str(build), "--quiet", file], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + (result.stderr if result.returncode else "")


def clang_tidy_findings(program, build, files):
    """The number of `files` with clang-tidy findings."""
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
    parser.add_argument("--changed", action="store_true", help="check only files that differ from main")
    parser.add_argument("--recent", type=int, metavar="N",
                        help="check the format of everything; run clang-tidy on files that differ from main and "
                        "on the N source files that changed last")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()

    files = options.files or (changed_files() if options.changed else tidy.tree(ROOT))
    code = [file for file in files if tidy.CPP.search(file)]
    failed = check_layers.main([]) + tidy.main([])
    if not is_our_formatter(options.clang_format):
        print(f"format: not checked, because the tree is formatted with clang-format {CLANG_FORMAT_VERSION} "
              f"and this is {options.clang_format}")
    elif code and badly_formatted(options.clang_format, code):
        failed += 1
    if options.recent is not None:
        code = [file for file in recent_files(options.recent) if tidy.CPP.search(file)]
    failed += clang_tidy_findings(options.clang_tidy, options.build.resolve(), code)
    print("lint: clean" if not failed else "lint: see above")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
