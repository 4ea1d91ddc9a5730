"""Every function in docs/paths.md exists in the file named there, and the counts are right."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/paths.md"
ITEM = re.compile(r"^\d+\. (.*?)(?=^\d+\. |\Z)", re.M | re.S)
FILE = re.compile(r"`([\w/]+\.(?:cc|h))`:\s")
FUNCTION = re.compile(r"`((?:\w+::)?\w+)`")
COUNTS = re.compile(r"(\d+)\s+functions\s+in\s+(\d+)\s+files")


def stops(section):
    """The (file, function) pairs of the numbered list, in order."""
    for item in ITEM.findall(section):
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
