#!/usr/bin/env python3
"""Breaks random lines of production C++, one at a time, and says whether a test notices.

usage: mutate.py [MODULE | SOURCE] [--count N] [--seed S] [--jobs N] [--tests REGEX]

All mutants are compiled into one scratch copy of the tree, build/mutate, and switched on by the
environment, one in each run of a test program. A mutant meets the unit tests of its module that
reach it, then those of the modules that include it most and those of tests/, then the tests of
the whole program that --tests names. Writes build/mutate-report.md.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import NamedTuple

import check_layers
import mutants

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPORT = "build/mutate-report.md"
EQUIVALENT = "tools/mutate_equivalent.txt"
ROUNDS = 4              # of drawing again what did not compile
DEPENDENTS = 3          # whose tests a mutant meets that its own module's tests let live
BASELINE_LIMIT_S = 1200
# A build takes two thirds of the time of the release preset. Warnings about mutants are of no interest; what reads an
# empty optional or behind the end of a container dies, as with the sanitizers of the debug build.
FLAGS = "-O1 -w -DNDEBUG -D_GLIBCXX_ASSERTIONS"
MEMORY_LIMIT_BYTES = 16 << 30   # A mutant may loop and allocate.
LONGEST_FILTER = 100_000        # bytes of a command line's word


def say(words):
    print(f"mutate: {words}", flush=True)


# --- the tree -------------------------------------------------------------------------------


class Module(NamedTuple):
    name: str       # storage_db
    folder: str     # storage/db
    sources: tuple  # paths from the root
    has_tests: bool


def modules_of(folder, text):
    """The modules of one CMakeLists.txt."""
    text = re.sub(r"#[^\n]*", "", text)
    for call in re.finditer(r"lockstep_module\(\s*(\w+)([^)]*)\)", text):
        section, words = None, {}
        for word in call.group(2).split():
            if word in ("SOURCES", "DEPS", "TESTS", "TEST_DEPS"):
                section = words.setdefault(word, [])
            elif section is not None:
                section.append(word)
        sources = [os.path.normpath(os.path.join(folder, word)) for word in words.get("SOURCES", [])
                   if word.endswith(".cc")]
        yield Module(call.group(1), folder, tuple(sources), "TESTS" in words)


def modules_where(root, paths, is_wanted):
    """The modules of the tree, by folder, below the top folders that are wanted."""
    found = {}
    for path in paths:
        folder = os.path.dirname(path)
        if os.path.basename(path) == "CMakeLists.txt" and is_wanted(folder.split("/")[0]):
            for module in modules_of(folder, (root / path).read_text()):
                sources = tuple(each for each in module.sources if (root / each).exists())
                found[folder] = module._replace(sources=sources)
    return found


def production_modules(root, paths):
    """Without those that only tests and measurements use."""
    return modules_where(root, paths, lambda top: top not in ("tests", "bench"))


def crossing_modules(root, paths):
    """Those whose tests cross modules."""
    found = modules_where(root, paths, lambda top: top == "tests")
    return tuple(module for module in found.values() if module.has_tests)


def tree(root):
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
                             capture_output=True, text=True, check=True)
    return sorted(path for path in listing.stdout.splitlines() if (root / path).is_file())


def copy_tree(root, scratch, paths, changed):
    """Makes `scratch` the tree with the texts of `changed`. A file that stays the same keeps its time."""
    for path in paths:
        source, target = root / path, scratch / path
        content = changed[path].encode() if path in changed else source.read_bytes()
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        shutil.copymode(source, target)
    header = scratch / mutants.HEADER
    if not header.is_file() or header.read_text() != mutants.HEADER_TEXT:
        header.write_text(mutants.HEADER_TEXT)
    kept = set(paths)
    for path in scratch.rglob("*"):
        name = path.relative_to(scratch).as_posix()
        if path.is_file() and not name.startswith("build/") and name not in kept \
                and name != mutants.HEADER and "node_modules" not in name:
            path.unlink()


def dependents_of(root, module, modules, layers):
    """The modules that the layers let include `module` and that do so most often, with tests."""
    counts = {}
    for folder, other in modules.items():
        if folder == module.folder or not other.has_tests \
                or not layers.modules.get(folder, set()) & {module.folder, "*"}:
            continue
        include = re.compile(rf'^#include "{re.escape(module.folder)}/[^/"]+"', re.M)
        counts[folder] = sum(len(include.findall((root / path).read_text()))
                             for path in other.sources)
    by_count = sorted((folder for folder in counts if counts[folder]),
                      key=lambda folder: (-counts[folder], folder))
    return [modules[folder] for folder in by_count[:DEPENDENTS]]


# --- drawing --------------------------------------------------------------------------------


class Drawn:
    """A mutant of a file, and what became of it."""

    def __init__(self, number, path, module, mutant):
        self.number, self.path, self.module, self.mutant = number, path, module, mutant
        self.result, self.detail = None, ""
        self.is_reached = False

    def key(self):
        return (self.path, self.mutant.before, self.mutant.after)

    def line(self):
        before, after = (words.replace("|", "\\|").replace("`", "'")
                         for words in (self.mutant.before, self.mutant.after))
        return f"| {self.path}:{self.mutant.line} | `{before}` → `{after}` | {self.result} | {self.detail} |"


class Deck:
    """Draws mutants: first a line, each as likely as the others, then one of its mutants."""

    def __init__(self, root, modules, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.drawn = []
        for module in modules:
            for path in module.sources:
                by_line = {}
                for mutant in mutants.mutants_of((root / path).read_text()):
                    by_line.setdefault(mutant.line, []).append(mutant)
                self.lines += [(path, module, found) for _, found in sorted(by_line.items())]
        self.random.shuffle(self.lines)

    def draw(self):
        """The next mutant, or None when there is none left."""
        while self.lines:
            path, module, found = self.lines.pop()
            mutant = self.random.choice(found)
            if not any(each.path == path and mutants.overlap(each.mutant, mutant)
                       for each in self.drawn):
                self.drawn.append(Drawn(len(self.drawn) + 1, path, module, mutant))
                return self.drawn[-1]
        return None


def equivalents(text):
    """The list of mutants that change nothing: 'path | before | after | why', one a line."""
    found = {}
    for line in text.splitlines():
        fields = [field.strip() for field in line.split(" | ")]
        if len(fields) == 4 and not line.startswith("#"):
            found[tuple(fields[:3])] = fields[3]
    return found


# --- building -------------------------------------------------------------------------------


def build(scratch, targets, jobs):
    """Builds the targets; what the compiler said where that failed, else None."""
    environment = dict(os.environ, CCACHE_BASEDIR=str(scratch), CCACHE_NOHASHDIR="true",
                       CCACHE_COMPILERCHECK="content")
    folder = scratch / "build/release"
    subprocess.run(["cmake", "--preset", "release", f"-DCMAKE_CXX_FLAGS_RELEASE={FLAGS}"],
                   cwd=scratch, env=environment, check=True, stdout=subprocess.DEVNULL)
    ran = subprocess.run(["ninja", "-C", str(folder), "-k", "0", "-j", str(jobs), *targets],
                         env=environment, capture_output=True, text=True, check=False)
    return None if ran.returncode == 0 else ran.stdout + ran.stderr


def guilty(output, drawn):
    """The mutants at which the compiler's messages point."""
    def at(path, line):
        return [each for each in drawn if (path == each.path or path.endswith("/" + each.path))
                and each.mutant.line <= line - 1 <= each.mutant.last_line]
    for pattern in (r"^(\S+?):(\d+):(?:\d+:)? error:", r"^(\S+?):(\d+):(?:\d+:)? "):
        found = {each.number for path, line in re.findall(pattern, output, re.M)
                 for each in at(path, int(line))}
        if found:
            return [each for each in drawn if each.number in found]
    # A static_assert may fail elsewhere in the file, about a table that is no longer constant.
    failed = [path for path, _ in re.findall(r"^(\S+?):(\d+):(?:\d+:)? error:", output, re.M)]
    return [each for each in drawn
            if any(path == each.path or path.endswith("/" + each.path) for path in failed)]


def build_mutants(build_round, deck, count, known):
    """Draws and builds `count` mutants; what does not compile is drawn again."""
    for _ in range(ROUNDS):
        while sum(each.result in (None, "equivalent") for each in deck.drawn) < count:
            if (drawn := deck.draw()) is None:
                break
            if drawn.key() in known:
                drawn.result, drawn.detail = "equivalent", known[drawn.key()]
        alive = [each for each in deck.drawn if each.result is None]
        output = build_round(alive)
        if output is None:
            return alive
        failed = guilty(output, alive)
        if not failed:
            sys.exit(f"{output[-4000:]}\nmutate: the build failed, and not at a mutant")
        for each in failed:
            each.result = "did not compile"
        say(f"{len(failed)} of {len(alive)} mutants did not compile")
    alive = [each for each in deck.drawn if each.result is None]
    if build_round(alive) is not None:
        sys.exit("mutate: what is left does not compile either; try another seed")
    return alive


class Scratch:
    """The copy of the tree that has the mutants."""

    def __init__(self, root, paths, jobs):
        self.root, self.paths, self.jobs = root, paths, jobs
        self.folder = root / "build/mutate"

    def write(self, alive):
        changed = {}
        for path in {each.path for each in alive}:
            changed[path] = mutants.with_mutants(
                (self.root / path).read_text(),
                [(each.number, each.mutant) for each in alive if each.path == path])
        copy_tree(self.root, self.folder, self.paths, changed)

    def build(self, modules):
        """Builds the tests of the modules; what the compiler said where that failed, else None."""
        return self.build_targets(sorted({f"{module.name}_test" for module in modules}))

    def build_targets(self, targets):
        say(f"building {' '.join(targets)}")
        return build(self.folder, targets, self.jobs)

    def build_own(self, alive):
        self.write(alive)
        return self.build(module for each in alive for module in each.module.own)


# --- running --------------------------------------------------------------------------------


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))


def processes_of(run):
    """Those that were started with LOCKSTEP_MUTANT_RUN=`run`."""
    mark = f"LOCKSTEP_MUTANT_RUN={run}".encode()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
        except OSError:
            pass  # It has ended, or belongs to another user.


def kill(process):
    """Kills a process and waits until it has ended."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        select.select([handle], [], [])
    except ProcessLookupError:
        pass
    finally:
        os.close(handle)


def kill_all_of(run):
    """Kills what a run has started: a mutant may leave processes outside its group, and they may start others."""
    while left := list(processes_of(run)):
        for process in left:
            kill(process)


RUNS = itertools.count(1)


def run_alone(arguments, folder, environment, limit_s):
    """Exit code (None: it took longer) and what was written; nothing that it started is left."""
    run = f"{os.getpid()}-{next(RUNS)}"
    # A file, not a pipe: a test may leave a process behind that keeps it open.
    with tempfile.TemporaryFile() as output, subprocess.Popen(
            arguments, cwd=folder, stdout=output, stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL, env=dict(os.environ, **environment, LOCKSTEP_MUTANT_RUN=run),
            start_new_session=True, preexec_fn=limit_memory) as process:
        try:
            code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            code = None
        kill_all_of(run)
        process.wait()
        output.seek(0)
        return code, output.read().decode(errors="replace")


class Program:
    """A test program, and which of its tests reach which mutant."""

    def __init__(self, scratch, module):
        self.path = scratch / "build/release" / module.folder / f"{module.name}_test"
        self.name = module.folder
        self.reached = {}   # number to a list of tests; the empty name is before the first
        self.failing = set()
        self.seconds = {}

    def run(self, number, tests, limit_s):
        """Exit code (None: it took longer) and what was written."""
        arguments = [str(self.path), "--gtest_color=no"]
        chosen = "" if tests is None else ":".join(tests)
        if number > 0:
            arguments.append("--gtest_fail_fast")
        if chosen and len(chosen) < LONGEST_FILTER:
            arguments.append(f"--gtest_filter={chosen}")
        elif self.failing:
            arguments.append(f"--gtest_filter=-{':'.join(sorted(self.failing))}")
        return run_alone(arguments, self.path.parent, {"LOCKSTEP_MUTANT": str(number)}, limit_s)

    def learn(self):
        """Runs it without a mutant and notes what each test reaches."""
        _, output = self.run(-1, None, BASELINE_LIMIT_S)
        test = ""
        for line in output.splitlines():
            if match := re.match(r"\[ RUN      \] (\S+)", line):
                test = match.group(1)
            elif match := re.match(r"\[       OK \] (\S+) \((\d+) ms\)", line):
                self.seconds[match.group(1)] = int(match.group(2)) / 1000
            elif match := re.match(r"@mutant (\d+)$", line):
                tests = self.reached.setdefault(int(match.group(1)), [])
                if test not in tests:
                    tests.append(test)
        # Without a mutant and its messages: what fails now is no judge of mutants.
        doubtful = set(re.findall(r"^\[ RUN      \] (\S+)", output, re.M)) - set(self.seconds)
        self.failing = {each for each in doubtful if self.run(0, [each], BASELINE_LIMIT_S)[0] != 0}
        for each in sorted(self.failing):
            say(f"{self.name}: {each} fails without a mutant and is left out")

    def tests_of(self, number):
        """The tests that reach a mutant, the quick ones first; None: all."""
        tests = self.reached.get(number, [])
        if "" in tests:
            return None
        return sorted((test for test in tests if test not in self.failing),
                      key=lambda test: self.seconds.get(test, 0))

    def judge(self, number):
        """The name of the test that kills the mutant, or None."""
        tests = self.tests_of(number)
        if tests is not None and not tests:
            return None
        usual_s = sum(self.seconds.values()) if tests is None \
            else sum(self.seconds.get(test, 1) for test in tests)
        # GoogleTest runs tests in its own order; most mutants die in the quick ones.
        for some in ([tests[:len(tests) // 2], tests] if tests and len(tests) > 3 else [tests]):
            code, output = self.run_patiently(number, some, 10 + 5 * usual_s)
            if code != 0:
                return killer(code, output)
        return None

    def run_patiently(self, number, tests, limit_s):
        """As run(), with more time where the tests take that long without a mutant too: the machine is busy."""
        while True:
            code, output = self.run(number, tests, limit_s)
            if code is not None or limit_s > BASELINE_LIMIT_S:
                return code, output
            if self.run(0, tests, limit_s / 2)[0] is not None:
                return code, output
            limit_s *= 4


def killer(code, output):
    failed = re.findall(r"^\[  FAILED  \] (\S+?),? ", output, re.M)
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    if code is None:
        return f"{begun[-1] if begun else 'the program'} (endless)"
    if failed:
        return failed[0]
    return f"{begun[-1] if begun else 'the program'} (dies)"


class DrivenTests:
    """The tests of ctest that drive the whole program, and which of them reach which mutant."""

    def __init__(self, folder, wanted):
        # Only its list is of use: ctest itself fails while not all programs are built.
        listed = subprocess.run(["ctest", "--test-dir", str(folder), "--show-only=json-v1", "-R", wanted],
                                capture_output=True, text=True, check=False)
        self.tests = {test["name"]: test for test in json.loads(listed.stdout)["tests"] if "command" in test}
        self.reached = {}       # a name to numbers
        self.seconds = {}

    def passes(self, name, number, limit_s, log=None):
        properties = {each["name"]: each["value"] for each in self.tests[name].get("properties", ())}
        environment = dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", ()))
        environment["LOCKSTEP_MUTANT"] = str(number)
        if log is not None:
            environment["LOCKSTEP_MUTANT_LOG"] = str(log)
        return run_alone(self.tests[name]["command"], properties.get("WORKING_DIRECTORY"), environment,
                         limit_s)[0] == 0

    def learn(self):
        """Runs each without a mutant; what fails now is no judge."""
        for name in self.tests:
            with tempfile.TemporaryDirectory() as folder:
                log, begun = pathlib.Path(folder, "log"), time.monotonic()
                if not self.passes(name, -1, BASELINE_LIMIT_S, log):
                    say(f"{name} fails without a mutant and is left out")
                    continue
                self.seconds[name] = time.monotonic() - begun
                text = log.read_text() if log.exists() else ""
                self.reached[name] = {int(number) for number in re.findall(r"^@mutant (\d+)$", text, re.M)}

    def judge(self, number):
        """The name of the test that kills the mutant, or None. What fails without it too says nothing."""
        reaching = [name for name in self.reached if number in self.reached[name]]
        for name in sorted(reaching, key=lambda each: self.seconds[each]):
            limit_s = 30 + 5 * self.seconds[name]
            if not self.passes(name, number, limit_s) and self.passes(name, 0, limit_s):
                return name
        return None


class Court:
    """Runs the programs that judge mutants, some at a time."""

    def __init__(self, scratch, driven=None):
        self.scratch = scratch
        self.driven = driven    # which tests of ctest drive the whole program, as an expression
        self.lock = threading.Lock()
        self.programs = {}  # the name of a module to a future

    def program(self, module):
        """The module's program, which whoever asks first makes learn."""
        with self.lock:
            is_first = module.name not in self.programs
            future = self.programs.setdefault(module.name, concurrent.futures.Future())
        if is_first:
            say(f"running {module.name}_test without a mutant")
            try:
                program = Program(self.scratch.folder, module)
                program.learn()
                future.set_result(program)
            except BaseException as problem:
                future.set_exception(problem)
        return future.result()

    def judge(self, drawn, modules):
        for module in modules:
            program = self.program(module)
            drawn.is_reached = drawn.is_reached or drawn.number in program.reached
            test = program.judge(drawn.number)
            if test is not None:
                drawn.result, drawn.detail = "killed", f"{program.name}: {test}"
                say(f"killed: {drawn.path}:{drawn.mutant.line} {drawn.mutant.operator}")
                return

    def judge_each(self, alive, modules_of_one):
        with concurrent.futures.ThreadPoolExecutor(self.scratch.jobs) as pool:
            list(pool.map(lambda each: self.judge(each, modules_of_one(each)), alive))

    def judge_all(self, alive):
        """By the module's own tests first; those that live then meet the tests of dependents, and so on."""
        self.judge_each(alive, lambda each: each.module.own)
        for others in (lambda each: each.module.dependents, lambda each: each.module.crossing):
            alive = [each for each in alive if each.result is None]
            modules = [module for each in alive for module in others(each)]
            if modules and (output := self.scratch.build(modules)) is not None:
                sys.exit(f"{output[-4000:]}\nmutate: the build of more tests failed")
            self.judge_each(alive, others)
        alive = [each for each in alive if each.result is None]
        if alive and self.driven is not None:
            self.judge_by_driving(alive)
        for each in alive:
            if each.result is None:
                each.result = "survived"
                each.detail = "tests reach it" if each.is_reached else "no test reaches it"
                say(f"survived: {each.path}:{each.mutant.line} {each.mutant.operator}")

    def judge_by_driving(self, alive):
        if (output := self.scratch.build_targets(["lockstep"])) is not None:
            sys.exit(f"{output[-4000:]}\nmutate: the build of the program failed")
        tests = DrivenTests(self.scratch.folder / "build/release", self.driven)
        say(f"running {' '.join(tests.tests)} without a mutant")
        tests.learn()

        def judge(drawn):
            drawn.is_reached = drawn.is_reached or any(drawn.number in found for found in tests.reached.values())
            if (test := tests.judge(drawn.number)) is not None:
                drawn.result, drawn.detail = "killed", test
                say(f"killed: {drawn.path}:{drawn.mutant.line} {drawn.mutant.operator}")

        with concurrent.futures.ThreadPoolExecutor(self.scratch.jobs) as pool:
            list(pool.map(judge, alive))


# --- the report -----------------------------------------------------------------------------


def report(drawn, seed, seconds):
    counts = {result: sum(each.result == result for each in drawn)
              for result in ("killed", "survived", "equivalent", "did not compile")}
    summary = ", ".join(f"{count} {result}" for result, count in counts.items())
    order = {"survived": 0, "equivalent": 1, "killed": 2, "did not compile": 3}
    rows = sorted(drawn, key=lambda each: (order[each.result], each.path, each.mutant.line))
    return summary, "\n".join([
        "# Mutants", "", f"{summary}; seed {seed}, {seconds:.0f} s.", "",
        "| place | change | result | test |", "|---|---|---|---|", *(each.line() for each in rows), ""])


def chosen_modules(modules, wanted):
    """All modules; or the one that `wanted` names, or that has the source `wanted`, with that alone."""
    if wanted is None:
        return list(modules.values())
    wanted = wanted.rstrip("/")
    if wanted in modules:
        return [modules[wanted]]
    for module in modules.values():
        if wanted in module.sources:
            return [module._replace(sources=(wanted,))]
    sys.exit(f"mutate: there is no module and no source of one '{wanted}'")


class Judged(NamedTuple):
    """A module's sources, and the modules whose tests judge its mutants."""

    sources: tuple
    own: tuple          # the module itself, if it has tests
    dependents: tuple
    crossing: tuple     # those of tests/


def judged(root, module, modules, layers, crossing):
    own = (module,) if module.has_tests else ()
    return Judged(module.sources, own, tuple(dependents_of(root, module, modules, layers)), crossing)


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev mutate")
    parser.add_argument("where", nargs="?", help="a module (storage/db) or one of its sources; "
                        "default: all")
    parser.add_argument("--count", type=int, default=30, help="mutants to judge (default 30)")
    parser.add_argument("--seed", type=int, default=None, help="default: another one each time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="compilers, or test programs, at a time")
    parser.add_argument("--tests", metavar="REGEX", help="tests of ctest that drive the whole program "
                        "and judge what all others let live (tests/cli)")
    options = parser.parse_args(arguments)
    seed = random.randrange(10**6) if options.seed is None else options.seed
    begun = time.monotonic()
    paths = tree(ROOT)
    modules = production_modules(ROOT, paths)
    layers = check_layers.Layers((ROOT / "tools/layers.txt").read_text())
    deck = Deck(ROOT, [judged(ROOT, module, modules, layers, crossing_modules(ROOT, paths))
                       for module in chosen_modules(modules, options.where)], seed)
    scratch = Scratch(ROOT, paths, options.jobs)
    alive = build_mutants(scratch.build_own, deck, options.count,
                          equivalents((ROOT / EQUIVALENT).read_text()))
    Court(scratch, options.tests).judge_all(alive)
    summary, text = report(deck.drawn, seed, time.monotonic() - begun)
    (ROOT / REPORT).write_text(text)
    say(f"{summary}; seed {seed}. See {REPORT}")


if __name__ == "__main__":
    main(sys.argv[1:])
