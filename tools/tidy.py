#!/usr/bin/env python3
"""The ban list: what no file of the tree may contain, and why.

usage: tidy.py [ROOT]      prints one line per finding and exits with 1 if there is one
"""

import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

CPP = re.compile(r"\.(cc|h)$")
CPP_TEST = re.compile(r"(_test|_testing)\.(cc|h)$")
TEXT = re.compile(r"\.(cc|h|py|sh|md|txt|cmake|json|ya?ml|html|css|js|ts)$|^(dev|\.ci/run)$")
STORE = re.compile(r"^storage/(db|index|chunk)/.*\.(cc|h)$")


class Rule(NamedTuple):
    """`pattern` may not occur in files whose path matches `files` and not `but_not`."""

    files: re.Pattern
    pattern: re.Pattern
    why: str
    but_not: re.Pattern = re.compile(r"(?!)")


# Searched in C++ code without comments and strings.
CODE_RULES = [
    Rule(CPP, re.compile(r"\bthrow\b"), "errors are absl::Status; our code never throws"),
    Rule(CPP, re.compile(r"\bstd\s*::\s*w?regex\b"), "std::regex is slow and recurses; use RE2"),
    Rule(CPP, re.compile(r"\babsl\s*::\s*(Mutex|MutexLock|Notification|BlockingCounter)\b"),
         "packaged absl::Mutex is a debug build that TSan cannot see; use base/mutex.h"),
    Rule(CPP, re.compile(r"\bstd\s*::\s*((recursive_)?(timed_)?mutex|"
                         r"lock_guard|unique_lock|scoped_lock)\b"),
         "use base/mutex.h, which supports thread-safety analysis",
         re.compile(r"^base/mutex\.h$")),
    Rule(CPP_TEST, re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep)\b"),
         "tests wait for events, never for time"),
    Rule(CPP_TEST, re.compile(r"\bsystem_clock\s*::\s*now\b|\btime\s*\(\s*(nullptr|NULL|0)\s*\)"),
         "tests have no wall clock"),
    Rule(CPP, re.compile(r"\busing\s+namespace\s+std\s*;"), "name what you use"),
    Rule(STORE, re.compile(r"\bstd\s*::\s*filesystem\b|\bmmap\s*\("),
         "access database files only through storage/kv's Env", CPP_TEST),
    Rule(CPP, re.compile(r"\bDISABLED_|\bGTEST_SKIP\b"),
         "a test is never switched off: assert the current behaviour and say that it is wrong"),
    Rule(CPP, re.compile(r"\bcatch\s*\(\s*\.\.\.\s*\)"), "catch the exceptions that the library documents"),
]

# Searched in every text file as it is.
TEXT_RULES = [
    Rule(TEXT, re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b"), "finish it or leave it out",
         re.compile(r"^tests/.*/testdata/|^tests/data/")),
    Rule(TEXT, re.compile(r"(?<![\w.$}/*-])/(work|root|Users|home/\w+|tmp/\w+)/\w"),
         "a path that exists on one machine only"),
    Rule(TEXT, re.compile(r"^(<<<<<<< |>>>>>>> )", re.M), "a merge conflict"),
]

COMMENT_OR_STRING = re.compile(
    r'R"([^()\\\s]{0,16})\((?:.|\n)*?\)\1"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*|/\*(?:.|\n)*?\*/")


def blank(text):
    """`text` with comments and the contents of literals replaced by spaces; line breaks stay."""
    def replace(match):
        word = match.group(0)
        inside = re.sub(r"[^\n]", " ", word)
        return inside if word.startswith("/") else '"' + inside[1:-1] + '"'
    return COMMENT_OR_STRING.sub(replace, text)


def line_of(text, index):
    return text.count("\n", 0, index) + 1


def check_text(path, text):
    """The findings in one file, as (line number, message)."""
    found = []
    for rule in TEXT_RULES:
        if rule.files.search(path) and not rule.but_not.search(path):
            found += [(line_of(text, m.start()), f"{m.group(0)!r}: {rule.why}")
                      for m in rule.pattern.finditer(text)]
    if CPP.search(path):
        code = blank(text)
        for rule in CODE_RULES:
            if rule.files.search(path) and not rule.but_not.search(path):
                found += [(line_of(code, m.start()), f"{m.group(0)!r}: {rule.why}")
                          for m in rule.pattern.finditer(code)]
    return sorted(found)


def tree(root):
    """The files that git tracks or would add, or all files if there is no git repository."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        return sorted(path for path in listing.stdout.splitlines() if (root / path).is_file())
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*")
                  if path.is_file() and path.relative_to(root).parts[0] not in (".git", "build")
                  and "node_modules" not in path.parts)


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parent.parent
    paths = [path for path in tree(root) if TEXT.search(path)]
    findings = 0
    for path in paths:
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        for number, words in check_text(path, text):
            print(f"{path}:{number}: {words}")
            findings += 1
    print(f"tidy: {len(paths)} files, {findings} findings")
    return 1 if findings or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
