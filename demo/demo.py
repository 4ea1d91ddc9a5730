"""Runs `lockstep demo` in the background and asks it the usual questions about such recordings.

usage: demo.py run --lockstep PROGRAM      demo.py stop

Its output, its data and its process ID are in .demo/, or in the folder given by LOCKSTEP_DEMO_FOLDER.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import sys
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import programs
import questions

STATE = pathlib.Path(os.environ.get("LOCKSTEP_DEMO_FOLDER", ROOT / ".demo"))
PID = STATE / "pid"
# The labels shown as columns; the others are the same in every row.
COLUMNS = ("job", "rank", "gpu", "phase")
URL = re.compile(r"The server runs on (http://\S+:\d+)\.")
LAST_WORDS = "Ctrl-C ends the demo"


def running_pid():
    """The process ID of the demo, or None."""
    try:
        pid = int(PID.read_text())
        command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        folder = pathlib.Path(f"/proc/{pid}/cwd").resolve()
    except (OSError, ValueError):
        return None
    return pid if command.split(b"\0")[1:2] == [b"demo"] and folder == STATE.resolve() else None


def stop():
    """Asks the server to stop and waits until it has."""
    pid = running_pid()
    if pid is None:
        print("demo: no server is running.")
        return
    os.kill(pid, signal.SIGTERM)
    try:
        programs.wait_until(lambda: running_pid() is None, f"process {pid} has ended",
                            programs.STOP_WITHIN_S)
    except TimeoutError as error:
        sys.exit(f"demo: the server did not stop: {error}")
    PID.unlink()
    print("demo: the server has stopped.")


def start(program):
    """Starts a demo that keeps running after this program ends; returns its URL."""
    if running_pid() is not None:
        stop()
    shutil.rmtree(STATE, ignore_errors=True)
    STATE.mkdir()
    demo = programs.Program(STATE, "demo", [str(pathlib.Path(program).resolve()), "demo"], cwd=STATE,
                            env={**os.environ, "TMPDIR": str(STATE)}, start_new_session=True)
    PID.write_text(str(demo.pid))
    programs.wait_until(lambda: LAST_WORDS in demo.log or not demo.alive, "the demo has reported",
                        programs.READY_WITHIN_S)
    print(demo.log)
    if not demo.alive:
        sys.exit("demo: the server did not start: see above.")
    return URL.search(demo.log)[1]


def moved_by(url):
    """By how many seconds the recording is shifted on that server."""
    question = urllib.parse.urlencode({"start": 0, "job": questions.REPORTED_JOB})
    with urllib.request.urlopen(f"{url}/api/v1/training/jobs?{question}", timeout=60) as response:
        [job] = json.load(response)["data"]["jobs"]
    return job["from"] - questions.REPORTED_JOB_BEGAN


def ask(url, question, moved_s):
    """The result of an instant query, as a list of (labels, value)."""
    form = urllib.parse.urlencode({"query": question.query, "time": question.time + moved_s}).encode()
    try:
        with urllib.request.urlopen(f"{url}/api/v1/query", form, timeout=60) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"demo: {question.query}\nwas rejected: {error.read().decode()}")
    return [(row["metric"], float(row["value"][1])) for row in answer["data"]["result"]]


def table(rows, unit):
    """The rows as lines of text: the labels that distinguish them, then the value."""
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


def show(url, question, moved_s):
    print(f"\n{question.title}")
    for line in question.query.splitlines():
        print(f"    {line}")
    for line in table(ask(url, question, moved_s), question.unit):
        print(f"  | {line}")
    for line in question.means.splitlines():
        print(f"  {line}")


def run(program):
    if not os.access(program, os.X_OK):
        sys.exit(f"demo: {program} is missing: run './dev build' first.")
    url = start(program)
    moved_s = moved_by(url)
    for question in questions.QUESTIONS:
        show(url, question, moved_s)
    print(f"\nThe server keeps running on {url}: open it in a browser.\n"
          f"For Grafana, add it as a Prometheus data source with this URL.\n"
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
