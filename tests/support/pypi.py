"""Python environments for tests below build/tools, made from PyPI on first use."""

import pathlib
import subprocess
import sys
import unittest

import programs

INSTALL_WITHIN_S = 400


def environment(name, requirements, *more):
    """The interpreter of build/tools/NAME, with the packages in the file `requirements` and `more`.

    Without PyPI the test is skipped.
    """
    # The real path, because a virtual environment records it, and this checkout may be removed
    # earlier.
    folder = (programs.ROOT / "build/tools").resolve() / name
    interpreter = folder / "bin/python"
    wanted = "\n".join([pathlib.Path(requirements).read_text(), *map(str, more)])
    installed = folder / "installed.txt"
    if installed.exists() and installed.read_text() == wanted:
        return interpreter
    try:
        for command in ((sys.executable, "-m", "venv", "--clear", str(folder)),
                        (str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                         "-r", str(requirements), *map(str, more))):
            subprocess.run(command, check=True, timeout=INSTALL_WITHIN_S, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or b"").decode(errors="replace")[-500:]
        raise unittest.SkipTest(f"{name}: what {requirements.name} names could not be installed from PyPI: "
                                f"{error} {said}") from error
    installed.write_text(wanted)
    return interpreter
