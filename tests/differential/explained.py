"""Differences that are meant: lockstep follows a newer Prometheus than the one it runs beside.

One rule per difference; docs/promql-differences.md has a row for each. A rule takes what only newer servers say
out of the answers; what is left must be equal.
"""

import dataclasses
import re

import answers
import dataset

HISTOGRAMS = "|".join(
    metric.name for metric in dataset.METRICS if metric.kind in ("histogram", "custom", "mixed")
)


def without_new_annotations(answer):
    """Texts that the older server does not have, or has with fewer words."""
    warnings, infos = answer.annotations[:2]
    warnings = {
        re.sub(r' for metric name ""', "", text)
        for text in warnings
        if "sort is ineffective for range queries" not in text
        and "conflicting counter resets during" not in text
    }
    infos = {
        re.sub(r' for metric name ""', "", re.sub(r", from buckets .* to \S+Z \(", " (", text))
        for text in infos
    }
    return dataclasses.replace(
        answer, annotations=(tuple(sorted(warnings)), tuple(sorted(infos)), *answer.annotations[2:])
    )


def reconciled_bounds(query, reference, other):
    """Native histograms with other custom bounds are added up over the bounds that they share."""
    return "mismatched custom buckets were reconciled" in str(other.annotations) and (
        "custom buckets" in str(reference.annotations)
        or "incompatible bucket layout" in str(reference.annotations)
    )


def sums_of_histograms(query, reference, other):
    """Sums and averages of native histograms are compensated."""
    return (
        re.search(r"\b(sum|avg)(_over_time)?\b", query.text)
        and re.search(HISTOGRAMS, query.text)
        and answers.difference(query, reference, other, 1e-9) is None
    )


def quantiles_beside_nan(query, reference, other):
    """The quantile of a histogram with NaN observations is not one of the highest bucket."""
    return (
        "result is skewed higher" in str(reference.annotations)
        and reference.annotations == other.annotations
    )


def dropped_names_stay(query, reference, other):
    """A comparison gives elements back a name that was to be dropped."""
    if not re.search(r"==|!=|<|>", query.text):
        return False
    nameless = [
        dataclasses.replace(
            answer,
            series={
                tuple(pair for pair in labels if pair[0] != "__name__"): points
                for labels, points in answer.series.items()
            },
            order=[],
        )
        for answer in (reference, other)
    ]
    return answers.difference(query, *nameless) is None


RULES = (reconciled_bounds, sums_of_histograms, quantiles_beside_nan, dropped_names_stay)


def explanation(query, reference, other):
    """The name of the rule that explains why the answers differ, or None."""
    reference, other = without_new_annotations(reference), without_new_annotations(other)
    if answers.difference(query, reference, other) is None:
        return without_new_annotations.__name__
    for rule in RULES:
        if rule(query, reference, other):
            return rule.__name__
    return None
