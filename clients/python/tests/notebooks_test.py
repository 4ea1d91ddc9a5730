"""Executes the example notebooks with the real libraries against a real server with the demo's recording, using the
package as pip installs it into an empty environment.

LOCKSTEP_PROGRAM names the server. The libraries come from PyPI; without them the test is skipped.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import pypi
import recording

FOLDER = pathlib.Path(__file__).resolve().parent
PACKAGE = FOLDER.parent
NOTEBOOKS = PACKAGE / "examples"
WITHIN_S = 400
IMAGE = "image/png"


def run(*command, **environment):
    without_path = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=WITHIN_S,
                            env={**without_path, **environment})
    if result.returncode != 0:
        raise AssertionError(f"{command}: {result.stdout[-1000:]}{result.stderr[-3000:]}")
    return result.stdout


class NotebooksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = pypi.environment("notebooks", FOLDER / "requirements-notebooks.txt")
        folder = tempfile.TemporaryDirectory(prefix="lockstep-notebooks-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        # Building leaves files next to the sources.
        shutil.copytree(PACKAGE, cls.folder / "source",
                        ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__"))
        run(cls.python, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--no-build-isolation",
            "--no-index", "--wheel-dir", cls.folder, cls.folder / "source")
        [cls.wheel] = cls.folder.glob("*.whl")
        run(cls.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index",
            "--target", cls.folder / "installed", cls.wheel)
        cls.url = recording.serve(cls)

    def execute(self, name):
        told = run(self.python, FOLDER / "run_notebook.py", NOTEBOOKS / f"{name}.ipynb", LOCKSTEP_URL=self.url,
                   PYTHONPATH=str(self.folder / "installed"), MPLBACKEND="module://matplotlib_inline.backend_inline",
                   IPYTHONDIR=str(self.folder / "ipython"), MPLCONFIGDIR=str(self.folder / "matplotlib"))
        return json.loads(told)

    def check(self, name, images, *words):
        cells = self.execute(name)
        self.assertEqual(sum(IMAGE in cell for cell in cells), images)
        text = "".join(part for cell in cells for kind, part in cell.items() if kind != IMAGE)
        for word in words:
            self.assertIn(word, text)

    def test_first_steps(self):
        # 50 steps were logged, the last is 49.
        self.check("first_steps", 2, "pretrain-bf16", "<td>49</td>", "accepted=50")

    def test_find_the_straggler(self):
        # The planted straggler, from the demo's data/truth.json.
        self.check("find_the_straggler", 2, "rank 1 on h200-node-0", "cause: loader", "goodput", "own_seconds")

    def test_compare_two_runs(self):
        # 46.4 % is the MFU of the bf16 run in data/truth.json.
        self.check("compare_two_runs", 3, "2 runs, by step", "MFU 46.", "h200")

    def test_every_notebook_is_executed(self):
        self.assertEqual({path.stem for path in NOTEBOOKS.glob("*.ipynb")},
                         {"first_steps", "find_the_straggler", "compare_two_runs"})

    def test_notebooks_are_stored_without_outputs(self):
        for path in NOTEBOOKS.glob("*.ipynb"):
            for cell in json.loads(path.read_text())["cells"]:
                self.assertFalse(cell.get("outputs"), path.name)

    def test_the_package_needs_nothing_else(self):
        clean = self.folder / "clean"
        run(sys.executable, "-m", "venv", clean)
        run(clean / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", self.wheel)
        told = run(clean / "bin/python", "-c", f"import lockstep; print(len(lockstep.Client({self.url!r}).labels()))")
        self.assertGreater(int(told), 5)
        self.assertIn("--url", run(clean / "bin/lockstep-agent", "--help"))
        typed = run(clean / "bin/python", "-c",
                    "import lockstep, pathlib; print((pathlib.Path(lockstep.__file__).parent / 'py.typed').exists())")
        self.assertEqual(typed.strip(), "True")


if __name__ == "__main__":
    unittest.main()
