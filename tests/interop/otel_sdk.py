"""OpenTelemetry's Python SDK in an environment made from PyPI on first use."""

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
    """Makes the SDK send; see otel_sender.py."""
    # The sender's folder has a module with the same name as one of the SDK's.
    result = subprocess.run([str(python()), "-P", str(FOLDER / "otel_sender.py")], text=True,
                            input=json.dumps(told), capture_output=True, timeout=SEND_WITHIN_S)
    if result.returncode != 0:
        raise AssertionError(f"the SDK could not send: {result.stderr[-2000:]}")
