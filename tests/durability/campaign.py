#!/usr/bin/env python3
"""Kills a store under load with SIGKILL at random moments, repeatedly. After each kill it must
contain everything that was acknowledged and not deleted, once and with its last value, and nothing
else: what was deleted, has expired or was dropped for a limit does not come back.

LOCKSTEP_STORE_LOAD names the program of store_load.cc, which defines the load and compares.
"""

import argparse
import collections
import datetime
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = os.environ["LOCKSTEP_STORE_LOAD"]
KINDS_OF_WORK = {"drop", "seal", "merge", "backup", "deleted", "clean", "dropped", "rejected"}
EVENTS = {"sent", "stored", "rejected", "deleting", "deleted"}
# The reports that a life waits for before it is killed, and at most how many.
AWAITED = [("stored", 2000), ("deleting", 12), ("deleted", 12), ("did", 40)]
BUDGET_DROP = re.compile(r'msg="dropped the oldest window.* to=(\S+)Z ')


class Campaign:
    def __init__(self, folder, seed):
        self.folder = folder
        self.seed = seed
        self.random = random.Random(seed)
        self.batch_count = self.samples = 0
        self.did = collections.Counter()  # work of the load other than writing, in all lives

    def live(self, life):
        """Runs one life from the start to the kill, which may come before the store is open.
        Returns its events.
        """
        with subprocess.Popen([PROGRAM, "run", self.folder, str(self.seed), str(life)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as store:
            lines = []
            # Many lives are short; some see every kind of work complete.
            awaited, most = self.random.choice(AWAITED)
            wanted = 0 if self.random.random() < 0.15 else int(most ** self.random.random())
            while wanted > 0 and (line := store.stdout.readline()):
                lines.append(line)
                wanted -= line.startswith(awaited)
            # A random delay, independent of the reports.
            threading.Event().wait(2 ** self.random.uniform(-10, -1))
            died_by_itself = store.poll() is not None
            store.kill()
            lines += store.stdout
        if died_by_itself:
            raise AssertionError(f"the store ended by itself, with {store.returncode}:\n"
                                 + "".join(lines[-10:]))
        return [event for event in map(self.event, lines) if event]

    def event(self, line):
        """The line for the check, or None."""
        what, *rest = line.split()
        if what == "did":
            self.did[rest[0]] += 1
            return None
        if what in EVENTS:
            self.batch_count += what == "stored"
            self.did.update({what} & KINDS_OF_WORK)
            return line
        if dropped := BUDGET_DROP.search(line):
            self.did["dropped"] += 1
            before = datetime.datetime.fromisoformat(dropped[1] + "+00:00")
            return f"dropped {int(before.timestamp()) * 1000}\n"
        return None

    def check(self, life, events):
        checked = subprocess.run(
            [PROGRAM, "check", self.folder, str(self.seed), str(life)], text=True,
            input="".join(events), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if checked.returncode != 0:
            with open(self.folder + ".events", "w", encoding="utf-8") as file:
                file.writelines(events)
            raise AssertionError(f"the check ended with {checked.returncode}:\n{checked.stderr}")
        self.samples = int(checked.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="how often it dies")
    parser.add_argument("--seed", type=int, default=1, help="of the load and of the moments")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="lockstep-campaign-")
    campaign = Campaign(os.path.join(folder, "data"), options.seed)
    began = time.monotonic()
    for life in range(options.rounds):
        try:
            campaign.check(life, campaign.live(life))
        except AssertionError as error:
            sys.exit(f"round {life} of seed {options.seed}: {error}\nthe store is in {folder}")
    subprocess.run(["rm", "-r", folder], check=True)
    print(f"seed {options.seed}: {options.rounds} kills in {time.monotonic() - began:.0f} s, "
          f"{campaign.batch_count} batches acknowledged, {campaign.samples} samples there at the end: "
          f"none lost, none twice, none back; beside the writing: {dict(campaign.did)}")
    if options.rounds >= 50 and not KINDS_OF_WORK <= set(campaign.did):
        sys.exit(f"not all was done of {sorted(KINDS_OF_WORK)}")


if __name__ == "__main__":
    main()
