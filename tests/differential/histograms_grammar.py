"""The grammar of histograms."""

from chooser import Chooser
from tree import MATRIX, STRING, VECTOR, node
from words import HISTOGRAM_KINDS, HISTOGRAM_PARTS, HISTOGRAM_RANGES


class Histograms(Chooser):
    """Native and classic histograms, and the functions that read them."""

    def histograms(self, depth):
        """A vector of native histograms."""
        if depth <= 0:
            return self.selector(*HISTOGRAM_KINDS)
        deeper = depth - 1
        return self.weighted(
            (3, self.selector, *HISTOGRAM_KINDS),
            (1, self.selector, "mixed"),
            (
                6,
                lambda: node(
                    VECTOR,
                    self.one(*(f"{name}(" for name in HISTOGRAM_RANGES)),
                    self.matrix(depth, *HISTOGRAM_KINDS),
                    ")",
                ),
            ),
            (
                5,
                lambda: self.aggregate(
                    self.one("sum", "avg", "sum", "avg", "count", "group"),
                    "",
                    self.histograms(deeper),
                ),
            ),
            (1, lambda: self.aggregate(self.one("min", "stddev"), "", self.histograms(deeper))),
            (
                1,
                lambda: self.aggregate(
                    self.one("topk", "quantile", *self.has("limitk")),
                    self.amount(deeper),
                    self.histograms(deeper),
                ),
            ),
            (
                1,
                lambda: self.aggregate(
                    "count_values", node(STRING, '"h"'), self.exact(self.histograms, deeper)
                ),
            ),
            (
                3,
                lambda: node(
                    VECTOR,
                    self.paren(self.histograms(deeper)),
                    self.one(" * ", " / "),
                    self.number(),
                ),
            ),
            (
                1,
                lambda: node(
                    VECTOR,
                    self.number(),
                    self.one(" * ", " / ", " + "),
                    self.paren(self.histograms(deeper)),
                ),
            ),
            (
                3,
                lambda: node(
                    VECTOR,
                    self.paren(self.histograms(deeper)),
                    self.one(" + ", " - ", " == ", " != ", " * "),
                    self.one("", "", "on (job) ", "ignoring (instance) "),
                    self.paren(self.histograms(deeper)),
                ),
            ),
            (1, lambda: node(VECTOR, "-", self.paren(self.histograms(deeper), 1))),
            (
                1,
                lambda: node(
                    VECTOR,
                    "label_replace(",
                    self.histograms(deeper),
                    ', "new", "$1", "job", "(.*)")',
                ),
            ),
            *(
                (
                    2,
                    lambda: node(
                        VECTOR,
                        self.paren(self.histograms(deeper)),
                        self.one(" </ ", " >/ "),
                        self.number(),
                    ),
                )
                for _ in self.has("trim")
            ),
        )

    def buckets(self, depth):
        """An expression with classic or native histograms."""
        classic = self.metric("bucket").name
        rated = node(
            VECTOR,
            self.one("rate(", "increase(", "rate("),
            node(MATRIX, node(VECTOR, classic), "[", self.duration(1), "]"),
            ")",
        )
        return self.weighted(
            (3, lambda: rated),
            (1, lambda: node(VECTOR, classic)),
            (
                3,
                lambda: node(
                    VECTOR,
                    self.one(
                        "sum by (le) (",
                        "sum by (le, job) (",
                        "sum without (instance) (",
                        "avg by (le) (",
                    ),
                    rated,
                    ")",
                ),
            ),
            (6, self.histograms, depth),
            (1, self.vector, depth),
            (
                1,
                lambda: node(
                    VECTOR,
                    self.one(
                        '{__name__=~"both_seconds.*"}', '{__name__=~"(latency|rpc)_seconds.*"}'
                    ),
                ),
            ),
        )

    def histogram_function(self, depth):
        inner = self.buckets(depth)
        parts = self.has(*(f"histogram_{name}" for name in HISTOGRAM_PARTS))
        return self.weighted(
            (
                6,
                lambda: node(
                    VECTOR, "histogram_quantile(", self.quantile_of(depth), ", ", inner, ")"
                ),
            ),
            (
                3,
                lambda: node(
                    VECTOR,
                    "histogram_fraction(",
                    self.number(),
                    ", ",
                    self.number(),
                    ", ",
                    (
                        inner
                        if self.has("fractions of classic histograms")
                        else self.histograms(depth)
                    ),
                    ")",
                ),
            ),
            (
                6,
                lambda: node(
                    VECTOR,
                    f"{self.random.choice(parts)}(",
                    self.histograms(depth) if self.chance(0.8) else inner,
                    ")",
                ),
            ),
            (
                len(self.has("histogram_quantiles")),
                lambda: node(
                    VECTOR,
                    "histogram_quantiles(",
                    inner,
                    ', "q", ',
                    self.quantile(),
                    ", ",
                    self.quantile(),
                    ")",
                ),
            ),
        )
