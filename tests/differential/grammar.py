"""Random PromQL over the metrics of `dataset`, typed so that most queries are meaningful.

Weights are relative. Parts that the reference lacks are left out.
"""

import dataset
import odd_queries
from asked import Query, in_seconds
from functions_grammar import Functions
from histograms_grammar import Histograms
from operators_grammar import Operators
from selectors_grammar import Selectors
from tree import OPTIONAL, SCALAR, STRING, VECTOR, node
from words import AGGREGATIONS, ARITHMETIC, COMPARISONS, FLOAT_KINDS, HISTOGRAM_KINDS, NUMBERS


class Grammar(Selectors, Operators, Histograms, Functions):
    """Makes queries with a seeded `random`. `lacking` names the parts of the language to avoid."""

    def query(self):
        ranged = self.chance(0.45)
        depth = self.random.choices((0, 1, 2, 3, 4, 5), (1, 5, 7, 6, 3, 2))[0]
        tree = self.weighted(
            (85, self.vector, depth),
            (7, self.scalar, depth),
            (0.5 if ranged else 6, self.matrix, depth),
            (0.3, self.text),
            (8, lambda: odd_queries.make(self, depth)),
        )
        return self.timed(tree, ranged)

    def timed(self, tree, ranged):
        end_ms = (dataset.START_S + self.random.randrange(60, dataset.LENGTH_S + 200)) * 1000
        if self.chance(0.5):
            end_ms = end_ms // 15000 * 15000
        if self.chance(0.3):
            end_ms += self.random.randrange(1000)
        if not ranged:
            return Query(tree, in_seconds(end_ms))
        step_ms = self.one(15000, 15000, 30000, 60000, 60000, 7500, 37000, 120000, 300000, 1001)
        steps = self.one(0, 1, 2, 3, 5, 10, 20)
        start_ms = end_ms - steps * step_ms - self.one(0, 0, 0, 1, step_ms // 2)
        return Query(tree, in_seconds(end_ms), in_seconds(start_ms), in_seconds(step_ms))

    def number(self):
        return node(
            SCALAR,
            self.one(*NUMBERS),
        )

    def quantile(self):
        return node(
            SCALAR,
            self.one(*"0.5 0.9 0.99 0 1 0.25 0.333 -1 1.5 NaN Inf -0 1e-9 0.5 0.75".split()),
        )

    def scalar(self, depth):
        if depth <= 0:
            return self.number()
        calls = self.has("start", "end", "step", "range")
        deeper = depth - 1
        return self.weighted(
            (6, self.number),
            (2, lambda: node(SCALAR, self.one("time()", "pi()", "time()"))),
            (5, lambda: node(SCALAR, "scalar(", self.vector(deeper), ")")),
            (
                5,
                lambda: node(
                    SCALAR,
                    self.paren(self.scalar(deeper)),
                    f" {self.one(*ARITHMETIC)} ",
                    self.paren(self.scalar(deeper)),
                ),
            ),
            (
                2,
                lambda: node(
                    SCALAR,
                    self.paren(self.scalar(deeper)),
                    f" {self.one(*COMPARISONS)} bool ",
                    self.paren(self.scalar(deeper)),
                ),
            ),
            (1, lambda: node(SCALAR, "-", self.paren(self.scalar(deeper)))),
            (1, lambda: node(SCALAR, "(", self.scalar(deeper), ")")),
            *((1, lambda: node(SCALAR, f"{self.random.choice(calls)}()")) for _ in calls[:1]),
            *(
                (
                    1,
                    lambda: node(
                        SCALAR,
                        self.one("max_of(", "min_of("),
                        self.scalar(deeper),
                        ", ",
                        self.scalar(deeper),
                        ")",
                    ),
                )
                for _ in self.has("max_of")
            ),
        )

    def text(self):
        return node(
            STRING, self.one('"text"', "'it''s'", "`raw \\n`", r'"\u00e9\x41\101"', '"<&>"', '""')
        )

    def paren(self, inner, share=0.6):
        return (
            node(inner.type, "(", inner, ")")
            if len(inner.parts) > 1 and self.chance(share)
            else inner
        )

    def vector(self, depth):
        if depth <= 0:
            return self.weighted(
                (8, self.selector, *FLOAT_KINDS),
                (1, self.selector, "bucket"),
                (2, self.selector, *HISTOGRAM_KINDS),
                (1, self.selector, "mixed"),
            )
        deeper = depth - 1
        return self.weighted(
            (4, self.vector, 0),
            (8, self.math, deeper),
            (22, self.over_range, depth),
            (20, self.aggregation, deeper),
            (7, self.with_scalar, deeper),
            (14, self.with_vector, deeper),
            (5, self.set_operation, deeper),
            (9, self.histogram_function, deeper),
            (5, self.histograms, depth),
            (2, self.calendar, deeper),
            (4, self.labels_function, deeper),
            (2, self.absence, deeper),
            (2, self.sorted, deeper),
            (3 * len(self.has("info")), self.info, deeper),
            (
                2,
                lambda: node(VECTOR, self.one("-", "+", "-"), self.paren(self.vector(deeper), 0.9)),
            ),
            (2, lambda: node(VECTOR, "(", self.vector(deeper), ")")),
            (2, lambda: node(VECTOR, "vector(", self.scalar(deeper), ")")),
        )

    def grouping(self):
        if self.chance(0.3):
            return ""
        labels = self.random.sample(
            ("job", "instance", "rank", "gpu", "le", "kind", "code", "none", "__name__"),
            self.one(0, 1, 1, 1, 2),
        )
        if self.chance(0.03):
            labels.append('"service.name"')
        return node(
            OPTIONAL,
            self.one(" by (", " by (", " without (", " without ("),
            ", ".join(labels),
            self.one("", "", "", ",") if labels else "",
            ") ",
        )

    def aggregation(self, depth):
        selecting = ("topk", "bottomk", *self.has("limitk"))
        return self.weighted(
            (10, lambda: self.aggregate(self.one(*AGGREGATIONS), "", self.vector(depth))),
            (2, lambda: self.aggregate("quantile", self.quantile_of(depth), self.vector(depth))),
            (
                3,
                lambda: self.aggregate(
                    self.one(*selecting), self.amount(depth), self.vector(depth)
                ),
            ),
            (
                1,
                lambda: self.aggregate(
                    "count_values",
                    node(STRING, self.one('"value"', '"job"', "'été'", '"__name__"')),
                    self.exact(self.vector, depth),
                ),
            ),
            (
                len(self.has("limit_ratio")),
                lambda: self.aggregate(
                    "limit_ratio",
                    node(SCALAR, self.one("0.5", "-0.5", "0.1", "1", "-1", "0", "1.1", "-0.3")),
                    self.vector(depth),
                ),
            ),
        )

    def amount(self, depth):
        return (
            node(SCALAR, self.one("1", "2", "3", "2.9", "0", "-1", "100"))
            if self.chance(0.9)
            else self.scalar(depth - 1)
        )

    def aggregate(self, name, parameter, inner):
        grouping = self.grouping()
        arguments = ("(", parameter, ", ", inner, ")") if parameter else ("(", inner, ")")
        if self.chance(0.5):
            return node(VECTOR, name, grouping, *arguments)
        return node(VECTOR, name, *arguments, grouping)
