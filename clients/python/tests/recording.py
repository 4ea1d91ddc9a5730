"""The demo's recording, on a real server and as in its file."""

import gzip
import os
import pathlib
import re
import subprocess
import tempfile

import lockstep_server

PATH = pathlib.Path(__file__).resolve().parents[3] / "demo/data/metrics.om.gz"
JOB = "pretrain-bf16"
LINE = re.compile(r'(\w+)\{([^}]*)\} (\S+) (\S+)')
LABEL = re.compile(r'(\w+)="([^"]*)"')


def serve(test_class):
    """Starts a server with the recording for the tests of a class; returns its URL."""
    folder = tempfile.TemporaryDirectory(prefix="lockstep-client-")
    test_class.addClassCleanup(folder.cleanup)
    # The recording keeps its original timestamps, so retention must not drop it.
    server = lockstep_server.Server.ready(pathlib.Path(folder.name), "--storage.retention.time", "100y")
    test_class.addClassCleanup(server.kill)
    subprocess.run([os.environ["LOCKSTEP_PROGRAM"], "import", "--to", server.url, "--format", "openmetrics",
                    str(PATH)], check=True, stdout=subprocess.DEVNULL)
    return server.url


def samples(metric, **labels):
    """The file's samples with that metric and labels, as (labels, time in s, value)."""
    found = []
    with gzip.open(PATH, "rt") as file:
        for line in file:
            if line.startswith(metric + "{"):
                name, inside, value, time = LINE.match(line).groups()
                own = dict(LABEL.findall(inside))
                if labels.items() <= own.items():
                    found.append(({"__name__": name, **own}, float(time), float(value)))
    return found
