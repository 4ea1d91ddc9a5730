#!/usr/bin/env python3
"""Builds the Python wheel that carries the server: pip puts the program among the environment's scripts.

usage: build_wheel.py --program FILE --licences FOLDER --output FOLDER

FILE is the portable program; FOLDER of licences is what bill.py wrote. The wheel has no Python code.
"""

import base64
import hashlib
import pathlib
import tempfile

from archives import write_zip
from release import GLIBC, HERE, ROOT, SUMMARY, epoch, make_portable, stripped, version

NAME = "lockstep-server"
TAG = f"py3-none-manylinux_{GLIBC.replace('.', '_')}_x86_64"


def metadata():
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: {SUMMARY}\n"
            "License: Apache-2.0\nRequires-Python: >=3.8\nClassifier: Operating System :: POSIX :: Linux\n"
            "Classifier: Programming Language :: C++\nClassifier: Topic :: System :: Monitoring\n"
            "Description-Content-Type: text/markdown\n\n"
            + (HERE / "wheel_readme.md").read_text(encoding="utf-8"))


def members(program, licences):
    """(name, bytes, mode) in the order of the archive; RECORD comes last."""
    stem = f"{NAME.replace('-', '_')}-{version()}"
    info = f"{stem}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        binary = stripped(program, pathlib.Path(folder, "lockstep")).read_bytes()
    files = [(f"{stem}.data/scripts/lockstep", binary, 0o755),
             (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644)]
    files += [(f"{info}/licenses/third-party/{file.name}", file.read_bytes(), 0o644)
              for file in sorted(licences.iterdir())]
    files += [(f"{info}/METADATA", metadata().encode(), 0o644),
              (f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: lockstep {version()}\n"
                                 f"Root-Is-Purelib: false\nTag: {TAG}\n").encode(), 0o644)]
    lines = []
    for name, content, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    lines.append(f"{info}/RECORD,,\n")
    return [*files, (f"{info}/RECORD", "".join(lines).encode(), 0o644)]


def build(program, licences, output):
    wheel = output / f"{NAME.replace('-', '_')}-{version()}-{TAG}.whl"
    write_zip(wheel, members(program, licences), epoch())
    return wheel


if __name__ == "__main__":
    make_portable(build)
