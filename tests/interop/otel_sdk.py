"""OpenTelemetry's Python SDK in an environment of its own, made from PyPI when it is first asked for."""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs

FOLDER = pathlib.Path(__file__).resolve().parent
REQUIREMENTS = FOLDER / "otel_sdk_requirements.txt"
ENVIRONMENT = programs.ROOT / "build/tools/otel_sdk"
INSTALL_WITHIN_S = 300
SEND_WITHIN_S = 120


def python():
    """The environment's interpreter; without PyPI the test is skipped."""
    interpreter = ENVIRONMENT / "bin/python"
    installed = ENVIRONMENT / REQUIREMENTS.name
    if installed.exists() and installed.read_text() == REQUIREMENTS.read_text():
        return interpreter
    try:
        for command in ((sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)),
                        (str(interpreter), "-m", "pip", "install", "--quiet",
                         "--disable-pip-version-check", "-r", str(REQUIREMENTS))):
            subprocess.run(command, check=True, timeout=INSTALL_WITHIN_S, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or b"").decode(errors="replace")[-500:]
        raise unittest.SkipTest(
            f"OpenTelemetry's SDK could not be installed from PyPI: {error} {said}") from error
    installed.write_text(REQUIREMENTS.read_text())
    return interpreter


def send(**told):
    """Has the SDK send; see otel_sender.py."""
    # Beside the sender lies a module with the name of one of the SDK's own.
    result = subprocess.run([str(python()), "-P", str(FOLDER / "otel_sender.py")], text=True,
                            input=json.dumps(told), capture_output=True, timeout=SEND_WITHIN_S)
    if result.returncode != 0:
        raise AssertionError(f"the SDK could not send: {result.stderr[-2000:]}")
