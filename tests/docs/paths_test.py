"""Every function in docs/paths.md and ARCHITECTURE.md exists in the file named there, and the counts are right."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/paths.md"
MAP = ROOT / "ARCHITECTURE.md"
MOST_FUNCTIONS_ON_MAP = 20
MOST_FILES_ON_MAP = 12
ITEM = re.compile(r"^\d+\. (.*?)(?=^\d+\. |\Z)", re.M | re.S)
FILE = re.compile(r"`([\w/]+\.(?:cc|h))`:\s")
FUNCTION = re.compile(r"`((?:\w+::)?\w+)`")
BULLET = re.compile(r"^- (.*?)(?=^- |^\n|\Z)", re.M | re.S)
COUNTS = re.compile(r"(\d+)\s+functions\s+in\s+(\d+)\s+files")


def stops(section, pattern=ITEM):
    """The (file, function) pairs of a list, in order."""
    for item in pattern.findall(section):
        parts = FILE.split(item)
        for file, text in zip(parts[1::2], parts[2::2]):
            for name in FUNCTION.findall(text):
                yield file, name


def has_function(text, name):
    """Whether `text` defines the function, by its full name or inside its class."""
    scope, _, own = name.rpartition("::")
    if not scope:
        return re.search(rf"^[\w:<>*& ]*\b{own}\(", text, re.M) is not None
    if re.search(rf"\b{scope}::{own}\(", text):
        return True
    return re.search(rf"^class {scope}\b.*?\b{own}\(", text, re.M | re.S) is not None


class PathsTest(unittest.TestCase):
    def test_the_map_names_functions_of_the_full_paths(self):
        chapter = MAP.read_text().split("\n## Three paths\n")[1].split("\n## ")[0]
        paths = re.split(r"^\*\*", chapter, flags=re.M)[1:]
        full = {stop for section in PAGE.read_text().split("\n## ")[1:] for stop in stops(section)}
        self.assertEqual(len(paths), 3)
        for path in paths:
            title = path.partition("**")[0]
            found = list(stops(path, BULLET))
            with self.subTest(path=title):
                self.assertEqual(set(found) - full, set())
                self.assertGreater(len(found), 10)
                self.assertLessEqual(len(found), MOST_FUNCTIONS_ON_MAP)
                self.assertLessEqual(len({file for file, _ in found}), MOST_FILES_ON_MAP)

    def test_functions_exist_and_are_counted(self):
        sections = [text for text in PAGE.read_text().split("\n## ")[1:]]
        self.assertEqual(len(sections), 3)
        for section in sections:
            title = section.partition("\n")[0]
            found = set(stops(section))
            for file, name in sorted(found):
                with self.subTest(path=title, file=file, function=name):
                    self.assertTrue(has_function((ROOT / file).read_text(), name))
            with self.subTest(path=title):
                self.assertGreater(len(found), 20)
                counts = COUNTS.search(section)
                self.assertEqual((int(counts[1]), int(counts[2])),
                                 (len(found), len({file for file, _ in found})))


if __name__ == "__main__":
    unittest.main()
