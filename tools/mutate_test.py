"""Mutants must be found, be in one build, and each change what the program does."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import check_layers
import mutants
import mutate


def in_function(body):
    return f"namespace lockstep {{\nint F(int a, int b) {{\n{body}\n}}\n}}  // namespace lockstep\n"


def changes(body):
    """What the mutants of a function's body change, as (operator, before, after)."""
    return {(m.operator, m.before, m.after) for m in mutants.mutants_of(in_function(body))}


class OperatorsTest(unittest.TestCase):
    def check(self, body, *expected):
        found = changes(body)
        for each in expected:
            self.assertIn(each, found, f"{body}: {sorted(found)}")

    def check_not(self, body, *operators):
        found = changes(body)
        self.assertEqual([each for each in found if each[0] in operators], [], body)

    def test_conditions_are_forced_and_negated(self):
        for head in ("if (a == b)", "while (a == b)", "for (; a == b;)"):
            self.check(f"{head} F(a, b);", ("force true", "a == b", "true"),
                       ("force false", "a == b", "false"), ("negate", "a == b", "!(a == b)"))
        self.check("if (int c = a; c > b) F(c, b);", ("force true", "c > b", "true"))

    def test_a_condition_that_declares_and_an_endless_loop_stay(self):
        for head in ("if (int c = F(a, b))", "while (true)", "for (;;)"):
            self.check_not(f"{head} F(a, b);", "force true", "force false", "negate")

    def test_comparisons_and_arithmetic_are_swapped(self):
        for word, other in mutants.SWAPS.items():
            self.check(f"return a {word} b;",
                       (f"{word} to {other}", f"a {word} b", f"a {other} b"))

    def test_a_swap_takes_no_more_than_its_operands(self):
        self.check("return a < b && F(a + 1, b * 2) == 0;",
                   ("< to <=", "a < b", "a <= b"), ("+ to -", "a + 1", "a - 1"),
                   ("* to /", "b * 2", "b / 2"), ("&& to ||", "a < b && F(a + 1, b * 2) == 0",
                                                  "a < b || F(a + 1, b * 2) == 0"))
        self.check("const int c = a + b - 1;", ("+ to -", "a + b - 1", "a - b - 1"))
        self.check("return a > b ? a : b;", ("> to >=", "a > b", "a >= b"))

    def test_brackets_of_templates_references_and_pointers_are_no_operators(self):
        self.check_not("std::vector<int> c; const auto&& d = *e; F(&a, *b);",
                       *(f"{word} to {other}" for word, other in mutants.SWAPS.items()))

    def test_constants_change_by_one(self):
        self.check("return a + 7;", ("constant", "return a + 7;", "return a + 8;"))
        self.check("F(a, 0.5);", ("constant", "F(a, 0.5);", "F(a, (0.5 + 1));"))
        self.check("F(a, true);", ("true to false", "F(a, true);", "F(a, false);"))
        self.check_not("std::get<0>(c); F(\"7\", '7');", "constant")

    def test_a_constant_of_the_file_changes(self):
        found = mutants.mutants_of("namespace n {\nconstexpr int kMost = 10;\n}\n")
        self.assertEqual([(m.operator, m.after) for m in found],
                         [("constant", "constexpr int kMost = 11;")])

    def test_statements_are_dropped_unless_they_declare(self):
        for statement in ("F(a, b);", "a = b;", "c->d[a].e(b);", "++a;", "a += b;"):
            expected = () if statement == "++a;" else (("drop", statement, ";"),)
            self.check(statement, *expected)
        self.check_not("std::string c; const int d = a; MutexLock lock(mutex_); auto& e = a;"
                       "LOCKSTEP_ASSIGN_OR_RETURN(int f, G()); Map<int, int> g(a);", "drop")

    def test_what_nobody_can_see_stays(self):
        for statement in ("LOCKSTEP_CHECK(a > b);", "c.reserve(a + 1);", "d->c[0].reserve(b);",
                          "c.shrink_to_fit();"):
            self.assertEqual(changes(statement), set(), statement)
        self.check("c.Reserve(a);", ("drop", "c.Reserve(a);", ";"))
        self.check("c.reserve(a).push(b);", ("drop", "c.reserve(a).push(b);", ";"))

    def test_returns_return_nothing_unless_they_did(self):
        self.check("return F(a, b);", ("return nothing", "return F(a, b);", "return {};"))
        self.check("if (a) return;", ("drop", "return;", ";"))
        self.check_not("return {}; return 0; return absl::OkStatus();", "return nothing")

    def test_loops_end_early(self):
        self.check("for (;;) { continue; }", ("continue to break", "continue;", "break;"))

    def test_min_and_max(self):
        self.check("return std::min(a, b);", ("min to max", "std::min(a, b)", "std::max(a, b)"))

    def test_bodies_of_lambdas_and_of_members_have_mutants(self):
        self.check("const auto g = [&](int c) -> bool { return c < a; };",
                   ("< to <=", "c < a", "c <= a"))
        text = "class C {\n public:\n  C() : a_{1} { F(1); }\n  bool G() const { return a_ < 2; }\n};\n"
        self.assertIn("< to <=", {m.operator for m in mutants.mutants_of(text)})

    def test_comments_strings_and_constant_functions_have_none(self):
        self.assertEqual(mutants.mutants_of('constexpr int F(int a) { return a + 1; }\n'), [])
        self.check_not('Log("a < b"); // c < d\n/* e < f */ Log(R"x(g < h)x");', "< to <=")

    def test_the_line_is_that_of_the_change(self):
        found = [m.line for m in mutants.mutants_of(in_function("F(a,\n  b + 1);"))
                 if m.operator == "+ to -"]
        self.assertEqual(found, [4])


PROGRAM = """#include <cstdio>
#include <algorithm>

namespace {

constexpr int kMost = 3;

int Sum(int from, int to) {
  int sum = 0;
  for (int i = from; i <= to; ++i) {
    if (i == kMost) continue;
    sum += i * 2;
  }
  return std::min(sum, 1000);
}

}  // namespace

int main() {
  if (Sum(1, 5) > 0) std::printf("%d", Sum(1, 5));
  else std::printf("nothing");
}
"""


@unittest.skipUnless(shutil.which("g++"), "needs g++")
class OneBuildTest(unittest.TestCase):
    """The program prints (1 + 2 + 4 + 5) * 2 = 24."""

    def test_each_mutant_of_a_program_in_one_build_does_what_it_says(self):
        wanted = {("constant", "constexpr int kMost = 4;"): "22",
                  ("<= to <", "i < to"): "14",
                  ("force true", "true"): "0",      # Every number is left out: nothing to print.
                  ("negate", "!(i == kMost)"): "6",
                  ("continue to break", "break;"): "6",
                  ("drop", ";"): "0",
                  ("* to /", "i / 2"): "5",
                  ("min to max", "std::max(sum, 1000)"): "1000",
                  ("return nothing", "return {};"): "0"}
        for (operator, after), printed in wanted.items():
            found = [m for m in mutants.mutants_of(PROGRAM)
                     if (m.operator, m.after) == (operator, after) and m.line < 16
                     and not (operator == "force true" and m.before != "i == kMost")
                     and not (operator == "drop" and not m.before.startswith("sum"))]
            self.assertEqual(len(found), 1, (operator, after))
            outputs = self.run_all([(7, found[0])], (0, 7))
            self.assertEqual(outputs[0], "24")
            self.assertEqual(outputs[1], "nothing" if printed == "0" else printed, operator)

    def test_mutants_that_do_not_overlap_share_a_build(self):
        chosen = []
        for mutant in mutants.mutants_of(PROGRAM):
            if mutant.operator in ("constant", "* to /", "min to max") \
                    and not any(mutants.overlap(mutant, each) for _, each in chosen):
                chosen.append((len(chosen) + 1, mutant))
        self.assertGreater(len(chosen), 3)
        outputs = self.run_all(chosen, range(len(chosen) + 1))
        self.assertEqual(outputs[0], "24")
        self.assertGreater(len(set(outputs)), 3, outputs)

    def run_all(self, numbered, switches):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "base").mkdir()
            (root / mutants.HEADER).write_text(mutants.HEADER_TEXT)
            (root / "program.cc").write_text(mutants.with_mutants(PROGRAM, numbered))
            subprocess.run(["g++", "-std=c++20", "-O0", f"-I{root}", root / "program.cc", "-o",
                            root / "program"], check=True)
            return [subprocess.run([root / "program"], capture_output=True, text=True, check=True,
                                   env=dict(os.environ, LOCKSTEP_MUTANT=str(switch))).stdout
                    for switch in switches]


class TreeTest(unittest.TestCase):
    def test_modules_of_a_cmake_file(self):
        found = list(mutate.modules_of("a/b", "lockstep_module(a_b  # words\n SOURCES x.cc ../y.cc\n"
                                       " DEPS lockstep::c\n TESTS x_test.cc)\n"
                                       "lockstep_module(a_b_c SOURCES z.cc)\n"))
        self.assertEqual(found, [mutate.Module("a_b", "a/b", ("a/b/x.cc", "a/y.cc"), True),
                                 mutate.Module("a_b_c", "a/b", ("a/b/z.cc",), False)])

    def test_dependents_are_those_of_the_layers_that_include_most(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            modules = {"base": mutate.Module("base", "base", (), True)}
            for name, includes in (("one", 1), ("two", 2), ("stranger", 3)):
                (root / f"{name}.cc").write_text('#include "base/x.h"\n' * includes)
                modules[name] = mutate.Module(name, name, (f"{name}.cc",), True)
            layers = check_layers.Layers("module base :\nmodule one : base\nmodule two : base\n"
                                         "module stranger :\n")
            found = mutate.dependents_of(root, modules["base"], modules, layers)
            self.assertEqual([each.name for each in found], ["two", "one"])

    def test_production_and_the_tests_that_cross_modules(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            paths = [f"{name}/CMakeLists.txt" for name in ("a", "tests", "tests/b", "bench")]
            for path, tests in zip(paths, ("", "", "TESTS x_test.cc", "TESTS x_test.cc")):
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_text(f"lockstep_module({path[0]} SOURCES x.cc {tests})")
            self.assertEqual(list(mutate.production_modules(root, paths)), ["a"])
            self.assertEqual([module.folder for module in mutate.crossing_modules(root, paths)], ["tests/b"])

    def test_a_source_may_be_chosen_alone(self):
        module = mutate.Module("a", "a", ("a/x.cc", "a/y.cc"), True)
        modules = {"a": module, "b": module._replace(folder="b")}
        self.assertEqual(mutate.chosen_modules(modules, None), list(modules.values()))
        self.assertEqual(mutate.chosen_modules(modules, "a/"), [module])
        self.assertEqual(mutate.chosen_modules(modules, "a/y.cc"),
                         [module._replace(sources=("a/y.cc",))])
        with self.assertRaises(SystemExit):
            mutate.chosen_modules(modules, "c")

    def test_the_tree_has_one_order(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            subprocess.run(["git", "init", "-q", root], check=True)
            for name in ("b", "c", "a"):
                (root / name).write_text("")
                if name == "c":
                    subprocess.run(["git", "-C", root, "add", name], check=True)
            self.assertEqual(mutate.tree(root), ["a", "b", "c"])

    def test_a_copy_changes_only_what_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            root, scratch = pathlib.Path(folder, "root"), pathlib.Path(folder, "scratch")
            (root / "base").mkdir(parents=True)
            (root / "base/a.cc").write_text("a")
            (root / "base/b.cc").write_text("b")
            paths = ["base/a.cc", "base/b.cc"]
            mutate.copy_tree(root, scratch, paths, {"base/a.cc": "mutant"})
            os.utime(scratch / "base/b.cc", (1, 1))
            (scratch / "base/gone.cc").write_text("c")
            mutate.copy_tree(root, scratch, paths, {})
            self.assertEqual((root / "base/a.cc").read_text(), "a")
            self.assertEqual((scratch / "base/a.cc").read_text(), "a")
            self.assertEqual((scratch / "base/b.cc").stat().st_mtime, 1)
            self.assertFalse((scratch / "base/gone.cc").exists())


class DrawingTest(unittest.TestCase):
    def deck(self, root, seed):
        (root / "a.cc").write_text(in_function("F(a, b);\nF(b, a + 1);\nreturn a < b;"))
        module = mutate.Judged(("a.cc",), (), (), ())
        return mutate.Deck(root, [module], seed)

    def test_a_seed_draws_the_same_again(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = (self.deck(pathlib.Path(folder), 7) for _ in range(2))
            self.assertEqual([first.draw().key() for _ in range(3)],
                             [second.draw().key() for _ in range(3)])
            self.assertIsNone(first.draw())

    def test_what_does_not_compile_is_drawn_again(self):
        with tempfile.TemporaryDirectory() as folder:
            deck = self.deck(pathlib.Path(folder), 7)
            outputs = ["x/a.cc:4:1: error: no", None]
            alive = mutate.build_mutants(lambda alive: outputs.pop(0), deck, 2, {})
            self.assertEqual([each.result for each in deck.drawn if each.mutant.line == 3],
                             ["did not compile"])
            self.assertEqual(len(alive), 2)

    def test_an_equivalent_one_is_not_judged(self):
        with tempfile.TemporaryDirectory() as folder:
            deck = self.deck(pathlib.Path(folder), 7)
            known = mutate.equivalents("# words\n" + "\n".join(
                f"a.cc | {m.before} | {m.after} | nobody sees it"
                for _, _, found in deck.lines for m in found))
            self.assertEqual(mutate.build_mutants(lambda alive: None, deck, 3, known), [])
            self.assertEqual({(each.result, each.detail) for each in deck.drawn},
                             {("equivalent", "nobody sees it")})


PROGRAM_OF_TESTS = """#!/bin/sh
case "$LOCKSTEP_MUTANT:$*" in
  -1:*)
    printf '[ RUN      ] A.One\\n\\n@mutant 1\\n[       OK ] A.One (5 ms)\\n'
    printf '[ RUN      ] A.Two\\n\\n@mutant 1\\n\\n@mutant 2\\n[       OK ] A.Two (3 ms)\\n'
    printf '[ RUN      ] A.Bad\\n[  FAILED  ] A.Bad (1 ms)\\n'
    exit 1 ;;
  0:*) exit 1 ;;
  1:*A.Two:A.One*) printf '[ RUN      ] A.One\\n[  FAILED  ] A.One (1 ms)\\n'; exit 1 ;;
  2:*A.Two) setsid sleep 3600 & exit 0 ;;
esac
exit 9
"""


class JudgeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "build/release/a/a_test")
        path.parent.mkdir(parents=True)
        path.write_text(PROGRAM_OF_TESTS)
        path.chmod(0o755)
        self.program = mutate.Program(pathlib.Path(folder.name),
                                      mutate.Module("a", "a", (), True))
        self.program.learn()

    def test_a_mutant_meets_the_tests_that_reach_it_the_quick_ones_first(self):
        self.assertEqual(self.program.tests_of(1), ["A.Two", "A.One"])
        self.assertEqual(self.program.judge(1), "A.One")
        self.assertIsNone(self.program.judge(2))
        self.assertIsNone(self.program.judge(3))

    def test_a_test_that_fails_without_a_mutant_is_no_judge(self):
        self.assertEqual(self.program.failing, {"A.Bad"})

    def test_nothing_is_left_running(self):
        self.assertIsNone(self.program.judge(2))
        runs = next(mutate.RUNS)
        self.assertGreater(runs, 1)
        # A child that was being created when its parent was killed may need a moment to end.
        deadline = time.monotonic() + 20
        for run in range(1, runs):
            while list(mutate.processes_of(f"{os.getpid()}-{run}")):
                self.assertLess(time.monotonic(), deadline, f"run {run} left a process")
                time.sleep(0.01)

    def test_a_time_limit_kills_only_where_the_tests_are_quicker_without_the_mutant(self):
        def judge(endless, busy):
            """Whether tests that take 20 s, on a machine that becomes `busy` times slower, kill."""
            limits = []

            def run(number, tests, limit_s):
                limits.append(limit_s)
                is_slow = endless and number == 1 or 20 * busy > limit_s
                return (None if is_slow else 0), "[ RUN      ] A.One\n"
            self.program.run = run
            self.program.seconds = {"A.One": 10, "A.Two": 10}
            return self.program.judge(1), limits
        self.assertEqual(judge(False, 1), (None, [110]))
        self.assertEqual(judge(True, 1), ("A.One (endless)", [110, 55]))
        self.assertEqual(judge(False, 10), (None, [110, 55, 440]))
        self.assertEqual(judge(True, 10), ("A.One (endless)", [110, 55, 440, 220]))

    def test_the_name_of_the_test_that_kills(self):
        ran = "[ RUN      ] A.One\n[       OK ] A.One (0 ms)\n[ RUN      ] A.Two\n"
        self.assertEqual(mutate.killer(1, ran + "[  FAILED  ] A.Two (3 ms)\n"), "A.Two")
        self.assertEqual(mutate.killer(1, ran + "[  FAILED  ] A.Two, where GetParam() = 1 (3 ms)\n"),
                         "A.Two")
        self.assertEqual(mutate.killer(-11, ran), "A.Two (dies)")
        self.assertEqual(mutate.killer(None, ran), "A.Two (endless)")


DRIVEN = """
set -e
case "$1:$LOCKSTEP_MUTANT" in
  good:-1) printf '\\n@mutant 1\\n\\n@mutant 2\\n' >> "$LOCKSTEP_MUTANT_LOG" ;;
  good:2|bad:*) exit 1 ;;
esac
"""


@unittest.skipUnless(shutil.which("ctest"), "needs ctest")
class DrivenTestsTest(unittest.TestCase):
    def test_a_mutant_meets_the_wanted_tests_that_reach_it(self):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / "driven.sh").write_text(DRIVEN)
            (build / "CTestTestfile.cmake").write_text("".join(
                f"add_test(tests/{name} sh {build}/driven.sh {name})\n" for name in ("good", "bad", "other"))
                + f"add_test(unit sh {build}/driven.sh good)\n"
                + "set_tests_properties(tests/good PROPERTIES ENVIRONMENT A=b)\n")
            tests = mutate.DrivenTests(build, "tests/")
            tests.learn()
            self.assertEqual(tests.reached, {"tests/good": {1, 2}, "tests/other": set()})
            self.assertEqual([tests.judge(number) for number in (1, 2, 3)], [None, "tests/good", None])


class GuiltyTest(unittest.TestCase):
    DRAWN = [mutate.Drawn(number, path, None, mutants.Mutant(line, line, "swap", "a", "b", ()))
             for number, path, line in ((0, "a/x.cc", 9), (1, "a/x.cc", 29), (2, "b/x.cc", 9))]

    def numbers(self, output):
        return [drawn.number for drawn in mutate.guilty(output, self.DRAWN)]

    def test_those_where_the_error_is(self):
        self.assertEqual(self.numbers("/scratch/a/x.cc:10:5: error: no such thing\n"), [0])
        self.assertEqual(self.numbers("/scratch/a/x.cc:99:5: error: no\n/scratch/a/x.cc:30:1: note: here\n"), [1])

    def test_all_of_a_file_if_the_error_is_elsewhere_in_it(self):
        self.assertEqual(self.numbers("/scratch/a/x.cc:99:5: error: non-constant condition\n"), [0, 1])

    def test_none_if_no_file_with_mutants_fails(self):
        self.assertEqual(self.numbers("/scratch/c/x.cc:10:5: error: no\n"), [])


if __name__ == "__main__":
    unittest.main()
