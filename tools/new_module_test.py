"""new_module.py must make modules that the layer check accepts, and must refuse invalid paths."""

import contextlib
import io
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import check_layers
import new_module

ROOT = pathlib.Path(__file__).resolve().parent.parent


class NewModuleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tools").mkdir()
        for file in ("CMakeLists.txt", "tools/layers.txt"):
            shutil.copy(ROOT / file, self.root / file)
        layers = check_layers.Layers((ROOT / "tools/layers.txt").read_text())
        for top in check_layers.top_folders(layers):
            (self.root / top).mkdir(exist_ok=True)
            shutil.copy(ROOT / top / "README.md", self.root / top)

    def make(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()) as errors:
            return new_module.main([*arguments, str(self.root)]), errors.getvalue()

    def read(self, file):
        return (self.root / file).read_text()

    def check(self, path, noun, class_name):
        self.assertEqual(self.make(path), (0, ""))
        self.assertIn(f"lockstep_module({path.replace('/', '_')}\n",
                      self.read(f"{path}/CMakeLists.txt"))
        for file in (f"{noun}.h", f"{noun}.cc", f"{noun}_test.cc"):
            self.assertIn(class_name, self.read(f"{path}/{file}"))
        self.assertIn(f"\nadd_subdirectory({path})\n", self.read("CMakeLists.txt"))
        with contextlib.redirect_stdout(io.StringIO()) as complaints:
            self.assertEqual(check_layers.main([str(self.root)]), 0, complaints.getvalue())

    def test_a_module_below_another(self):
        self.check("storage/cold_tier", "cold_tier", "ColdTier")
        self.assertIn("\n- `cold_tier/`: ", self.read("storage/README.md"))
        rows = self.read("tools/layers.txt").splitlines()
        self.assertIn("module storage/cold_tier : base", rows)
        before = rows[rows.index("module storage/cold_tier : base") - 1]
        self.assertTrue(before.startswith("module storage/"))

    def test_a_module_in_a_new_top_folder(self):
        self.check("forecast", "forecast", "Forecast")
        self.assertTrue(self.read("forecast/README.md").startswith("# forecast\n"))

    def test_invalid_paths(self):
        self.make("forecast")
        for path in ("forecast", "storage", "Storage", "../storage", "storage/", "storage//x", "/x",
                     "a-b", ""):
            before = self.read("tools/layers.txt")
            code, errors = self.make(path)
            self.assertEqual(code, 1, path)
            self.assertIn("new-module: ", errors)
            self.assertEqual(self.read("tools/layers.txt"), before)

    def test_dev_has_the_verb(self):
        usage = subprocess.run(["./dev", "help"], cwd=ROOT, capture_output=True, text=True,
                               check=True)
        self.assertIn("\n  new-module PATH", usage.stdout)
        refused = subprocess.run(["./dev", "new-module", "Not/a-module"], cwd=ROOT,
                                 capture_output=True, text=True, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("is not a module's path", refused.stderr)


if __name__ == "__main__":
    unittest.main()
