"""The grammar of functions, except those of histograms."""

from chooser import Chooser
from tree import MATRIX, OPTIONAL, VECTOR, node
from words import CALENDAR, HISTOGRAM_KINDS, MATH, OVER_TIME, RATES


class Functions(Chooser):
    """Calls of functions of vectors and ranges."""

    def math(self, depth):
        inner = self.vector(depth)
        return self.weighted(
            (8, lambda: node(VECTOR, f"{self.one(*MATH)}(", inner, ")")),
            (1, lambda: node(VECTOR, "round(", inner, ", ", self.scalar(depth - 1), ")")),
            (
                1,
                lambda: node(
                    VECTOR,
                    "clamp(",
                    inner,
                    ", ",
                    self.scalar(depth - 1),
                    ", ",
                    self.scalar(depth - 1),
                    ")",
                ),
            ),
            (
                1,
                lambda: node(
                    VECTOR,
                    self.one("clamp_min(", "clamp_max("),
                    inner,
                    ", ",
                    self.scalar(depth - 1),
                    ")",
                ),
            ),
        )

    def over_range(self, depth):
        kinds = self.weighted(
            (6, lambda: ("counter",)),
            (6, lambda: ("gauge",)),
            (2, lambda: HISTOGRAM_KINDS),
            (1, lambda: ("mixed",)),
            (1, lambda: ("bucket",)),
        )
        matrix = self.matrix(depth, *kinds)
        rates, over_time = self.has(*RATES), self.has(*(f"{name}_over_time" for name in OVER_TIME))
        smoothing = self.has("double_exponential_smoothing")
        return self.weighted(
            (8, lambda: node(VECTOR, f"{self.random.choice(rates)}(", matrix, ")")),
            (3, lambda: node(VECTOR, self.one("rate(", "increase("), matrix, ")")),
            (10, lambda: node(VECTOR, f"{self.random.choice(over_time)}(", matrix, ")")),
            (
                2,
                lambda: node(
                    VECTOR, "quantile_over_time(", self.quantile_of(depth), ", ", matrix, ")"
                ),
            ),
            (2, lambda: node(VECTOR, "predict_linear(", matrix, ", ", self.scalar(depth - 2), ")")),
            (
                len(smoothing),
                lambda: node(
                    VECTOR,
                    "double_exponential_smoothing(",
                    matrix,
                    self.one(", 0.5, 0.5)", ", 0.1, 0.9)", ", 0.3, 1)", ", 0, 0.1)"),
                ),
            ),
        )

    def quantile_of(self, depth):
        return self.quantile() if self.chance(0.85) else self.scalar(depth - 1)

    def calendar(self, depth):
        return self.weighted(
            (1, lambda: node(VECTOR, f"{self.one(*CALENDAR)}()")),
            (2, lambda: node(VECTOR, f"{self.one(*CALENDAR)}(", self.vector(depth), ")")),
            (2, lambda: node(VECTOR, f"{self.one(*CALENDAR)}(vector(", self.scalar(depth), "))")),
            (
                5,
                lambda: node(
                    VECTOR,
                    f"{self.random.choice(self.has('timestamp', 'start_timestamp'))}(",
                    self.vector(depth),
                    ")",
                ),
            ),
        )

    def labels_function(self, depth):
        inner = self.vector(depth)
        source = self.one('"job"', '"instance"', '"rank"', '"none"', '"__name__"')
        target = self.one('"new"', '"job"', '"instance"', '"__name__"', '"été"', '"rank"')
        if self.chance(0.35):
            separator = self.one('"-"', '""', '"/"')
            return node(
                VECTOR,
                "label_join(",
                inner,
                f", {target}, {separator}",
                node(OPTIONAL, ", ", source),
                node(OPTIONAL, ', "rank"'),
                ")",
            )
        replacement = self.one(
            '"$1"', '"x-$1"', '"${1}y"', '""', '"$0"', '"$$1"', '"$name"', '"constant"', '"$2"'
        )
        expression = self.one(
            '"(.*)"', '"(a.*)"', '"(?P<name>.).*"', '"[a-c]:(\\\\d)"', '""', '".*"', '"(.)(.*)"'
        )
        return node(
            VECTOR, "label_replace(", inner, f", {target}, {replacement}, {source}, {expression})"
        )

    def absence(self, depth):
        if self.chance(0.6):
            inner = self.one(
                node(VECTOR, 'nothing{job="api"}'),
                node(VECTOR, 'nothing{job="a",job="b",x=~"y"}'),
                node(VECTOR, "nothing"),
                self.vector(depth),
            )
            return node(VECTOR, "absent(", inner, ")")
        inner = self.one(
            node(MATRIX, 'nothing{job="api",instance!="x"}[5m]'),
            self.matrix(depth),
            self.matrix(depth),
        )
        return node(VECTOR, "absent_over_time(", inner, ")")

    def sorted(self, depth):
        names = self.has("sort_by_label", "sort_by_label_desc")
        if not names or self.chance(0.5):
            return node(VECTOR, self.one("sort(", "sort_desc("), self.vector(depth), ")")
        labels = self.one(
            '"rank"', '"instance", "job"', '"none"', '"pod"', '"gpu", "rank"', '"__name__"'
        )
        return node(VECTOR, f"{self.random.choice(names)}(", self.vector(depth), f", {labels})")

    def info(self, depth):
        selector = self.one(
            "",
            "",
            ', {version=~".+"}',
            ', {region="eu"}',
            ', {__name__="build_info"}',
            ', {__name__=~".+_info"}',
            ', {__name__=~".+_info", branch="main"}',
            ', {version!="2.0"}',
            ', {none="x"}',
            ", {}",
        )
        inner = (
            self.selector("counter", "gauge", labels=("job", "instance"))
            if self.chance(0.5)
            else self.vector(depth)
        )
        return node(VECTOR, "info(", inner, node(OPTIONAL, selector), ")")
