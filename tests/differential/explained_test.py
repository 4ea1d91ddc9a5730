"""What explained.py takes for the same, and what not."""

import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import answers
import asked
import explained
from tree import OPTIONAL, SCALAR, VECTOR, node


def answer(series):
    """That of a range query: {labels: {time: value}}"""
    result = [
        {"metric": dict(pair.split("=") for pair in labels.split()), "values": list(points.items())}
        for labels, points in series.items()
    ]
    document = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    return answers.read_answer(200, json.dumps(document))


def query(name="topk", inner="a * b", grouping="", start="1", grouping_first=False):
    arguments = ("(", node(SCALAR, "2"), ", ", node(VECTOR, inner), ")")
    clause = node(OPTIONAL, grouping)
    tree = node(VECTOR, name, *((clause, *arguments) if grouping_first else (*arguments, clause)))
    return asked.Query(node(VECTOR, "(", tree, ")"), "9", start, "1")


class ChoiceOfEqualsTest(unittest.TestCase):
    def same(self, reference, other, **of_query):
        return bool(
            explained.choice_of_equals(query(**of_query), answer(reference), answer(other))
        )

    def test_which_of_equal_elements_does_not_matter(self):
        of_top = {"x=1": {1: "9"}, "x=2": {1: "5"}}, {"x=1": {1: "9"}, "x=3": {1: "5"}}
        self.assertTrue(self.same(*of_top))
        of_bottom = {"x=1": {1: "1"}, "x=2": {1: "5"}}, {"x=1": {1: "1"}, "x=3": {1: "5"}}
        self.assertTrue(self.same(*of_bottom, name="bottomk"))
        # Another one at each time, without numbers, zeros of both signs.
        one = {"x=1": {1: "9", 2: "9"}, "x=2": {1: "5", 2: "5"}}
        another = {"x=1": {1: "9", 2: "9"}, "x=3": {1: "5"}, "x=4": {2: "5"}}
        self.assertTrue(self.same(one, another))
        for texts in (("NaN", "NaN"), ("0", "-0")):
            one, another = [
                {"x=0": {1: "1"}, f"x={i}": {1: text}} for i, text in enumerate(texts, 1)
            ]
            self.assertTrue(self.same(one, another), texts)

    def test_values_matter(self):
        one = {"x=1": {1: "9"}, "x=2": {1: "5"}}
        for another in (
            {"x=1": {1: "9"}, "x=3": {1: "4"}},
            {"x=1": {1: "8"}, "x=2": {1: "5"}},
            {"x=1": {1: "9"}},
            {"x=1": {1: "9"}, "x=2": {2: "5"}},
            {"x=1": {1: "9", 2: "9"}, "x=3": {1: "5"}},
        ):
            self.assertFalse(self.same(one, another), another)
        self.assertFalse(self.same({"x=1": {1: "NaN"}}, {"x=2": {1: "1"}}))

    def test_only_the_last_element_may_be_another(self):
        for name, first, last in (("topk", "9", "5"), ("bottomk", "5", "9"), ("topk", "9", "NaN")):
            one, another = [{f"x={i}": {1: first}, "x=2": {1: last}} for i in (1, 3)]
            self.assertFalse(self.same(one, another, name=name), (name, last))

    def test_groups_choose_apart(self):
        one = {"x=1 y=a": {1: "9"}, "x=2 y=b": {1: "5"}}
        another = {"x=3 y=a": {1: "9"}, "x=2 y=b": {1: "5"}}
        for grouping_first in (True, False):
            for grouping, same in (
                (" by (y) ", True),
                (" without (x) ", True),
                (" by (z) ", False),
                (" without (x, y) ", False),
            ):
                found = self.same(one, another, grouping=grouping, grouping_first=grouping_first)
                self.assertEqual(found, same, grouping)
        # Elements of several metrics.
        one, another = [
            {f"__name__=a x={i}": {1: "9"}, "__name__=b x=2": {1: "5"}} for i in (1, 3)
        ]
        self.assertFalse(self.same(one, another, grouping=" without (x) "))
        # The equal element is of another group.
        self.assertFalse(
            self.same({"x=1 y=a": {1: "9"}}, {"x=1 y=b": {1: "9"}}, grouping=" by (y) ")
        )

    def test_where_there_is_an_order_it_matters(self):
        results = {"x=1": {1: "5"}}, {"x=2": {1: "5"}}
        for inner in (
            "a * b",
            "abs(a)",
            "sum by (x) (a)",
            "a > 1",
            "rate(a[5m]) + rate(b[5m])",
            "max_over_time(rate(a[1m])[5m:])",
        ):
            self.assertTrue(self.same(*results, inner=inner), inner)
        for inner in (
            "a",
            'a{x=~"(1|2)"}',
            "(a)",
            "rate(a[5m])",
            "(max_over_time(a{x='}'}[5m] anchored offset -1m))",
            '{__name__="a"} @ 5',
        ):
            self.assertFalse(self.same(*results, inner=inner), inner)
        self.assertFalse(self.same(*results, start=None))
        self.assertFalse(self.same(*results, name="limitk"))


class PopulationsOfNanTest(unittest.TestCase):
    def test_factors_on_both_sides(self):
        one, another = answer({"v=a": {1: "1"}}), answer({"v=b": {1: "1"}})
        histogram = explained.HISTOGRAMS.split("|")[0]
        for text, same in (
            (f"count_values('v', NaN * {histogram})", True),
            (f"count_values('v', (-Inf) * {histogram})", True),
            (f"count_values('v', {histogram} * NaN)", True),
            (f"count_values('v', 2 * {histogram})", False),
            ("count_values('v', NaN * a)", False),
        ):
            asked_for = asked.Query(node(VECTOR, text), "9")
            found = explained.populations_of_nan(asked_for, one, another)
            self.assertEqual(bool(found), same, text)


def refusal(text):
    document = {"status": "error", "errorType": "execution", "error": text}
    return answers.read_answer(422, json.dumps(document))


class OtherRulesTest(unittest.TestCase):
    def explanation(self, text, reference, other):
        return explained.explanation(asked.Query(node(VECTOR, text), "9"), reference, other)

    def test_what_is_explained_and_what_is_not(self):
        some, none = answer({"x=1": {1: "1"}}), answer({})
        more = answer({"x=1": {1: "1.001"}})
        told = refusal("smoothed modifier can only be used with: delta - not with quantile")
        twice = refusal("found many on the left")
        no_number = refusal("Parameter value is NaN")
        for text, reference, other, rule in (
            ("a @ 1[5m:] @ 2", none, some, "pinned_in_pinned"),
            ("a @ start()[5m:1m] @ 2.5", none, some, "pinned_in_pinned"),
            ("a[5m:] @ 2", none, some, None),
            ("a @ 1[5m:] @ 2", refusal("another"), some, None),
            ("f(scalar(a + b), c[5m] smoothed)", twice, told, "wrong_modifiers_first"),
            ("f(scalar(a + b), c[5m] smoothed)", some, told, None),
            ("bottomk(scalar({a='b',} @ 1), b)", no_number, some, "pinned_parameters"),
            ("bottomk(scalar(a @ 1), b)", refusal("another"), some, None),
            ("tan(a atan2 1)", some, more, "amplified"),
            ("tan(a)", some, more, None),
        ):
            self.assertEqual(self.explanation(text, reference, other), rule, text)

    def test_a_dropped_sum_cannot_match_twice(self):
        dropped = answer({})
        dropped.annotations = (("conflicting counter resets during histogram addition",), ())
        multiple = refusal("multiple matches for labels: many-to-one matching must be explicit")
        self.assertEqual(self.explanation("a + on (b) c", dropped, multiple), "conflicts_dropped")
        self.assertIsNone(self.explanation("a + on (b) c", dropped, refusal("another")))


if __name__ == "__main__":
    unittest.main()
