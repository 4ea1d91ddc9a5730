#!/usr/bin/env python3
"""Checks every #include of the tree against tools/layers.txt, and top folders for a README.md.

usage: check_layers.py [ROOT]      prints one line per violation, exits 1 if there is one
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
TEST_FILE = re.compile(r"(_test|_testing|_fuzz|_bench)\.(cc|h)$|^testdata/|/testdata/")
KINDS = ("module", "room", "test", "door", "wall", "absent")
# Top folders without a module.
OTHER_FOLDERS = ("clients", "grafana", "packaging", "rules_pack", "tools")


class Layers:
    """The rules of layers.txt."""

    def __init__(self, text):
        self.modules = {}
        self.rooms = {}
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
        if kind == "door":
            self.doors.setdefault(subjects[0], set()).update(objects)
            return
        tables = {"module": self.modules, "room": self.rooms, "test": self.test_extra,
                  "wall": self.walls}
        if subjects[0] in tables[kind]:
            raise ValueError(f"layers.txt:{number}: a second '{kind} {subjects[0]}'")
        tables[kind][subjects[0]] = set(objects)

    def _check_names(self):
        used = set(self.doors) | set(self.absent)
        for table in (self.modules, self.walls):
            for names in table.values():
                used |= names
        unknown = used - set(self.modules) - {"*", "**"}
        inside = set(self.test_extra) | set(self.rooms)
        for table in (self.rooms, self.test_extra):
            for names in table.values():
                inside |= names
        unknown |= inside - set(self.modules) - set(self.rooms)
        if unknown:
            raise ValueError(f"layers.txt: not a module: {', '.join(sorted(unknown))}")
        for room, others in self.rooms.items():
            strangers = {other for other in others if self._owner(other) != self._owner(room)}
            if self._owner(room) is None or strangers:
                raise ValueError(f"layers.txt: a room may only name rooms of its module: {room}")
        self._check_cycles()

    def _check_cycles(self):
        """Neither modules nor rooms may depend on each other in a circle."""
        for kind, table in (("modules", self.modules), ("rooms", self.rooms)):
            rest = dict(table)
            while rest:
                leaves = [name for name, others in rest.items()
                          if not (others - {name}) & set(rest)]
                if not leaves:
                    raise ValueError(f"layers.txt: a circle of {kind}: {', '.join(sorted(rest))}")
                for name in leaves:
                    del rest[name]

    def _owner(self, folder):
        return self.module_of(folder + "/")

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
        """Why `path` may not include `header`, or None. `files` are all files of the tree."""
        module = self.module_of(path)
        if module is None:
            return "the file is in no module of layers.txt"
        if header not in files and f"{path.rpartition('/')[0]}/{header}" in files:
            return f'"{header}" is relative to its folder; write the path from the root'
        if header in files and f"{path.rpartition('/')[0]}/{header}" in files:
            return f'"{header}" is ambiguous: there is one in the folder of the file, too'
        other = self.module_of(header)
        if other is None:
            return self._foreign_complaint(module, path, header)
        if other == module:
            return self._room_complaint(module, path, header)
        return self._own_complaint(module, other, path, header)

    def _own_complaint(self, module, other, path, header):
        allowed = set(self.modules[module])
        if TEST_FILE.search(path):
            allowed |= self.test_extra.get(module, set())
        if not allowed & {other, "*", "**"}:
            return f"{module} may not include {other}"
        if other in self.doors and header not in self.doors[other] and "**" not in allowed:
            return f"{header} is not a door of {other}"
        return None

    def _room_complaint(self, module, path, header):
        """The module's own folder may include all of its rooms, unless it is listed as one."""
        room, other = path.rpartition("/")[0], header.rpartition("/")[0]
        if room == other or room not in self.rooms:
            return None
        allowed = set(self.rooms[room])
        if TEST_FILE.search(path):
            allowed |= self.test_extra.get(room, set())
        return None if other in allowed else f"{room} may not include {other}"

    def _foreign_complaint(self, module, path, header):
        if header in self.absent.get(module, ()) and not TEST_FILE.search(path):
            return f"{module} must not include <{header}>"
        for prefix, owners in self.walls.items():
            if header.startswith(prefix) and module not in owners and "*" not in owners:
                return f"<{header}> is only for {', '.join(sorted(owners))}"
        return None


def check_file(layers, path, text, files):
    """The complaints about one file, as (line number, message)."""
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


def top_folders(layers):
    """Every top folder of the tree, in order of name."""
    return sorted({module.partition("/")[0] for module in layers.modules} | set(OTHER_FOLDERS))


def folders_without_readme(root, layers):
    """The top folders that do not say what they are."""
    return [name for name in top_folders(layers) if not (root / name / "README.md").is_file()]


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parent.parent
    layers = Layers((root / "tools/layers.txt").read_text())
    files = set(sources(root))
    complaints = 0
    for path in sorted(files):
        for number, words in check_file(layers, path, (root / path).read_text(), files):
            print(f"{path}:{number}: {words}")
            complaints += 1
    bare_folders = folders_without_readme(root, layers)
    for name in bare_folders:
        print(f"{name}: no README.md with its entry points, its invariant and its tests")
    print(f"layers: {len(files)} files, {complaints} forbidden includes, "
          f"{len(bare_folders)} folders without README.md")
    return 1 if complaints or bare_folders or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
