// Evaluates function calls.
#pragma once

#include <cstddef>
#include <string>

#include "query/engine/context/evaluator.h"

namespace lockstep::engine {

// Evaluates a call of any function.
absl::StatusOr<EvaluatedValue> EvaluateCall(const promql::Call& call, Evaluator& evaluator);

// The families of functions from which EvaluateCall() chooses. Each is in the .cc file after which
// it is named here. Precondition: `call` calls one of the family.

// absent_functions: one element where the argument has none.
absl::StatusOr<EvaluatedValue> Absent(const promql::Call& call, Evaluator& evaluator);
absl::StatusOr<EvaluatedValue> AbsentOverTime(const promql::Call& call, Evaluator& evaluator);

// elementwise_functions work on one element at a time: mathematical and calendar functions, round,
// clamp*, timestamp, and histogram_count, _sum, _avg, _stddev and _stdvar.
absl::StatusOr<EvaluatedValue> EvaluateElementwise(const promql::Call& call, Evaluator& evaluator);

// histogram_quantiles: histogram_quantile, histogram_quantiles and histogram_fraction over native
// histograms and over classic ones, assembled from their buckets.
absl::StatusOr<EvaluatedValue> EvaluateHistogramBuckets(const promql::Call& call,
                                                        Evaluator& evaluator);

// info_function: info() adds the labels of info metrics to the series of a vector.
absl::StatusOr<EvaluatedValue> Info(const promql::Call& call, Evaluator& evaluator);

// label_functions: label_replace and label_join.
absl::StatusOr<EvaluatedValue> LabelReplace(const promql::Call& call, Evaluator& evaluator);
absl::StatusOr<EvaluatedValue> LabelJoin(const promql::Call& call, Evaluator& evaluator);

// metricsql_labels, the functions of MetricsQL that use only labels: alias, label_set, label_del,
// label_keep, label_match, label_mismatch.
absl::StatusOr<EvaluatedValue> EvaluateMetricsqlLabels(const promql::Call& call,
                                                       Evaluator& evaluator);

// metricsql_rollups, the functions of MetricsQL that return the lowest, the highest and the mean of
// a quantity in each window: rollup, rollup_delta, rollup_deriv, rollup_increase, rollup_rate.
// Returns three series for each series of the argument, distinguished by the label "rollup". If the
// second argument selects "min", "max" or "avg", returns only that, without the label.
bool IsRollup(promql::FunctionId id);
absl::StatusOr<EvaluatedValue> EvaluateRollup(const promql::Call& call, Evaluator& evaluator);

// metricsql_transforms, the functions of MetricsQL that work on the steps of each series or on the
// set of series: keep_last_value, running_sum, running_avg, running_min, running_max, limit_offset,
// union.
absl::StatusOr<EvaluatedValue> EvaluateMetricsqlTransform(const promql::Call& call,
                                                          Evaluator& evaluator);
// default_rollup of a range selector: the result of an instant selector with the range as its
// lookback. Precondition: the argument is a range selector.
absl::StatusOr<EvaluatedValue> DefaultRollup(const promql::Call& call, Evaluator& evaluator);

// scalar_functions return scalars or convert between scalars and vectors: time, pi, start, end,
// range, step, max_of, min_of, scalar and vector.
absl::StatusOr<EvaluatedValue> EvaluateScalarFunction(const promql::Call& call,
                                                      Evaluator& evaluator);

// sort_functions: sort, sort_desc, sort_by_label, sort_by_label_desc. Sorts the series in an
// evaluation of one step. Over several steps, has no effect and adds a warning.
absl::StatusOr<EvaluatedValue> Sort(const promql::Call& call, Evaluator& evaluator);

// The value of a string argument.
const std::string& StringArgument(const promql::Call& call, size_t index);

}  // namespace lockstep::engine
