"""The grammar of binary operators and vector matching."""

from chooser import Chooser
from selectors_grammar import quoted_label
from tree import MATRIX, OPTIONAL, VECTOR, node
from words import ARITHMETIC, COMPARISONS, MATH, SETS


class Operators(Chooser):
    """Binary operators between expressions of the other parts."""

    def with_scalar(self, depth):
        inner = self.paren(self.vector(depth))
        other = self.paren(self.scalar(depth - 1))
        operator = self.one(
            *(ARITHMETIC * 2), *COMPARISONS, *(f"{name} bool" for name in COMPARISONS[::2])
        )
        if self.has("trim") and self.chance(0.1):
            operator = self.one("</", ">/")
        sides = (
            (inner, f" {operator} ", other)
            if self.chance(0.65)
            else (other, f" {operator} ", inner)
        )
        return node(VECTOR, *sides)

    def keyed(self, depth, labels):
        """A vector with exactly these labels."""
        metric = self.metric("counter", "gauge", labels=labels)
        inner = self.selector_text(metric)
        if metric.kind == "counter" and self.chance(0.7):
            inner = node(
                VECTOR,
                self.one("rate(", "increase(", "resets("),
                node(MATRIX, inner, "[", self.duration(1), "]"),
                ")",
            )
        elif self.chance(0.3):
            inner = node(VECTOR, f"{self.one(*MATH)}(", inner, ")")
        if set(metric.labels) == set(labels) and self.chance(0.7):
            return inner
        if depth > 1 and self.chance(0.3):
            inner = self.vector(depth - 1)
        return node(
            VECTOR,
            self.one("sum", "max", "avg", "count"),
            f" by ({', '.join(map(quoted_label, labels))}) (",
            inner,
            ")",
        )

    def with_vector(self, depth):
        operator = self.one(
            *(ARITHMETIC * 2), *COMPARISONS, *(f"{name} bool" for name in COMPARISONS[::2])
        )
        if self.chance(0.15):
            return node(
                VECTOR,
                self.paren(self.vector(depth)),
                f" {operator} ",
                self.matching(),
                self.paren(self.vector(depth)),
            )
        labels = self.one(
            ("job",),
            ("job", "instance"),
            ("job", "rank"),
            ("instance",),
            ("rank",),
            ("job", "instance"),
        )
        fill = self.fill()
        if self.chance(0.5):
            how = self.one(
                "",
                "",
                f"on ({', '.join(labels)}) ",
                "ignoring (gpu) ",
                "ignoring () ",
                f"on ({labels[0]}) ",
            )
            return node(
                VECTOR,
                self.paren(self.keyed(depth, labels)),
                f" {operator} ",
                how,
                fill,
                self.paren(self.keyed(depth, labels)),
            )
        more = {"job": "instance", "instance": "gpu", "rank": "job"}[labels[-1]]
        include = self.one("", "", f"({more})", "(region)", "()", "(branch, version)")
        one = self.keyed(depth, labels)
        if labels == ("job", "instance") and self.chance(0.3):
            one = node(VECTOR, self.one("target_info", "build_info"))
        if self.chance(0.5):
            return node(
                VECTOR,
                self.paren(self.keyed(depth, (*labels, more))),
                f" {operator} on ({', '.join(labels)}) ",
                f"group_left {include} ",
                fill,
                self.paren(one),
            )
        return node(
            VECTOR,
            self.paren(one),
            f" {operator} ignoring ({more}) ",
            f"group_right {include} ",
            fill,
            self.paren(self.keyed(depth, (*labels, more))),
        )

    def fill(self):
        if not self.has("fill") or self.chance(0.7):
            return ""
        return node(
            OPTIONAL,
            self.one(
                "fill (0) ", "fill_left (1) ", "fill_right (-1) ", "fill_left(2) fill_right(NaN) "
            ),
        )

    def matching(self):
        return self.one(
            "",
            "",
            "on (job) ",
            "ignoring (job) ",
            "on () ",
            "ignoring (le) group_left ",
            "on (job, instance) ",
            "on (__name__) ",
            "on (job) group_right (instance) ",
            "ignoring (instance) group_left (version) ",
        )

    def set_operation(self, depth):
        how = self.one(
            "",
            "",
            "on (job) ",
            "on (job, instance) ",
            "ignoring (instance) ",
            "on () ",
            "ignoring (gpu, code) ",
        )
        other = (
            self.paren(self.vector(depth))
            if self.chance(0.8)
            else node(VECTOR, "vector(", self.scalar(1), ")")
        )
        return node(VECTOR, self.paren(self.vector(depth)), f" {self.one(*SETS)} ", how, other)
