#!/usr/bin/env python3
"""Runs a real training with a planted straggler on the GPUs of this machine while lockstep watches it.

Starts a server, the agent and torchrun (train.py), asks every two seconds which rank holds the job back, and prints
how long after the onset the right rank was named. Exits with 1 if this took longer than 30 s, or if any rank was
named before the onset.

    demo/live/run.py --lockstep build/release/lockstep

Needs PyTorch with NCCL and at least two GPUs.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent.parent / "clients/python/src"
JOB = "live"
ASK_EVERY_S = 2
NAMED_WITHIN_S = 30
STOP_WITHIN_S = 60


def say(text):
    print(f"{time.strftime('%H:%M:%S', time.gmtime())} {text}", flush=True)


def ask(url, path, **parameters):
    """`data` of the response, or None as long as the server has no such data."""
    try:
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"{url}/api/v1/{path}?{query}", timeout=60) as response:
            return json.load(response)["data"]
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise


@contextlib.contextmanager
def running(command, **keywords):
    """A child process; it is terminated with SIGTERM at the end."""
    process = subprocess.Popen([str(part) for part in command], text=True, **keywords)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(STOP_WITHIN_S)


def server_url(server):
    for line in server.stdout:
        ready = re.search(r"ready on (https?://\S+)", line)
        if ready:
            threading.Thread(target=server.stdout.read, daemon=True).start()
            return ready[1]
    raise SystemExit("the server did not start")


class Training:
    """Reads the output of train.py for the time at which the straggler starts to lag."""

    def __init__(self, process):
        self.process = process
        self.onset_s = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            onset = re.match(r"onset ([0-9.]+)", line)
            if onset:
                self.onset_s = float(onset[1])
            else:
                print(line, end="", flush=True)


def watch(training, url, window_s):
    """(seconds from the onset to the first named rank, ranks named then); prints every change of the verdict."""
    last = first = None
    while training.process.poll() is None:
        time.sleep(ASK_EVERY_S)
        now_s = time.time()
        answer = ask(url, "training/stragglers", job=JOB, start=f"{now_s - window_s:.3f}", end=f"{now_s:.3f}")
        if not answer:
            continue
        named = [(rank["rank"], rank["cause"]) for rank in answer["ranks"]]
        verdict = (answer["verdict"], answer["method"], named)
        if verdict != last:
            since = "" if training.onset_s is None else f"{now_s - training.onset_s:+.1f} s from the onset: "
            say(f"{since}{answer['verdict']} by {answer['method']} {named}")
            last = verdict
        if first is None and named:
            first = (now_s - training.onset_s if training.onset_s else float("-inf"), named)
    return first


def tell_agent(url, seconds):
    """Prints what the agent sampled and how much CPU time it used."""
    share = ask(url, "query", query=f"rate(lockstep_agent_cpu_seconds_total[{seconds:.0f}s])")["result"]
    say(f"agent: {float(share[0]['value'][1]):.2%} of a core" if share else "agent: no samples")
    for name in ask(url, "label/__name__/values"):
        if not name.startswith("DCGM_FI_PROF_"):
            continue
        rows = ask(url, "query", query=f"count_over_time({name}[{seconds:.0f}s])")["result"]
        say(f"agent: {name}: {sorted(int(row['value'][1]) for row in rows)} samples per GPU in {seconds:.0f} s")


def tell_answers(url):
    for path in ("stragglers", "bottlenecks", "mfu", "events"):
        say(f"{path}: {json.dumps(ask(url, f'training/{path}', job=JOB))[:4000]}")


def run(options, folder):
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "LOCKSTEP_SPOOL": str(folder / "spool")}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(running(
            [options.lockstep, "serve", "--http", "127.0.0.1:0", "--data", folder / "data"], stdout=subprocess.PIPE))
        url = server_url(server)
        say(f"{options.gpus} GPUs, rank {options.slow_rank} will lag after {options.onset} s")
        begin_s = time.time()
        stack.enter_context(running([sys.executable, "-m", "lockstep.agent", "--url", url], env=environment))
        process = stack.enter_context(running(
            [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", options.gpus,
             HERE / "train.py", "--url", url, "--job", JOB, "--seconds", options.seconds, "--onset", options.onset,
             "--slow-rank", options.slow_rank], env=environment, stdout=subprocess.PIPE))
        first = watch(Training(process), url, options.window)
        tell_agent(url, time.time() - begin_s)
        tell_answers(url)
    if process.returncode != 0:
        return f"the training failed with status {process.returncode}"
    if first is None:
        return "no rank was named"
    after_s, named = first
    say(f"named {after_s:.1f} s after the onset: {named}")
    is_right = [rank for rank, _ in named] == [options.slow_rank] and 0 <= after_s <= NAMED_WITHIN_S
    return None if is_right else "this is not the planted straggler"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lockstep", type=pathlib.Path, required=True, help="the lockstep program")
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=120, help="seconds of training")
    parser.add_argument("--onset", type=float, default=60, help="seconds until a rank starts to lag")
    parser.add_argument("--slow-rank", type=int, default=1)
    parser.add_argument("--window", type=float, default=60, help="seconds to look back for each question")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lockstep-live-") as folder:
        problem = run(options, pathlib.Path(folder))
    sys.exit(problem)


if __name__ == "__main__":
    main()
