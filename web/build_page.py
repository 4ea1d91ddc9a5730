#!/usr/bin/env python3
"""Builds the web page with npm and writes its files as C++ constants.

usage: build_page.py --dist FOLDER --output page_files.cc

The page in FOLDER is cached with a stamp of its inputs and rebuilt when they change, so several
builds share one. If npm or its registry is not available and nothing is cached, the program is
built without a page, which the server reports at "/".
"""
import argparse
import contextlib
import fcntl
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
from embedded_bytes import view

# The page's inputs; tests and the C++ around it are not part of it.
INPUTS = ("package.json", "package-lock.json", "vite.config.ts", "tsconfig.json", "index.html", "src")
CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


def input_files():
    for name in INPUTS:
        path = HERE / name
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in files if file.is_file() and ".test." not in file.name)


def stamp_of(files):
    """A hash of the names and contents of `files`."""
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.relative_to(HERE)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def npm(*arguments):
    """Runs npm; returns whether it succeeded."""
    environment = {**os.environ, "CI": "true", "NO_COLOR": "1"}
    result = subprocess.run(["npm", *arguments], cwd=HERE, env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if result.returncode:
        print(result.stdout, file=sys.stderr)
    return result.returncode == 0


def install():
    """Installs node_modules if it differs from package-lock.json; returns whether it is there."""
    stamp = HERE / "node_modules/.lockstep-stamp"
    wanted = stamp_of([HERE / "package-lock.json"])
    if stamp.exists() and stamp.read_text() == wanted:
        return True
    if shutil.which("npm") is None:
        print("web: npm is missing; './dev setup' installs it.", file=sys.stderr)
        return False
    if not npm("ci", "--no-audit", "--no-fund"):
        return False
    stamp.write_text(wanted)
    return True


def build(dist):
    """Builds `dist`; returns whether it holds the page. Exits if the page does not compile."""
    stamp = dist.with_suffix(".stamp")
    wanted = stamp_of(input_files())
    if stamp.exists() and stamp.read_text() == wanted:
        return True
    if not install():
        return False
    if not npm("run", "build", "--", "--outDir", str(dist), "--emptyOutDir"):
        sys.exit("web: building the page failed: see above.")
    stamp.write_text(wanted)
    return True


def source(files):
    """The text of page_files.cc for (path, content) pairs."""
    if not files:
        return ('// Made by build_page.py: there is no page.\n#include "web/page_files.h"\n\n'
                "namespace lockstep::web {\n\nstd::span<const PageFile> PageFiles() { return {}; }\n\n"
                "}  // namespace lockstep::web\n")
    constants, entries = [], []
    for number, (path, content) in enumerate(files):
        etag = hashlib.sha256(content).hexdigest()[:16]
        content_type = CONTENT_TYPES[pathlib.Path(path).suffix]
        constants.append(view(f"kGzip{number}", gzip.compress(content, 9, mtime=0)))
        entries.append(f'    {{"{path}", "{content_type}", "W/\\"{etag}\\"", '
                       f"kGzip{number}, {len(content)}}},\n")
    return ("// Made by build_page.py.\n#include <array>\n#include <string_view>\n\n"
            '#include "web/page_files.h"\n\nnamespace lockstep::web {\nnamespace {\n\n'
            + "\n".join(constants)
            + f"\nconstexpr std::array<PageFile, {len(entries)}> kFiles = {{{{\n"
            + "".join(entries)
            + "}};\n\n}  // namespace\n\nstd::span<const PageFile> PageFiles() { return kFiles; }\n"
            + "\n}  // namespace lockstep::web\n")


@contextlib.contextmanager
def alone(dist):
    """Holds the lock on `dist`, so that one process at a time works on it."""
    dist.parent.mkdir(parents=True, exist_ok=True)
    with dist.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with alone(options.dist):
        is_built = build(options.dist)
        files = [(f"/{file.relative_to(options.dist).as_posix()}", file.read_bytes())
                 for file in sorted(options.dist.rglob("*")) if file.is_file()] if is_built else []
    options.output.write_text(source(files))
    if not is_built:
        print("web: THIS BUILD HAS NO PAGE; the next build tries again.", file=sys.stderr)
        # Older than all inputs, so the next build runs this step again.
        os.utime(options.output, (0, 0))


if __name__ == "__main__":
    main()
