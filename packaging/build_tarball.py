#!/usr/bin/env python3
"""Builds the tarball that is unpacked anywhere.

usage: build_tarball.py --program FILE --licences FOLDER --output FOLDER

FILE is the portable program; FOLDER of licences is what bill.py wrote.
"""

import os
import pathlib
import tempfile

from archives import write_tar_gz
from release import HERE, ROOT, documentation, epoch, make_portable, shared_files, stripped, version

# Where the unit of the tarball looks for the program.
PREFIX = "/opt/lockstep"


def unit():
    text = (HERE / "lockstep.service").read_text(encoding="utf-8")
    return text.replace("ExecStart=/usr/bin/lockstep", f"ExecStart={PREFIX}/bin/lockstep").encode()


def members(program, licences):
    """(name below the folder, bytes, mode)."""
    with tempfile.TemporaryDirectory() as folder:
        yield "bin/lockstep", stripped(program, pathlib.Path(folder, "lockstep")).read_bytes(), 0o755
    for name in ("LICENSE", "CHANGELOG.md"):
        yield name, (ROOT / name).read_bytes(), 0o644
    yield "etc/lockstep.yml", (HERE / "lockstep.yml").read_bytes(), 0o644
    yield "lib/systemd/system/lockstep.service", unit(), 0o644
    places = {"man": "share/man/man1/lockstep.1", "bash": "share/bash-completion/completions/lockstep",
              "zsh": "share/zsh/site-functions/_lockstep"}
    for kind, text in documentation(program).items():
        yield places[kind], text.encode(), 0o644
    for name, file in shared_files():
        yield f"share/lockstep/{name}", file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644
    for file in sorted(licences.iterdir()):
        yield f"share/doc/third-party/{file.name}", file.read_bytes(), 0o644


def build(program, licences, output):
    folder = f"lockstep-{version()}-linux-x86_64"
    tarball = output / f"{folder}.tar.gz"
    write_tar_gz(tarball, [(f"{folder}/{name}", content, mode) for name, content, mode in members(program, licences)],
                 epoch())
    return tarball


if __name__ == "__main__":
    make_portable(build)
