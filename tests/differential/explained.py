"""Differences that are meant, for good.

One rule per difference; docs/promql-differences.md has a row for each.
"""

import dataclasses
import re

import answers
import dataset

COMPARISON = "==|!=|<|>"
HISTOGRAMS = "|".join(
    metric.name for metric in dataset.METRICS if metric.kind in ("histogram", "custom", "mixed")
)
# Prometheus' number for a word of the language that has no name.
NAMELESS = re.compile(r'"<Item \d+>" ')


def without_numbers(answer):
    """The answer less Prometheus' numbers for words."""
    return dataclasses.replace(
        answer, error=tuple(NAMELESS.sub("", text) for text in answer.error)
    )


def without_endless(answer):
    """The answer less histograms with populations that are no numbers, whose averages depend on the way."""
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
    """What is wrong with a number that no number is, such as `.0.5`."""
    return (
        reference.error
        and other.error
        and "error parsing number" in reference.error[1]
        and "bad number or duration syntax" in other.error[1]
    )


def zeros_of_quantiles(query, reference, other):
    """Zeros of both signs are equal, and sorting may leave either where the quantile is."""
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
    """Populations below zero have no quantiles, and which bucket the search ends at is chance."""
    return re.search(
        r"histogram_(quantiles?|fraction)(?=\().*[-(, ]-[ (]*[a-z{]", query.text
    ) and re.search(HISTOGRAMS, query.text)


def last_of_operator(query, reference, other):
    """Of the notes of a binary operator at a step the last one is kept."""
    of_operator = re.compile(r"binary operator|during (addition|subtraction)")
    kept = tuple(
        tuple(text for text in ours if not of_operator.search(text) or text in theirs)
        for ours, theirs in zip(other.annotations, reference.annotations)
    )
    return kept == reference.annotations and (
        answers.difference(query, reference, dataclasses.replace(other, annotations=kept)) is None
    )


def quantiles_of_pinned(query, reference, other):
    """Of several quantiles that are none, the first is told when what they are of is pinned."""
    return (
        re.search(r"\bquantile\b.*@", query.text)
        and not reference.error
        and answers.difference(
            query, reference, dataclasses.replace(other, annotations=reference.annotations)
        )
        is None
    )


def populations_of_nan(query, reference, other):
    """Of a histogram multiplied by NaN other empty buckets are written, and averages of it are NaN."""
    by_nan = r"/ ?\(?(0|NaN)\b|\* ?\(?(NaN|[-+]?Inf)\b"
    finite = [without_endless(answer) for answer in (reference, other)]
    return answers.difference(query, *finite) is None or (
        re.search(HISTOGRAMS, query.text) and re.search(by_nan, query.text)
    )


def order_of_matches(query, reference, other):
    """Elements of a match of vectors come in another order, which shows in last bits."""
    return re.search(r"\b(sum|avg|stddev|stdvar)\b", query.text) and (
        answers.difference(query, reference, other, 1e-9) is None
    )


def limits_of_chosen(query, reference, other):
    """Of equal elements the first are taken, of which there are none behind a choice, a match or a walk through
    classic histograms."""
    return re.search(
        r"\b(limitk|topk|bottomk)\b.*"
        r"\b(limitk|topk|bottomk|limit_ratio|on|ignoring|histogram_(fraction|quantiles?))\b",
        query.text,
    )


def order_of_adding(query, reference, other):
    """Sums of windows that overlap are put together from parts."""
    return re.search(r"\b(sum|avg)_over_time\b", query.text) and (
        answers.difference(query, reference, other, 1e-14) is None
    )


def rates_of_rates(query, reference, other):
    """A zero bucket that adding or subtracting widens: Prometheus drops the compensation of its sum. And edges
    between two histograms, which are put together in another order."""
    return (
        re.search(r"\b(rate|increase)\(.*\b(rate|increase)\(.*\[[^]]*:|\bsmoothed\b", query.text)
        and re.search(HISTOGRAMS, query.text)
        and answers.difference(query, reference, other, 1e-12) is None
    )


def stumbles(query, reference, other):
    """Prometheus 3.14 reads before the first float of a range that has none, `a[5m] anchored`."""
    return reference.error and "runtime error: index out of range" in reference.error[1]


def pinned_subqueries(query, reference, other):
    """Prometheus 3.14 does not see that an argument is a subquery when it is pinned by `@` in a call that is not."""
    return (
        re.search(r"\b(predict_linear|\w+_over_time)\(.*\[[^]]*:[^]]*\].*@", query.text)
        and not reference.error
        and (other.error or len(reference.series) < len(other.series))
    )


def floats_beside_histograms(query, reference, other):
    """Elements with the same labels, of which one is a float and one a histogram, are as wrong as two floats."""
    return (
        not reference.error
        and other.error
        and other.error[1] == "vector cannot contain metrics with the same labelset"
        and re.search(HISTOGRAMS, query.text)
    )


def logarithms_of_subnormals(query, reference, other):
    """Go's logarithm on amd64 takes numbers below 2.2e-308 for 2.2e-308 or so."""
    return re.search(r"\b(ln|log2|log10)\(", query.text) and re.search(
        "extremes|kind|__name__", query.text
    )


def amplified(query, reference, other):
    """A remainder, and a sine of something large, makes much of the last bits of what it is taken of."""
    return (
        re.search(r"%|\b(sin|cos|tan)\(.*(\^|\bexp\(|\b(sin|cos)h\()", query.text)
        and answers.INEXACT.search(query.text)
        and reference.kind == other.kind
    )


def texts_of_divided(query, reference, other):
    """Prometheus cannot write native histograms with custom buckets that were divided by NaN."""
    return reference.error and "custom buckets have no zero bucket" in reference.error[1]


def timestamps_at_offsets(query, reference, other):
    """timestamp() of a selector with both `@` and `offset`: Prometheus forgets the offset."""
    return re.search(r"timestamp\([^()]*(@.*offset|offset.*@)", query.text)


def order_of_duplicates(query, reference, other):
    """Which duplicates are met first, and in which order they are named."""
    return (
        reference.error
        and other.error
        and all(
            "found duplicate series for the match group" in answer.error[1]
            for answer in (reference, other)
        )
    )


def uncounted(answer):
    """The answer without the counts of lifted histograms; they run over, below zero."""
    counts = re.compile(r", over -?\d+ samples from")
    return dataclasses.replace(
        answer,
        annotations=tuple(
            tuple(counts.sub("", text) if "monotonicity" in text else text for text in texts)
            for texts in answer.annotations
        ),
    )


def counts_of_lifted(query, reference, other):
    """How many classic histograms were made monotonic: Prometheus' count doubles with every further step."""
    return answers.difference(query, uncounted(reference), uncounted(other)) is None


def quantiles_of_doubled(query, reference, other):
    """Of several quantiles of a classic histogram with a bucket twice, all but the first read what the first has
    left of the buckets."""
    return re.search(r"\bhistogram_quantiles\(.*(odd_bucket|__name__|job=|instance=)", query.text) and (
        reference.kind == other.kind
        and nameless(reference).series.keys() == nameless(other).series.keys()
    )


def operator_positions(query, reference, other):
    """Behind a list of labels Prometheus takes the end of a call to be where that list ends."""
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
    """The quantile of a histogram with NaN observations is not one of the highest bucket."""
    return (
        "result is skewed higher" in str(reference.annotations)
        and reference.annotations == other.annotations
    )


def nameless(answer):
    """The answer without metric names, and elements that are then the same as one."""
    series = {}
    for labels, points in answer.series.items():
        bare = tuple(pair for pair in labels if pair[0] != "__name__")
        series.setdefault(bare, {}).update(points)
    return dataclasses.replace(answer, series=series, order=[])


def dropped_names_stay(query, reference, other):
    """A comparison gives elements back a name that was to be dropped, as do info() and others."""
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
    """Prometheus reads the info series of the time that `offset` or `@` names, and looks for them at another."""
    return re.search(r"\binfo\(.*(\boffset\b|@)", query.text)


def infos_beyond_ranges(query, reference, other):
    """Prometheus looks for info series no further back than the selectors of the query reach, `info(rate(a[1m]))`."""
    return re.search(r"\binfo\(.*\[", query.text) and reference.kind == other.kind


def offsets_of_nan(query, reference, other):
    """`offset NaN` is an error, where Prometheus has an offset of 292 years or another error."""
    return (
        re.search(r"(?i)\boffset\b.*\bnan\b", query.text)
        and other.error
        and "duration out of range" in other.error[1]
    )


def conflicts_dropped(query, reference, other):
    """Prometheus takes its warning of conflicting counter resets for an error and drops the sum or difference."""
    return "conflicting counter resets during" in str(reference.annotations) and (
        re.search(r"[-+]", query.text) and reference.kind == other.kind
    )


def mixes_of_kinds(query, reference, other):
    """Of a group with floats and both kinds of native histograms the order of elements says which mix is told first."""
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
    """In Prometheus 3.14 a parameter of an aggregation that `@` pins is another at some steps."""
    return (
        re.search(r"\b(quantile|topk|bottomk|limitk|limit_ratio)\b[^,]*\([^,]*@", query.text)
        and reference.kind == other.kind
    )


def duplicates_not_chosen(query, reference, other):
    """Elements with the same labels are an error if both are chosen, and which are is not said."""
    return (
        re.search(r"\blimitk\b", query.text)
        and {"vector cannot contain metrics with the same labelset"}
        & {answer.error[1] for answer in (reference, other) if answer.error}
        and not (reference.error and other.error)
    )


def colons_behind_calls(query, reference, other):
    """Prometheus 3.14 cannot read `[range():]`, though `[range() + 1m:]`."""
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
    order_of_adding,
    rates_of_rates,
    stumbles,
    pinned_subqueries,
    floats_beside_histograms,
    logarithms_of_subnormals,
    amplified,
    texts_of_divided,
    timestamps_at_offsets,
    order_of_duplicates,
    counts_of_lifted,
    quantiles_of_doubled,
    operator_positions,
    quantiles_beside_nan,
    dropped_names_stay,
    infos_at_other_times,
    infos_beyond_ranges,
    offsets_of_nan,
    conflicts_dropped,
    mixes_of_kinds,
    pinned_parameters,
    duplicates_not_chosen,
    colons_behind_calls,
)


def explanation(query, reference, other, rules=RULES):
    """The name of the rule that explains why the answers differ, or None."""
    reference, other = without_numbers(reference), without_numbers(other)
    if answers.difference(query, reference, other) is None:
        return without_numbers.__name__
    for rule in rules:
        if rule(query, reference, other):
            return rule.__name__
    return None
