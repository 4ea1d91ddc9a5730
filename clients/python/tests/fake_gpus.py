"""Builds fake_nvml.c, a libnvidia-ml for machines without a GPU."""

import pathlib
import shutil
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent / "fake_nvml.c"


def build(folder):
    """Builds the library in `folder` and returns its path."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise unittest.SkipTest("there is no C compiler")
    library = pathlib.Path(folder, "libnvidia-ml.so.1")
    subprocess.run([compiler, "-std=c11", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(library), str(SOURCE)],
                   check=True)
    return str(library)
