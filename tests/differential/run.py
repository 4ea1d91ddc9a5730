#!/usr/bin/env python3
"""Sends random PromQL over random data to lockstep and to a real Prometheus: both must agree.

usage: run.py --lockstep PROGRAM --prometheus PROGRAM [--seed N] [--queries N] [--shards N]

Prints each difference as the smallest query found that still shows it, with both responses, and
exits with 1 if there is one that explained.py does not explain.
"""

import argparse
import collections
import dataclasses
import pathlib
import random
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import answers
import asked
import dataset
import explained
import grammar
import older_reference
import programs
import remote_write
import tree
import words
from lockstep_server import Server
from prometheus_server import Prometheus

FEATURES = (
    "promql-experimental-functions,promql-duration-expr,promql-delayed-name-removal,"
    "native-histograms,promql-extended-range-selectors,promql-binop-fill-modifiers,use-start-timestamps"
)
# The Prometheus whose language lockstep has.
NEWEST = (3, 14)
# How often the reference is queried again before its response counts: it iterates over hash tables
# in random order.
ASK_AGAIN = 4
# In a table of few elements the order changes only once in eight times, and it decides which of
# several equal elements is chosen.
ASK_AGAIN_OF_CHOICE = 64
CHOICE = re.compile(r"\b(topk|bottomk|limitk)\b")
SHRINK_STEPS = 60


class Pair:
    """Both servers with the same data. A context manager."""

    def __init__(self, folder, lockstep, prometheus, shards):
        self._lockstep = Server.ready(
            folder,
            "--storage.retention.time",
            "100y",
            "--storage.shards",
            str(shards),
            program=lockstep,
        )
        try:
            self._prometheus = Prometheus(
                folder,
                "--storage.tsdb.retention.time=100y",
                f"--enable-feature={FEATURES}",
                program=prometheus,
            )
        except BaseException:
            self._lockstep.kill()
            raise
        self.reference = answers.Client(self._prometheus.address)
        self.other = answers.Client(self._lockstep.address)
        said = programs.ask(self._prometheus.url, "status/buildinfo")["version"]
        self._is_newest = tuple(map(int, said.split(".")[:2])) >= NEWEST
        self.explain = (explained if self._is_newest else older_reference).explanation

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._prometheus.stop()
        self._lockstep.stop()

    def push(self, series):
        for body in dataset.requests(series):
            for client in (self.reference, self.other):
                status, text = client.post(remote_write.PATH, body, remote_write.HEADERS)
                if status not in (200, 204):
                    raise AssertionError(f"remote write: {status} {text.decode()}")

    def lacking(self):
        """The parts of the language that the reference lacks or treats differently."""
        end = str(dataset.END_S)
        # An older one uses the info series of the whole range instead of the newest at every step.
        otherwise = set() if self._is_newest else {"info"}
        return otherwise | {
            name
            for name, text in {**words.FUNCTION_CALLS, **words.SYNTAX}.items()
            if self.reference.ask(asked.Query(text, end)).kind == "error"
        } | {
            name
            for name, (text, old) in words.BEHAVIOUR.items()
            if old in self.reference.ask(asked.Query(text, end)).body
        }

    def compare(self, query):
        """(difference or None, response of the reference, response of lockstep)"""
        reference, other = self.reference.ask(query), self.other.ask(query)
        return answers.difference(query, reference, other), reference, other

    def of_one_mind(self, query, reference, other):
        """Whether the reference repeats a response that differs from lockstep's."""
        times = ASK_AGAIN_OF_CHOICE if CHOICE.search(query.text) else ASK_AGAIN
        for _ in range(times):
            again = self.reference.ask(query)
            if (
                answers.difference(query, again, other) is None
                or answers.difference(query, reference, again) is not None
            ):
                return False
        return True

    def unexplained(self, query):
        """Like compare(), without differences that are explained or that the reference does not
        repeat.
        """
        difference, reference, other = self.compare(query)
        if difference and (
            self.explain(query, reference, other)
            or not self.of_one_mind(query, reference, other)
        ):
            difference = None
        return difference, reference, other


def shrunk(pair, query):
    """The smallest query found that still shows an unexplained difference."""
    tries = 0
    progress = True
    while progress and tries < SHRINK_STEPS:
        progress = False
        for smaller in tree.smaller(query.tree):
            candidate = dataclasses.replace(query, tree=smaller)
            tries += 1
            if pair.unexplained(candidate)[0]:
                query, progress = candidate, True
                break
            if tries >= SHRINK_STEPS:
                break
    if query.start is not None:
        single = dataclasses.replace(query, start=query.end)
        instant = dataclasses.replace(query, start=None, step=None)
        for candidate in (instant, single):
            if pair.unexplained(candidate)[0]:
                return candidate
    return query


def report(number, seed, query, difference, reference, other):
    print(f"\nDIFFERENCE {number}, seed {seed}: {difference}")
    print(f"  query      {query.text}")
    print(
        "  asked      "
        + query.path
        + " "
        + " ".join(f"{key}={value}" for key, value in query.parameters.items() if key != "query")
    )
    print(f"  prometheus {reference.status} {reference.body.strip()[:1500]}")
    print(f"  lockstep   {other.status} {other.body.strip()[:1500]}", flush=True)


def run(options):
    """The number of unexplained differences."""
    tally = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="lockstep-differential-") as folder, Pair(
        pathlib.Path(folder), options.lockstep, options.prometheus, options.shards
    ) as pair:
        pair.push(dataset.make(random.Random(options.seed)))
        lacking = pair.lacking()
        print(
            f"seed {options.seed}; left out, as the reference does not have it: "
            f"{', '.join(sorted(lacking)) or 'nothing'}"
        )
        queries = grammar.Grammar(random.Random(options.seed), lacking)
        for number in range(1, options.queries + 1):
            judge(pair, queries.query(), options, tally)
            if number % 1000 == 0 or number == options.queries:
                counts = ", ".join(f"{count} {what}" for what, count in tally.most_common())
                print(f"{number} queries: {counts}", flush=True)
            if tally["different"] >= options.most:
                print(f"stopped after {number} queries: {options.most} differences")
                break
    return tally["different"]


def judge(pair, query, options, tally):
    difference, reference, other = pair.compare(query)
    tally[
        "errors" if reference.kind == "error" else "answers" if reference.series else "empty"
    ] += 1
    if reference.annotations != ((), ()):
        tally["annotated"] += 1
    if difference is None:
        return
    rule = pair.explain(query, reference, other)
    if rule:
        tally[rule] += 1
    elif not pair.of_one_mind(query, reference, other):
        tally["of two minds"] += 1
    else:
        small = shrunk(pair, query)
        difference, reference, other = pair.unexplained(small)
        if difference is None:
            tally["of two minds"] += 1
            return
        tally["different"] += 1
        report(tally["different"], options.seed, small, difference, reference, other)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lockstep", required=True)
    parser.add_argument("--prometheus", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--shards", type=int, choices=(1, 2, 7), default=2)
    parser.add_argument("--most", type=int, default=30, help="differences to stop at")
    sys.exit(1 if run(parser.parse_args()) else 0)


if __name__ == "__main__":
    main()
