#!/usr/bin/env python3
"""A store under a load of every kind is killed with SIGKILL at random moments, again and again. After
each death all that it had acknowledged is there, once, with its last value, and nothing else.

LOCKSTEP_STORE_LOAD names the program of store_load.cc, which says what the load is and compares.
"""

import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = os.environ["LOCKSTEP_STORE_LOAD"]
# Batches older than this many lives hold nothing that is not expired, as in store_load.cc.
REMEMBERED_LIVES = 13
KINDS_OF_WORK = ("drop", "seal", "merge", "backup")


class Campaign:
    def __init__(self, folder, seed):
        self.folder = folder
        self.seed = seed
        self.random = random.Random(seed)
        self.batches = []  # [life, writer, number, stored], as each writer sent them
        self.batch_count = self.samples = 0
        self.did = collections.Counter()  # what the load did beside writing, in all lives

    def live(self, life):
        """One life, from the start to the kill, which may come before it is open."""
        with subprocess.Popen([PROGRAM, "run", self.folder, str(self.seed), str(life)],
                              stdout=subprocess.PIPE, text=True) as store:
            lines = []
            # Many die young, some see every kind of work end.
            wanted = 0 if self.random.random() < 0.15 else int(2 ** self.random.uniform(0, 11.5))
            while len(lines) < wanted:
                lines.append(store.stdout.readline())
                if not lines[-1]:
                    raise AssertionError("the store ended by itself")
            # Not in step with what it says.
            threading.Event().wait(self.random.uniform(0, 0.05))
            died_by_itself = store.poll() is not None
            store.kill()
            lines += store.stdout
        if died_by_itself:
            raise AssertionError(f"the store ended by itself, with {store.returncode}")
        self.remember(lines, life)

    def remember(self, lines, life):
        sent = {}
        for line in lines:
            what, *numbers = line.split()
            if what == "did":
                self.did[numbers[0]] += 1
            else:
                sent[tuple(map(int, numbers))] = int(what == "stored")
        self.batches = [batch for batch in self.batches if batch[0] > life - REMEMBERED_LIVES]
        self.batches += [(*name, stored) for name, stored in sorted(sent.items())]
        self.batch_count += sum(sent.values())

    def check(self, life):
        checked = subprocess.run(
            [PROGRAM, "check", self.folder, str(self.seed), str(life)], text=True,
            input="".join(f"{' '.join(map(str, batch))}\n" for batch in self.batches),
            stdout=subprocess.PIPE, check=False)
        if checked.returncode != 0:
            raise AssertionError(f"the check ended with {checked.returncode}")
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
            campaign.live(life)
            campaign.check(life)
        except AssertionError as error:
            sys.exit(f"round {life} of seed {options.seed}: {error}\nthe store is in {folder}")
    subprocess.run(["rm", "-r", folder], check=True)
    print(f"seed {options.seed}: {options.rounds} kills in {time.monotonic() - began:.0f} s, "
          f"{campaign.batch_count} batches acknowledged, {campaign.samples} samples there at the end: "
          f"none lost, none twice; beside the writing: {dict(campaign.did)}")
    if options.rounds >= 50 and len(campaign.did) < len(KINDS_OF_WORK):
        sys.exit(f"not all was done of {KINDS_OF_WORK}")


if __name__ == "__main__":
    main()
