"""Every relative link of every page leads to a file, and to an existing heading if it names one."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINK = re.compile(r"(?<!\\)\[[^\]\n]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
HEADING = re.compile(r"^#+ +(.+)$", re.M)
ELSEWHERE = ("http://", "https://", "mailto:")


def pages():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True,
                            text=True)
    if listed.returncode == 0:
        return [ROOT / name for name in listed.stdout.split() if (ROOT / name).exists()]
    return [path for path in ROOT.rglob("*.md") if "build" not in path.relative_to(ROOT).parts]


def anchor(heading):
    """The anchor that GitHub makes for a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page):
    return {anchor(heading) for heading in HEADING.findall(CODE.sub("", page.read_text()) + page.read_text())}


def links(page):
    return [link for link in LINK.findall(CODE.sub("", page.read_text())) if not link.startswith(ELSEWHERE)]


class LinksTest(unittest.TestCase):
    def test_links_lead_somewhere(self):
        count = 0
        for page in pages():
            for link in links(page):
                count += 1
                with self.subTest(page=str(page.relative_to(ROOT)), link=link):
                    path, _, fragment = link.partition("#")
                    target = (page.parent / path).resolve() if path else page
                    self.assertTrue(target.exists())
                    if fragment and target.suffix == ".md":
                        self.assertIn(fragment, anchors(target))
        self.assertGreater(count, 100)

    def test_every_page_of_docs_is_reached_from_its_index(self):
        index = ROOT / "docs/README.md"
        reached, ahead = set(), [index]
        while ahead:
            page = ahead.pop()
            if page in reached or page.suffix != ".md" or not page.exists():
                continue
            reached.add(page)
            ahead += [(page.parent / link.partition("#")[0]).resolve() for link in links(page) if link.partition("#")[0]]
        self.assertEqual([str(page.relative_to(ROOT)) for page in pages() if page.is_relative_to(ROOT / "docs") and page not in reached], [])


if __name__ == "__main__":
    unittest.main()
