"""parse_query and format_query respond like a real Prometheus 3: the same documents for the
compliance queries, for more of the grammar, and for invalid expressions.

LOCKSTEP_PROGRAM names the server.
"""

import unittest

import prometheus3

# In addition to the compliance queries.
EXPRESSIONS = (
    "foo[5m:1m] @ end() offset -3m", "foo[5m:]", "x @ start()", "x @ 1.5", "x[1m] offset -1h",
    "x offset 1ms", '{"a.b", c="d"}', '{__name__="x"}', 'x{a="b",a="b"}', 'absent(x{a!~"b"})',
    "-1.5e30 + NaN", "1e-9", "0x1f", "1h30m", "+x", "-x ^ 2", '"a&\\nb<"', "`raw\\n`", "'single'",
    "topk(3, x)", "quantile(NaN, x)", 'count_values("x", y)', "count without () (x)", "time()",
    "a == bool b", "a and b", "a or on () b", "a unless ignoring (b) c",
    "a / on (x) group_right () b", "a * on (x) group_left (y, z) b",
    'label_join(x, "a", "b", "c", "d")', "round(x)", "histogram_fraction(0, 1, x)",
    'info(a, {b="c"})', 'sort_by_label(x, "a", "b")',
)
MISTAKES = ("", "sum(", "rate(x)", 'foo{"x"}', "x[", "1 and 1", 'x{a=~"("}')
# Fields of a newer grammar: the trees of the Prometheus used here lack them.
NEWER_KEYS = ("anchored", "smoothed", "fillValues")


def without_newer_keys(node):
    if isinstance(node, dict):
        return {key: without_newer_keys(value) for key, value in node.items()
                if key not in NEWER_KEYS}
    if isinstance(node, list):
        return [without_newer_keys(value) for value in node]
    return node


class SyntaxTreeTest(prometheus3.SideBySide):
    prometheus_flags = ("--enable-feature=promql-experimental-functions",)

    def check(self, path):
        for query in (*prometheus3.compliance_queries(), *EXPRESSIONS, *MISTAKES):
            with self.subTest(path=path, query=query):
                status, document = prometheus3.ask(self.lockstep, path, query=query)
                self.assertEqual(prometheus3.ask(self.prometheus, path, query=query),
                                 (status, without_newer_keys(document)))

    def test_the_same_trees(self):
        self.check("parse_query")

    def test_the_same_texts(self):
        self.check("format_query")


if __name__ == "__main__":
    unittest.main()
