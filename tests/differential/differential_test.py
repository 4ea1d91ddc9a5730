"""lockstep answers random queries over random data as a real Prometheus 3 does.

LOCKSTEP_PROGRAM names the server, LOCKSTEP_PEERS the folder that tools/get_peers.sh fills. Exits with
77, which is a skipped test, when there is no Prometheus that is new enough.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import programs

# Left-open ranges, UTF-8 names, native histograms with custom buckets, durations with arithmetic.
OLDEST = (3, 5)
SEED = 1
QUERIES = 500
SKIPPED = 77


def version(program):
    said = subprocess.run(
        [program, "--version"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    ).stdout
    found = re.search(r"version (\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def new_prometheus():
    """The packaged Prometheus, or the one that get_peers.sh unpacked; None when both are too old."""
    packaged = shutil.which("prometheus", path=f"{programs.UNPACKED}:{os.environ['PATH']}")
    peer = pathlib.Path(os.environ["LOCKSTEP_PEERS"]) / "prometheus"
    for program in (packaged, peer if peer.exists() else None):
        if program and version(program) >= OLDEST:
            return program
    return None


def main():
    prometheus = new_prometheus()
    if prometheus is None:
        print(
            f"Skipped: this needs a Prometheus {OLDEST[0]}.{OLDEST[1]} or newer, Debian's is older. "
            f"'tools/get_peers.sh {os.environ['LOCKSTEP_PEERS']}' unpacks today's."
        )
        sys.exit(SKIPPED)
    sys.exit(
        subprocess.run(
            [
                sys.executable,
                HERE / "run.py",
                "--lockstep",
                os.environ["LOCKSTEP_PROGRAM"],
                "--prometheus",
                prometheus,
                "--seed",
                str(SEED),
                "--queries",
                str(QUERIES),
            ],
            check=False,
        ).returncode
    )


if __name__ == "__main__":
    main()
