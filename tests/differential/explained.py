"""Permanent, intended differences.

One rule per difference; docs/promql-differences.md has a row for each.
"""

import dataclasses
import math
import re

import answers
import dataset

COMPARISON = "==|!=|<|>"
HISTOGRAMS = "|".join(
    metric.name for metric in dataset.METRICS if metric.kind in ("histogram", "custom", "mixed")
)
# How Prometheus prints a word of the language that has no name.
NAMELESS = re.compile(r'"<Item \d+>" ')


def without_numbers(answer):
    """The response without Prometheus' numbers for words."""
    return dataclasses.replace(
        answer, error=tuple(NAMELESS.sub("", text) for text in answer.error)
    )


def without_endless(answer):
    """The response without histograms that have infinite or NaN populations: their averages
    depend on the method.
    """
    endless = re.compile(r"NaN|Inf")
    return dataclasses.replace(
        answer,
        series={
            labels: {
                time: "endless" if isinstance(value, tuple) and endless.search(value[0]) else value
                for time, value in points.items()
            }
            for labels, points in answer.series.items()
        },
    )


def odd_numbers(query, reference, other):
    """The message about a malformed number such as `.0.5`."""
    return (
        reference.error
        and other.error
        and "error parsing number" in reference.error[1]
        and "bad number or duration syntax" in other.error[1]
    )


def zeros_of_quantiles(query, reference, other):
    """Zeros of both signs are equal, and sorting may leave either one at the quantile."""
    unsigned = [
        dataclasses.replace(
            answer,
            series={
                labels: {time: "0" if value == "-0" else value for time, value in points.items()}
                for labels, points in answer.series.items()
            },
        )
        for answer in (reference, other)
    ]
    return "quantile" in query.text and answers.difference(query, *unsigned) is None


def quantiles_of_negated(query, reference, other):
    """Negative populations have no quantiles; the bucket at which the search ends is arbitrary."""
    return re.search(
        r"histogram_(quantiles?|fraction)(?=\().*[-(, ]-[ (]*[a-z{]", query.text
    ) and re.search(HISTOGRAMS, query.text)


def last_of_operator(query, reference, other):
    """Of the annotations of a binary operator at one step, only the last is kept."""
    of_operator = re.compile(r"binary operator|during (addition|subtraction)")
    kept = tuple(
        tuple(text for text in ours if not of_operator.search(text) or text in theirs)
        for ours, theirs in zip(other.annotations, reference.annotations)
    )
    return kept == reference.annotations and (
        answers.difference(query, reference, dataclasses.replace(other, annotations=kept)) is None
    )


def quantiles_of_pinned(query, reference, other):
    """Of several invalid quantiles, only the first is reported if their argument is pinned."""
    return (
        re.search(r"\bquantile\b.*@", query.text)
        and not reference.error
        and answers.difference(
            query, reference, dataclasses.replace(other, annotations=reference.annotations)
        )
        is None
    )


def populations_of_nan(query, reference, other):
    """A histogram multiplied by NaN has other empty buckets in the response, and averages of it are
    NaN.
    """
    by_nan = r"/ ?\(?(0|NaN)\b|\* ?\(?(NaN|[-+]?Inf)\b|\b(NaN|Inf)\)* \*"
    finite = [without_endless(answer) for answer in (reference, other)]
    return answers.difference(query, *finite) is None or (
        re.search(HISTOGRAMS, query.text) and re.search(by_nan, query.text)
    )


def order_of_matches(query, reference, other):
    """Elements of a vector match are in another order, which shows in the last bits."""
    return re.search(r"\b(sum|avg|stddev|stdvar)\b", query.text) and (
        answers.difference(query, reference, other, 1e-9) is None
    )


def limits_of_chosen(query, reference, other):
    """Of equal elements the first ones are chosen, but after a choice, a match or an iteration over
    classic histograms the order is undefined.
    """
    return re.search(
        r"\b(limitk|topk|bottomk)\b.*"
        r"\b(limitk|topk|bottomk|limit_ratio|on|ignoring|histogram_(fraction|quantiles?))\b",
        query.text,
    )


MODIFIER = re.compile(r"""\{("[^"]*"|'[^']*'|[^{}"'])*\}|(\boffset|@) *[^ ()]+""")
# Selectors, and functions over ranges of one: their elements come in the order of their labels.
ORDERED = re.compile(r"\(*([\w:]*|\w+\([\w:]*\[\]( *(anchored|smoothed))?) *\)*")


def outermost(tree):
    """The tree without parentheses around all of it."""
    while len(tree.parts) == 3 and tree.parts[0] == "(":
        tree = tree.parts[1]
    return tree


def by_time(answer):
    """{time: {labels: value}}"""
    found = {}
    for labels, points in answer.series.items():
        for time, value in points.items():
            found.setdefault(time, {})[labels] = value
    return found


def group_of(call):
    """Which group of an aggregation an element with these labels belongs to."""
    clauses = [
        re.match(r" (by|without) \(([^)]*)\)", str(part))
        for part in (call.parts[1], call.parts[-1])
    ]
    clause = next(filter(None, clauses), None)
    keeps = clause is None or clause[1] == "by"
    names = set(re.findall(r"[^\s,]+", clause[2].replace('"', ""))) if clause else set()
    # Without a list there is one group; `without` always ignores the name of the metric.
    names |= set() if keeps else {"__name__"}
    return lambda labels: tuple(pair for pair in labels if (pair[0] in names) == keeps)


def same_choice(name, group, chosen, ours):
    """Whether two choices, {labels: value}, differ only in which of equal elements, the last to be
    taken, there are."""

    def rank(value):
        number = float(value)
        # What is no number is taken last.
        if math.isnan(number):
            return (False, 0)
        return (True, number if name == "topk" else -number)

    if any(isinstance(value, tuple) for value in (*chosen.values(), *ours.values())):
        return False
    if any(rank(chosen[labels]) != rank(ours[labels]) for labels in chosen.keys() & ours.keys()):
        return False
    last = {}
    for labels, value in chosen.items():
        key = group(labels)
        last[key] = min(last.get(key, rank(value)), rank(value))
    alone = [
        [(group(labels), rank(one[labels])) for labels in one.keys() - two.keys()]
        for one, two in ((chosen, ours), (ours, chosen))
    ]
    return sorted(alone[0]) == sorted(alone[1]) and all(
        value == last[key] for key, value in alone[0]
    )


def choice_of_equals(query, reference, other):
    """Of equal elements of a range query, other than those of a selector, `topk` and `bottomk` take
    those that a hash table has first; the values taken are the same."""
    call = outermost(query.tree)
    if query.start is None or call.parts[0] not in ("topk", "bottomk"):
        return False
    [inner] = [call.parts[i + 1] for i, part in enumerate(call.parts) if part == ", "]
    if ORDERED.fullmatch(re.sub(r"\[[^]]*\]", "[]", MODIFIER.sub("", str(inner)))):
        return False
    if (reference.kind, reference.annotations) != (other.kind, other.annotations):
        return False
    chosen, ours = by_time(reference), by_time(other)
    return chosen.keys() == ours.keys() and all(
        same_choice(call.parts[0], group_of(call), chosen[time], ours[time]) for time in chosen
    )


def order_of_adding(query, reference, other):
    """Sums over overlapping windows are computed from partial sums."""
    return re.search(r"\b(sum|avg)_over_time\b", query.text) and (
        answers.difference(query, reference, other, 1e-14) is None
    )


def sines_of_sums(query, reference, other):
    """A sine amplifies differences in the last bits of sums over overlapping windows."""
    return re.search(r"\b(sin|cos|tan)\(.*\b(sum|avg)_over_time\(", query.text) and (
        answers.difference(query, reference, other, 1e-9) is None
    )


def stumbles(query, reference, other):
    """`a[5m] anchored`: Prometheus 3.14 reads before the first float of a range without floats."""
    return reference.error and "runtime error: index out of range" in reference.error[1]


def pinned_subqueries(query, reference, other):
    """Prometheus 3.14 does not recognize a subquery argument pinned by `@` in a call that is not
    pinned.
    """
    return (
        re.search(r"\b(predict_linear|\w+_over_time)\(.*\[[^]]*:[^]]*\].*@", query.text)
        and not reference.error
        and (other.error or len(reference.series) < len(other.series))
    )


def pinned_in_pinned(query, reference, other):
    """Prometheus 3.14 reads a pinned selector in a pinned subquery at another time if the query's own
    time is that of the subquery's first step.
    """
    return (
        re.search(r"@.*\[[^]]*:[^]]*\].*@", query.text)
        and not reference.error
        and reference.kind == other.kind
    )


def wrong_modifiers_first(query, reference, other):
    """If both a parameter of a function and a modifier are wrong, lockstep reports the modifier."""
    return reference.error and other.error and "modifier can only be used with" in other.error[1]


def floats_beside_histograms(query, reference, other):
    """A float and a histogram with the same labels are an error, as two floats are. Prometheus merges
    them to one series, whose two samples it may refuse in the end.
    """
    return (
        (not reference.error or reference.error[1] == "unexpected number of samples")
        and other.error
        and other.error[1] == "vector cannot contain metrics with the same labelset"
        and re.search(HISTOGRAMS, query.text)
    )


def logarithms_of_subnormals(query, reference, other):
    """Go's logarithm on amd64 treats numbers below about 2.2e-308 as 2.2e-308."""
    return re.search(r"\b(ln|log2|log10)\(", query.text) and re.search(
        "extremes|kind|__name__", query.text
    )


def amplified(query, reference, other):
    """A remainder, a sine of a large number, and a tangent near its poles amplify differences in the
    last bits of their argument.
    """
    return (
        re.search(
            r"%|\b(sin|cos|tan)\(.*(\^|\bexp\(|\b(sin|cos)h\()|\btan\(.*\batan", query.text
        )
        and answers.INEXACT.search(query.text)
        and reference.kind == other.kind
    )


def powers_of_inexact(query, reference, other):
    """A large exponent amplifies errors in the last bits of its base."""
    return (
        "^" in query.text
        and len(answers.INEXACT.findall(query.text)) > 1
        and answers.difference(query, reference, other, 1e-9) is None
    )


def texts_of_divided(query, reference, other):
    """Prometheus cannot encode native histograms with custom buckets that were divided by NaN."""
    return reference.error and "custom buckets have no zero bucket" in reference.error[1]


def timestamps_at_offsets(query, reference, other):
    """timestamp() of a selector with both `@` and `offset`: Prometheus ignores the offset."""
    text = re.sub(r'"[^"]*"', '""', query.text)
    return re.search(r"timestamp\([^()]*(@.*offset|offset.*@)", text)


def order_of_duplicates(query, reference, other):
    """Which duplicates are found first, and in which order they are named."""
    return (
        reference.error
        and other.error
        and all(
            "found duplicate series for the match group" in answer.error[1]
            for answer in (reference, other)
        )
    )


def uncounted(answer):
    """The response without the counts of lifted histograms, which overflow, below zero."""
    counts = re.compile(r", over -?\d+ samples from")
    return dataclasses.replace(
        answer,
        annotations=tuple(
            tuple(counts.sub("", text) if "monotonicity" in text else text for text in texts)
            for texts in answer.annotations
        ),
    )


def counts_of_lifted(query, reference, other):
    """How many classic histograms were made monotonic: Prometheus' count doubles with every further
    step.
    """
    return answers.difference(query, uncounted(reference), uncounted(other)) is None


def quantiles_of_doubled(query, reference, other):
    """Of several quantiles of a classic histogram with a repeated bucket, all but the first use the
    buckets as modified by the first.
    """
    return re.search(r"\bhistogram_quantiles\(.*(odd_bucket|__name__|job=|instance=)", query.text) and (
        reference.kind == other.kind
        and nameless(reference).series.keys() == nameless(other).series.keys()
    )


def operator_positions(query, reference, other):
    """After a list of labels, Prometheus reports the end of a call where that list ends."""
    about = (
        r"bool modifier can only|must not occur in ON and GROUP|must use BOOL|not allowed in binary"
    )
    return (
        reference.error
        and other.error
        and re.search(about, reference.error[1])
        and re.sub(r"\d+:\d+", "", reference.error[1]) == re.sub(r"\d+:\d+", "", other.error[1])
    )


def quantiles_beside_nan(query, reference, other):
    """The quantile of a histogram with NaN observations does not come from the highest bucket."""
    return (
        "result is skewed higher" in str(reference.annotations)
        and reference.annotations == other.annotations
    )


def quantiles_beside_nan_sums(query, reference, other):
    """A sum may be NaN although no observation in the range is, and then there is no info. In these
    data that happens in sums of rates of wide_seconds across its kinds, whose highest bucket is
    above that of the rank.
    """

    def of_highest(labels, value, ours):
        if isinstance(value, tuple) or isinstance(ours, tuple):
            return False
        return answers.same_value(value, ours, answers.RELATIVE_TOLERANCE) or (
            "kind" not in dict(labels) and (float(value) > float(ours) or math.isnan(float(value)))
        )

    call = outermost(query.tree)
    return (
        re.match(r"histogram_quantiles?\((?=.*\b(sum|avg)\b)(?=.*\[).*(wide_seconds|__name__)", str(call))
        and call.parts[-1] == ")"
        and (reference.kind, reference.annotations) == (other.kind, other.annotations)
        and reference.series.keys() == other.series.keys()
        and all(
            points.keys() == other.series[labels].keys()
            and all(of_highest(labels, value, other.series[labels][time]) for time, value in points.items())
            for labels, points in reference.series.items()
        )
    )


def nameless(answer):
    """The response without metric names, and with elements that are then equal merged."""
    series = {}
    for labels, points in answer.series.items():
        bare = tuple(pair for pair in labels if pair[0] != "__name__")
        series.setdefault(bare, {}).update(points)
    return dataclasses.replace(answer, series=series, order=[])


def dropped_names_stay(query, reference, other):
    """A comparison, like info() and others, returns elements whose name should have been dropped
    with it.
    """
    if not re.search(
        rf"{COMPARISON}|count_values|(last|first)_over_time.*:|\binfo\(|\bor\b", query.text
    ):
        return False
    if other.error and other.error[1] == "vector cannot contain metrics with the same labelset":
        labels = [[pair for pair in one if pair[0] != "__name__"] for one in reference.order]
        return any(labels.count(one) > 1 for one in labels)
    bare = [nameless(uncounted(answer)) for answer in (reference, other)]
    tolerance = 1e-9 if re.search(r"\b(sum|avg)(_over_time)?\b", query.text) else 0
    return answers.difference(query, *bare, tolerance) is None


def infos_at_other_times(query, reference, other):
    """Prometheus reads the info series at the time of `offset` or `@`, but looks for them at
    another time.
    """
    return re.search(r"\binfo\(.*(\boffset\b|@)", query.text)


def order_of_infos(query, reference, other):
    """Elements of info() are in a random order, which decides whose mix of histograms is reported."""
    if not re.search(r"\b(sum|avg)\b.*\binfo\(", query.text):
        return False
    told = [
        dataclasses.replace(
            answer,
            annotations=tuple(
                tuple(text for text in texts if "exponential and custom buckets" not in text)
                for texts in answer.annotations
            ),
        )
        for answer in (reference, other)
    ]
    return answers.difference(query, *told) is None


def infos_beyond_ranges(query, reference, other):
    """Prometheus looks for info series only as far back as the query's selectors,
    `info(rate(a[1m]))`.
    """
    return re.search(r"\binfo\(.*\[", query.text) and reference.kind == other.kind


def offsets_of_nan(query, reference, other):
    """`offset NaN` is an error; Prometheus uses an offset of 292 years or reports another error."""
    return (
        re.search(r"(?i)\boffset\b.*\bnan\b", query.text)
        and other.error
        and "duration out of range" in other.error[1]
    )


def conflicts_dropped(query, reference, other):
    """Prometheus treats its warning about conflicting counter resets as an error and drops the
    result.
    """
    return "conflicting counter resets during" in str(reference.annotations) and (
        re.search(r"[-+]", query.text)
        # What is dropped cannot match twice.
        and (reference.kind == other.kind or "multiple matches for labels" in str(other.error))
    )


def mixes_of_kinds(query, reference, other):
    """In a group with floats and both kinds of native histograms, the order of elements decides
    which mix is reported first.
    """
    mixed = "encountered a mix of histograms and floats for aggregation"
    if not all(mixed in str(answer.annotations) for answer in (reference, other)):
        return False
    told = [
        dataclasses.replace(
            answer,
            annotations=tuple(
                tuple(
                    text
                    for text in texts
                    if "exponential and custom buckets" not in text and "reconciled" not in text
                )
                for texts in answer.annotations
            ),
        )
        for answer in (reference, other)
    ]
    return answers.difference(query, *told) is None


def pinned_parameters(query, reference, other):
    """In Prometheus 3.14, a parameter of an aggregation pinned by `@` differs at some steps."""
    return (
        re.search(
            r"\b(quantile|topk|bottomk|limitk|limit_ratio)\b[^,]*\([^,]*@",
            re.sub(r"\{[^}]*\}", "", query.text),
        )
        and (reference.kind == other.kind or "Parameter value is NaN" in str(reference.error))
    )


def duplicates_not_chosen(query, reference, other):
    """Elements with the same labels are an error if both are chosen; which ones are is undefined."""
    return (
        re.search(r"\blimitk\b", query.text)
        and {"vector cannot contain metrics with the same labelset"}
        & {answer.error[1] for answer in (reference, other) if answer.error}
        and not (reference.error and other.error)
    )


def colons_behind_calls(query, reference, other):
    """Prometheus 3.14 cannot parse `[range():]`, although it can parse `[range() + 1m:]`."""
    return reference.error and "unexpected colon before duration" in reference.error[1]


RULES = (
    odd_numbers,
    zeros_of_quantiles,
    quantiles_of_negated,
    last_of_operator,
    quantiles_of_pinned,
    populations_of_nan,
    order_of_matches,
    limits_of_chosen,
    choice_of_equals,
    order_of_adding,
    sines_of_sums,
    stumbles,
    pinned_subqueries,
    pinned_in_pinned,
    wrong_modifiers_first,
    floats_beside_histograms,
    logarithms_of_subnormals,
    amplified,
    powers_of_inexact,
    texts_of_divided,
    timestamps_at_offsets,
    order_of_duplicates,
    counts_of_lifted,
    quantiles_of_doubled,
    operator_positions,
    quantiles_beside_nan,
    quantiles_beside_nan_sums,
    dropped_names_stay,
    infos_at_other_times,
    order_of_infos,
    infos_beyond_ranges,
    offsets_of_nan,
    conflicts_dropped,
    mixes_of_kinds,
    pinned_parameters,
    duplicates_not_chosen,
    colons_behind_calls,
)


def explanation(query, reference, other, rules=RULES):
    """The name of the rule that explains the difference, or None."""
    reference, other = without_numbers(reference), without_numbers(other)
    if answers.difference(query, reference, other) is None:
        return without_numbers.__name__
    for rule in rules:
        if rule(query, reference, other):
            return rule.__name__
    return None
