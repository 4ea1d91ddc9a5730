#!/usr/bin/env python3
"""Makes an empty module that builds and has a passing test.

usage: new_module.py PATH [ROOT]      PATH is a folder such as storage/tiers, ROOT the source tree

Writes CMakeLists.txt, a header, a source and a test into the folder; README.md into a new top
folder, else a line into that of the top folder; and a line into CMakeLists.txt and
tools/layers.txt.
"""

import pathlib
import re
import sys

import check_layers

PATH = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*")

CMAKE = """\
lockstep_module({module}
  SOURCES {noun}.cc
  DEPS lockstep::base
  TESTS {noun}_test.cc)
"""
HEADER = """\
// {class_name}: what it is, in one sentence.
//
// Which threads may call it, how long what it returns lives, what must hold before a call.
#pragma once

namespace lockstep {{

class {class_name} {{
 public:
  bool empty() const;
}};

}}  // namespace lockstep
"""
SOURCE = """\
#include "{path}/{noun}.h"

namespace lockstep {{

bool {class_name}::empty() const {{ return true; }}

}}  // namespace lockstep
"""
TEST = """\
#include "{path}/{noun}.h"

#include <gtest/gtest.h>

namespace lockstep {{
namespace {{

TEST({class_name}Test, BeginsEmpty) {{ EXPECT_TRUE({class_name}().empty()); }}

}}  // namespace
}}  // namespace lockstep
"""
README = """\
# {path}

What it is, in one sentence.

- **Entry points:** `{noun}.h`.
- **Invariant:** what always holds.
- **Tests:** `*_test.cc` here.
"""
README_LINE = "- `{below}/`: what it is, in one sentence.\n"


def insert_after_siblings(text, line, sibling, otherwise_before):
    """`text` with `line` after the last line that matches `sibling`, else before another line."""
    lines = text.splitlines(keepends=True)
    places = [i + 1 for i, old in enumerate(lines) if re.match(sibling, old)]
    if not places:
        places = [i for i, old in enumerate(lines) if old.startswith(otherwise_before)][:1]
    if not places:
        raise ValueError(f"there is no line '{otherwise_before}' to put '{line.strip()}' before")
    lines.insert(places[-1], line)
    return "".join(lines)


def changed_files(root, path):
    """The new content of every file, by its path below `root`."""
    top, _, below = path.partition("/")
    noun = path.rpartition("/")[2]
    names = {"path": path, "noun": noun, "below": below, "module": path.replace("/", "_"),
             "class_name": "".join(word.capitalize() for word in noun.split("_"))}
    templates = {"CMakeLists.txt": CMAKE, f"{noun}.h": HEADER, f"{noun}.cc": SOURCE,
                 f"{noun}_test.cc": TEST}
    files = {f"{path}/{file}": text.format(**names) for file, text in templates.items()}
    readme = root / top / "README.md"
    if below and readme.exists():
        files[f"{top}/README.md"] = readme.read_text() + README_LINE.format(**names)
    else:
        files[f"{top}/README.md"] = README.format(**names)
    files["CMakeLists.txt"] = insert_after_siblings(
        (root / "CMakeLists.txt").read_text(), f"add_subdirectory({path})\n",
        rf"add_subdirectory\({top}[/)]", "# What people install.")
    files["tools/layers.txt"] = insert_after_siblings(
        (root / "tools/layers.txt").read_text(), f"module {path} : base\n",
        rf"module {top}[/ ]", "module cli :")
    return files


def complaint(root, path):
    """Why there can be no such module, or None."""
    if not PATH.fullmatch(path):
        return f"'{path}' is not a module's path: use lower-case words, such as storage/tiers"
    if (root / path).exists():
        return f"'{path}' exists already"
    if path in check_layers.Layers((root / "tools/layers.txt").read_text()).modules:
        return f"tools/layers.txt has a module '{path}' already"
    return None


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    path = arguments[0].rstrip("/")
    here = pathlib.Path(__file__).parent.parent
    root = pathlib.Path(arguments[1]) if len(arguments) == 2 else here
    why = complaint(root, path)
    if why:
        print(f"new-module: {why}", file=sys.stderr)
        return 1
    for file, text in changed_files(root, path).items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
        print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
