#!/usr/bin/env python3
"""Builds wheel and source distribution of clients/python. Needs setuptools.

usage: build_client.py --output FOLDER
"""

import argparse
import contextlib
import logging
import os
import pathlib
import shutil
import tarfile
import tempfile

from setuptools import build_meta

from archives import write_tar_gz
from release import ROOT, epoch


def without_times(sdist):
    """Writes the members of `sdist` again, as a tarball that depends on their content alone."""
    with tarfile.open(sdist) as tar:
        members = [(member.name, tar.extractfile(member).read(), 0o644) for member in tar if member.isfile()]
    write_tar_gz(sdist, members, epoch())


def build(output):
    logging.disable(logging.INFO)  # setuptools names every file that it copies
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "source")
        shutil.copytree(ROOT / "clients/python", source,
                        ignore=shutil.ignore_patterns("tests", "bench", "examples", "CMakeLists.txt", "__pycache__",
                                                      "*.egg-info", "build", "dist"))
        shutil.copy(ROOT / "LICENSE", source)
        # Neither the permissions of the checkout nor those of this user's new files matter.
        os.umask(0o022)
        for path in source.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        os.environ["SOURCE_DATE_EPOCH"] = str(epoch())
        with contextlib.chdir(source), contextlib.redirect_stdout(None):
            wheel = output / build_meta.build_wheel(str(output))
            sdist = output / build_meta.build_sdist(str(output))
    without_times(sdist)
    return wheel, sdist


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=pathlib.Path, required=True)
    for artefact in build(parser.parse_args().output.resolve()):
        print(artefact)


if __name__ == "__main__":
    main()
