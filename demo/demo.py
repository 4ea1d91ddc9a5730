#!/usr/bin/env python3
"""The demo: an empty server, recorded GPU runs, and the questions that people ask of them.

usage: demo.py run --lockstep PROGRAM      demo.py stop

Its server's data, log and process id lie in .demo/, or in the folder that LOCKSTEP_DEMO_FOLDER names.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import programs
import questions

RECORDING = ROOT / "demo/data/metrics.om.gz"
STATE = pathlib.Path(os.environ.get("LOCKSTEP_DEMO_FOLDER", ROOT / ".demo"))
PID = STATE / "pid"
# The labels worth a column; the rest says the same of every row.
COLUMNS = ("job", "rank", "gpu", "phase")
USUAL_PORT = 9009


def running_pid():
    """The process id of the demo's server, or None."""
    try:
        pid = int(PID.read_text())
        command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    return pid if b"lockstep" in command and str(STATE).encode() in command else None


def stop():
    """Asks the server to end and waits until it has."""
    pid = running_pid()
    if pid is None:
        print("demo: no server is running.")
        return
    os.kill(pid, signal.SIGTERM)
    try:
        programs.wait_until(lambda: running_pid() is None, f"process {pid} has ended",
                            programs.STOP_WITHIN_S)
    except TimeoutError as error:
        sys.exit(f"demo: the server does not stop: {error}")
    PID.unlink()
    print("demo: the server has stopped.")


def start(program):
    """Starts a server on an empty folder that outlives this program; returns its URL."""
    if running_pid() is not None:
        stop()
    shutil.rmtree(STATE, ignore_errors=True)
    STATE.mkdir()
    address = programs.free_address(USUAL_PORT)
    try:
        # The recording keeps its own dates, so nothing may be too old.
        server = programs.Listener(
            STATE, "server", [program, "serve", "--http", address, "--data", str(STATE / "data"),
                              "--storage.retention.time", "100y"],
            address, "/-/ready", start_new_session=True)
    except (ChildProcessError, TimeoutError) as error:
        sys.exit(f"demo: the server does not start: {error}")
    PID.write_text(str(server.pid))
    return server.url


def ask(url, question):
    """The result of an instant query, as a list of (labels, value)."""
    form = urllib.parse.urlencode({"query": question.query, "time": question.time}).encode()
    try:
        with urllib.request.urlopen(f"{url}/api/v1/query", form, timeout=60) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"demo: {question.query}\nwas refused: {error.read().decode()}")
    return [(row["metric"], float(row["value"][1])) for row in answer["data"]["result"]]


def table(rows, unit):
    """The rows as lines of text: the labels that tell them apart, then the value."""
    if not rows:
        return ["(no result)"]
    columns = [name for name in COLUMNS if any(name in labels for labels, _ in rows)]
    cells = [[labels.get(name, "") for name in columns] + [f"{value:,.4g}"]
             for labels, value in rows]
    cells = [[*columns, unit]] + sorted(cells)
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    return ["  ".join(cell.ljust(width) if i < len(columns) else cell.rjust(width)
                      for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in cells]


def show(url, question):
    print(f"\n{question.title}")
    for line in question.query.splitlines():
        print(f"    {line}")
    for line in table(ask(url, question), question.unit):
        print(f"  | {line}")
    for line in question.means.splitlines():
        print(f"  {line}")


def report(program, url, job):
    """All that the server says about one job by itself."""
    print(f"\nThe report on one job, without any query:\n    lockstep report {job}", flush=True)
    subprocess.run([program, "report", "--url", url, "--price", "3.5", job], check=True)


def run(program):
    if not os.access(program, os.X_OK):
        sys.exit(f"demo: {program} is missing: run './dev build' first.")
    url = start(program)
    print(f"The server runs on {url}, with an empty folder: {STATE / 'data'}\n"
          f"Loading {RECORDING.name} through its remote-write door:")
    subprocess.run([program, "import", "--to", url, "--format", "openmetrics", str(RECORDING)],
                   check=True)
    for question in questions.QUESTIONS:
        show(url, question)
    report(program, url, questions.REPORTED_JOB)
    print(f"\nThe server keeps running on {url} (its log: {STATE / 'server.log'}): open it in a browser.\n"
          f"Grafana: add it as a Prometheus data source with that URL; the recording is from\n"
          f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime(questions.HEALTHY))} UTC.\n"
          f"Stop it with: ./dev demo stop")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("run").add_argument("--lockstep", required=True)
    verbs.add_parser("stop")
    options = parser.parse_args()
    if options.verb == "stop":
        stop()
    else:
        run(options.lockstep)


if __name__ == "__main__":
    main()
