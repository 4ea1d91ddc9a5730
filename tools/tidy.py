#!/usr/bin/env python3
"""The short ban list: what no file of the tree may contain, and why.

usage: tidy.py [ROOT]      prints one line per finding, exits 1 if there is one
"""

import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

CPP = re.compile(r"\.(cc|h)$")
CPP_TEST = re.compile(r"(_test|_test_support)\.(cc|h)$")
TEXT = re.compile(r"\.(cc|h|py|sh|md|txt|cmake|json|ya?ml|html|css|js|ts)$|^(dev|\.ci/run)$")
STORE = re.compile(r"^storage/(db|index|chunk)/.*\.(cc|h)$")


class Rule(NamedTuple):
    """`pattern` may not occur in files whose path matches `files` and not `but_not`."""

    files: re.Pattern
    pattern: re.Pattern
    why: str
    but_not: re.Pattern = re.compile(r"(?!)")


# Looked up in C++ without its comments and strings.
CODE_RULES = [
    Rule(CPP, re.compile(r"\bthrow\b"), "errors are absl::Status; nothing of ours throws"),
    Rule(CPP, re.compile(r"\bstd\s*::\s*w?regex\b"), "std::regex is slow and recurses; use RE2"),
    Rule(CPP, re.compile(r"\babsl\s*::\s*(Mutex|MutexLock|Notification|BlockingCounter)\b"),
         "packaged absl::Mutex is a debug build that TSan cannot see; use base/mutex.h"),
    Rule(CPP, re.compile(r"\bstd\s*::\s*((recursive_)?(timed_)?mutex|"
                         r"lock_guard|unique_lock|scoped_lock)\b"),
         "use base/mutex.h, which the thread-safety analysis knows",
         re.compile(r"^base/mutex\.h$")),
    Rule(CPP_TEST, re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep)\b"),
         "tests wait for events, never for time"),
    Rule(CPP_TEST, re.compile(r"\bsystem_clock\s*::\s*now\b|\btime\s*\(\s*(nullptr|NULL|0)\s*\)"),
         "tests have no wall clock"),
    Rule(CPP, re.compile(r"\busing\s+namespace\s+std\s*;"), "name what you use"),
    Rule(STORE, re.compile(r"\bstd\s*::\s*filesystem\b|\bmmap\s*\("),
         "database paths are touched through storage/kv's Env only", CPP_TEST),
    Rule(CPP, re.compile(r"\bDISABLED_|\bGTEST_SKIP\b"),
         "a test is never switched off: assert what happens today and say that it is wrong"),
    Rule(CPP, re.compile(r"\bcatch\s*\(\s*\.\.\.\s*\)"), "catch what the library documents"),
]

# Looked up in every text file as it stands.
TEXT_RULES = [
    Rule(TEXT, re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b"), "finish it or leave it out",
         re.compile(r"^tests/.*/testdata/|^tests/data/")),
    Rule(TEXT, re.compile(r"(?<![\w.$}/*-])/(work|root|Users|home/\w+|tmp/\w+)/\w"),
         "a path of one machine"),
    Rule(TEXT, re.compile(r"^(<<<<<<< |>>>>>>> )", re.M), "a merge conflict"),
]

COMMENT_OR_STRING = re.compile(
    r'R"([^()\\\s]{0,16})\((?:.|\n)*?\)\1"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*|/\*(?:.|\n)*?\*/")


def blank(text):
    """`text` with comments and the insides of literals made blank; line breaks stay."""
    def replace(match):
        word = match.group(0)
        inside = re.sub(r"[^\n]", " ", word)
        return inside if word.startswith("/") else '"' + inside[1:-1] + '"'
    return COMMENT_OR_STRING.sub(replace, text)


def closing(code, start):
    """The index of the bracket that closes the one at `start`, or the end."""
    depth = 0
    for i in range(start, len(code)):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return len(code)


def await_expression(code, start):
    """The text from `start` to where its expression ends: ';', ',' or a bracket from outside."""
    i = start
    while i < len(code) and code[i] not in ";,)]}":
        i = closing(code, i) + 1 if code[i] in "([{" else i + 1
    return code[start:i]


STATEMENT_BEGINS = re.compile(r"(^|[;{}:=(]|\(void\)|\b(co_return|else|do))$")


def ends_with_condition(code):
    """Whether `code` ends with `if (...)`, `while (...)` or `for (...)`."""
    depth = 0
    for i in range(len(code) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(code[i], 0)
        if depth == 0:
            return bool(re.search(r"\b(if|while|for)\s*$", code[:i]))
    return False


def coroutine_findings(code):
    """The coroutine forms that g++ 12 miscompiles or refuses, as (index, words).

    What stays: one co_await per statement, as the whole right side of a declaration, assignment,
    return or statement, with arguments that are names, scalars or classes with constructors.
    """
    for match in re.finditer(r"\b(if|switch)\s*(?:constexpr\s*)?\(", code):
        opening = match.end() - 1
        condition = code[opening:closing(code, opening)]
        if "co_await" in condition:
            yield (match.start(),
                   f"g++ 12 miscompiles {match.group(1)} (co_await ...): name the result first")
    for match in re.finditer(r"\bco_await\b", code):
        expression = await_expression(code, match.end())
        if "{" in expression:
            yield match.start(), "g++ 12 destroys a braced or lambda argument of co_await twice"
        if "?" in expression:
            yield match.start(), "g++ 12 destroys the result of ?: inside co_await twice"
        if "co_await" in expression:
            yield match.start(), "one co_await per statement"
        before = code[:match.start()].rstrip()
        if not STATEMENT_BEGINS.search(before) and not ends_with_condition(before):
            yield match.start(), "co_await must be the whole right side of a statement"
        elif re.search(r"(?<!\bwhile)(?<!\bif)(?<!\bswitch)(?<![\s=;{}:(])\s*\($", before):
            yield match.start(), "co_await inside an argument list: name the result first"


def line_of(text, index):
    return text.count("\n", 0, index) + 1


def check_text(path, text):
    """The findings in one file, as (line number, words)."""
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
        found += [(line_of(code, index), words) for index, words in coroutine_findings(code)]
    return sorted(found)


def tree(root):
    """The files that git knows or would take, or all files where there is no git."""
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
