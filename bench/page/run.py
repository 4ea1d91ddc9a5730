#!/usr/bin/env python3
"""How soon the page of a large job shows its verdict, and everything: a headless Chromium with a clock.

lockstep_answers_bench makes the job and its store; web/browser/first_paint.mjs looks at the page, with nothing
cached, several times.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench/peers"))
import peers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    peers.add_program_arguments(parser)
    parser.add_argument("--answers-bench", type=peers.existing_path, required=True, help="lockstep_answers_bench")
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=3600, help="of a second each (default 3600)")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lockstep-page-bench-", dir=options.folder) as name:
        folder = pathlib.Path(name)
        (folder / "data").mkdir()
        subprocess.run([options.answers_bench, "--data", folder / "data", "--ranks", str(options.ranks),
                        "--steps", str(options.steps), "--repeats", "1"], check=True)
        # The job's times are those of 2023.
        server = peers.Server.ready(folder, "--storage.retention.time", "100y", program=options.lockstep)
        try:
            subprocess.run(["node", ROOT / "web/browser/first_paint.mjs", "--rounds", str(options.rounds), server.url,
                            "/jobs/made", ".late"], check=True)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
