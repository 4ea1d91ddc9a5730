"""check_layers.py must accept allowed includes and reject all others."""

import pathlib
import tempfile
import unittest

import check_layers

RULES = """
module base :
module model : base
module storage : model            # a comment
module storage/kv : base
module storage/db : model storage storage/kv
room storage/db/head :
room storage/db/read : storage/db/head
test storage/db/head : storage/db
module cli : *
module bench : **
test storage : storage/db
door storage/db : storage/db/db.h
wall rocksdb/ : storage/kv
wall zlib : base cli
absent model storage : mutex
"""
FILES = {"base/check.h", "model/labels.h", "storage/storage.h", "storage/db/db.h",
         "storage/db/shard.h", "storage/db/head/head.h", "storage/db/read/view.h",
         "storage/kv/store.h", "cli/model/labels.h"}


def complaints(path, *lines):
    layers = check_layers.Layers(RULES)
    return [words for _, words in check_layers.check_file(layers, path, "\n".join(lines), FILES)]


class AllowedTest(unittest.TestCase):
    def check(self, path, line):
        self.assertEqual(complaints(path, line), [], f"{path}: {line}")

    def test_arrows_that_the_rules_name(self):
        self.check("model/labels.h", '#include "base/check.h"')
        self.check("storage/db/shard.cc", '#include "storage/kv/store.h"')
        self.check("storage/db/shard.cc", '#include "storage/db/shard.h"')
        self.check("storage/contract_test.cc", '#include "storage/db/db.h"')
        self.check("storage/kv/store.cc", '#  include <rocksdb/db.h>')
        self.check("model/labels_test.cc", "#include <mutex>")
        self.check("base/coding.h", "#include <mutex>")
        self.check("cli/main.cc", '#include "storage/db/db.h"')
        self.check("bench/head.cc", '#include "storage/db/shard.h"')
        self.check("model/labels.cc", '#include "absl/status/status.h"')


    def test_rooms(self):
        self.check("storage/db/db.cc", '#include "storage/db/read/view.h"')
        self.check("storage/db/read/view.cc", '#include "storage/db/head/head.h"')
        self.check("storage/db/read/view.cc", '#include "model/labels.h"')
        self.check("storage/db/head/head_test.cc", '#include "storage/db/db.h"')


class ForbiddenTest(unittest.TestCase):
    def check(self, path, line, words):
        found = complaints(path, "#pragma once", line)
        self.assertEqual(len(found), 1, f"{path}: {line}")
        self.assertIn(words, found[0])

    def test_arrows_that_point_up(self):
        self.check("base/check.h", '#include "model/labels.h"', "base may not include model")
        self.check("storage/kv/store.cc", '#include "storage/storage.h"', "may not include storage")

    def test_tests_have_no_more_than_they_are_given(self):
        self.check("model/labels_test.cc", '#include "storage/db/db.h"', "may not include")

    def test_rooms(self):
        self.check("storage/db/head/head.h", '#include "storage/db/read/view.h"',
                   "storage/db/head may not include storage/db/read")
        self.check("storage/db/head/head.cc", '#include "storage/db/db.h"', "may not include")
        self.check("storage/db/read/view_test.cc", '#include "storage/db/db.h"', "may not include")

    def test_ambiguous_includes(self):
        self.check("cli/main.cc", '#include "model/labels.h"', "ambiguous")

    def test_private_headers(self):
        self.check("cli/main.cc", '#include "storage/db/shard.h"', "not a door")
        self.check("storage/contract_test.cc", '#include "storage/db/shard.h"', "not a door")

    def test_third_parties_outside_their_module(self):
        self.check("storage/db/db.cc", "#include <rocksdb/db.h>", "only for storage/kv")
        self.check("storage/db/db.cc", '#include "rocksdb/db.h"', "only for storage/kv")
        self.check("model/labels.cc", "#include <zlib.h>", "only for base, cli")

    def test_absent_headers(self):
        self.check("storage/storage.h", "#include <mutex>", "must not include")

    def test_relative_includes_and_strange_folders(self):
        self.check("storage/db/db.cc", '#include "shard.h"', "path from the root")
        self.check("attic/old.cc", "#include <vector>", "in no module")


class ReadmeTest(unittest.TestCase):
    def test_every_top_folder_has_one(self):
        layers = check_layers.Layers(RULES)
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            tops = check_layers.top_folders(layers)
            self.assertIn("storage", tops)
            self.assertNotIn("storage/db", tops)
            for name in tops:
                (root / name).mkdir()
                (root / name / "README.md").write_text("# " + name)
            self.assertEqual(check_layers.folders_without_readme(root, layers), [])
            (root / "storage/README.md").unlink()
            self.assertEqual(check_layers.folders_without_readme(root, layers), ["storage"])


class RulesTest(unittest.TestCase):
    def test_mistakes_in_the_rules(self):
        for text in ("module a : b", "door a : a/a.h", "modul a :", "module a", "module :",
                     "module a :\nmodule a :", "module a b :", "room a/x :", "module a :\nroom a/x : a/y",
                     "module a :\nmodule b : a\nroom a/x : b", "module a : b\nmodule b : a",
                     "module a :\nroom a/x : a/y\nroom a/y : a/x"):
            with self.assertRaises(ValueError, msg=text):
                check_layers.Layers(text)


if __name__ == "__main__":
    unittest.main()
