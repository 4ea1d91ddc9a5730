"""What all artefacts agree on: the version, the time of the commit, and the files that people get."""

import argparse
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "packaging"
GLIBC = "2.36"
MAINTAINER = "The lockstep authors <lockstep@localhost.invalid>"
SUMMARY = "metrics store and query server for people who train large models"


def version():
    """The version of CMakeLists.txt."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(lockstep VERSION ([0-9.]+)", text)[1]


def epoch():
    """Seconds since 1970 of every file in every artefact: $SOURCE_DATE_EPOCH, else the commit's time."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        given = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=True, text=True,
                               capture_output=True).stdout
    return int(given)


def stripped(program, place):
    """Copies `program` to `place` without symbols and debug information."""
    place.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["strip", "--strip-all", "--remove-section=.comment", "-o", place, program], check=True)
    place.chmod(0o755)
    return place


def shared_files():
    """(path below share/lockstep, source file) of what the program's users load elsewhere."""
    for folder, patterns in (("rules_pack", ("*.yml", "hooks/*")),
                             ("grafana", ("README.md", "dashboards/*", "provisioning/**/*"))):
        for pattern in patterns:
            for file in sorted((ROOT / folder).glob(pattern)):
                if file.is_file() and not file.name.endswith("_test.yml"):
                    yield file.relative_to(ROOT).as_posix(), file


def documentation(program):
    """{kind: text} of what `program` prints about itself: "man", "bash" and "zsh"."""
    verbs = {"man": ("help", "--man"), "bash": ("completion", "bash"), "zsh": ("completion", "zsh")}
    return {kind: subprocess.run([program, *arguments], check=True, text=True, capture_output=True).stdout
            for kind, arguments in verbs.items()}


def make_portable(build):
    """The command line of what carries the portable program; prints the path that `build` returns."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--licences", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    print(build(options.program.resolve(), options.licences.resolve(), options.output.resolve()))
