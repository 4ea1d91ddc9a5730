"""OpenTelemetry's Python SDK in an environment of its own, made from PyPI when it is first asked for."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import pypi

FOLDER = pathlib.Path(__file__).resolve().parent
SEND_WITHIN_S = 120


def python():
    """The environment's interpreter; without PyPI the test is skipped."""
    return pypi.environment("otel_sdk", FOLDER / "otel_sdk_requirements.txt")


def send(**told):
    """Has the SDK send; see otel_sender.py."""
    # Beside the sender lies a module with the name of one of the SDK's own.
    result = subprocess.run([str(python()), "-P", str(FOLDER / "otel_sender.py")], text=True,
                            input=json.dumps(told), capture_output=True, timeout=SEND_WITHIN_S)
    if result.returncode != 0:
        raise AssertionError(f"the SDK could not send: {result.stderr[-2000:]}")
