#!/usr/bin/env python3
"""Checks every #include of the tree against tools/layers.txt.

usage: check_layers.py [ROOT]      prints one line per forbidden include, exits 1 if there is one
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
TEST_FILE = re.compile(r"(_test|_test_support|_fuzz|_bench)\.(cc|h)$|^testdata/|/testdata/")
KINDS = ("module", "test", "door", "wall", "absent")


class Layers:
    """The rules of layers.txt."""

    def __init__(self, text):
        self.modules = {}
        self.test_extra = {}
        self.doors = {}
        self.walls = {}
        self.absent = {}
        for number, line in enumerate(text.splitlines(), 1):
            line = line.split("#", 1)[0].strip()
            if line:
                self._read(number, line)
        self._check_names()

    def _read(self, number, line):
        kind, _, rest = line.partition(" ")
        left, colon, right = rest.partition(":")
        subjects, objects = left.split(), right.split()
        if kind not in KINDS or not colon or not subjects:
            raise ValueError(f"layers.txt:{number}: cannot read '{line}'")
        if kind == "absent":
            for module in subjects:
                self.absent.setdefault(module, set()).update(objects)
            return
        if len(subjects) != 1:
            raise ValueError(f"layers.txt:{number}: '{kind}' takes one name before ':'")
        tables = {"module": self.modules, "test": self.test_extra, "door": self.doors,
                  "wall": self.walls}
        if subjects[0] in tables[kind]:
            raise ValueError(f"layers.txt:{number}: a second '{kind} {subjects[0]}'")
        tables[kind][subjects[0]] = set(objects)

    def _check_names(self):
        used = set(self.test_extra) | set(self.doors) | set(self.absent)
        for table in (self.modules, self.test_extra, self.walls):
            for names in table.values():
                used |= names
        unknown = sorted(used - set(self.modules) - {"*"})
        if unknown:
            raise ValueError(f"layers.txt: not a module: {', '.join(unknown)}")

    def module_of(self, path):
        """The module with the longest matching folder, or None."""
        parts = path.split("/")[:-1]
        while parts:
            name = "/".join(parts)
            if name in self.modules:
                return name
            parts.pop()
        return None

    def complaint(self, path, header, files):
        """Why `path` may not include `header`, or None. `files` are those of the whole tree."""
        module = self.module_of(path)
        if module is None:
            return "the file lies in no module of layers.txt"
        if header not in files and f"{path.rpartition('/')[0]}/{header}" in files:
            return f'"{header}" is written relative to its folder; write the path from the root'
        other = self.module_of(header)
        if other is None:
            return self._foreign_complaint(module, path, header)
        return self._own_complaint(module, other, path, header)

    def _own_complaint(self, module, other, path, header):
        if other == module:
            return None
        allowed = set(self.modules[module])
        if TEST_FILE.search(path):
            allowed |= self.test_extra.get(module, set())
        if "*" not in allowed and other not in allowed:
            return f"{module} may not include {other}"
        if other in self.doors and header not in self.doors[other] and "*" not in allowed:
            return f"{header} is not a door of {other}"
        return None

    def _foreign_complaint(self, module, path, header):
        if header in self.absent.get(module, ()) and not TEST_FILE.search(path):
            return f"{module} does without <{header}>"
        for prefix, owners in self.walls.items():
            if header.startswith(prefix) and module not in owners and "*" not in owners:
                return f"<{header}> is only for {', '.join(sorted(owners))}"
        return None


def check_file(layers, path, text, files):
    """The complaints about one file, as (line number, words)."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            words = layers.complaint(path, match.group(1), files)
            if words:
                found.append((number, words))
    return found


def sources(root):
    """Every C++ file of the tree, relative to its root."""
    for path in root.rglob("*"):
        relative = path.relative_to(root)
        if relative.parts[0].startswith((".", "build")) or "node_modules" in relative.parts:
            continue
        if path.suffix in (".cc", ".h"):
            yield relative.as_posix()


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parent.parent
    layers = Layers((root / "tools/layers.txt").read_text())
    files = set(sources(root))
    complaints = 0
    for path in sorted(files):
        for number, words in check_file(layers, path, (root / path).read_text(), files):
            print(f"{path}:{number}: {words}")
            complaints += 1
    print(f"layers: {len(files)} files, {complaints} forbidden includes")
    return 1 if complaints or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
