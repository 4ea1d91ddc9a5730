#include "query/engine/aggregates/aggregate_eval.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/text/float_format.h"
#include "query/engine/aggregates/aggregate_groups.h"
#include "query/engine/context/step_invariant.h"
#include "query/engine/kernels/histograms/histogram_buckets.h"
#include "query/promql/printer/printer.h"

namespace lockstep::engine {
namespace {

class ValueCounter {
 public:
  ValueCounter(std::string label, Grouping grouping, const Evaluator& evaluator)
      : label_(std::move(label)),
        grouping_(std::move(grouping)),
        label_is_dropped_(grouping_.without &&
                          (label_ == kMetricName ||
                           std::find(grouping_.labels.begin(), grouping_.labels.end(), label_) !=
                               grouping_.labels.end())),
        evaluator_(evaluator),
        output_(evaluator.NewVector()) {}

  absl::Status Add(const EvaluatedSeries& series) {
    const LabelSetBuilder group(grouping_.GroupLabels(series.labels));
    const Column& column = series.column;
    // Values tend to repeat from step to step.
    uint64_t last_bits = 0;
    size_t last_index = kNone;
    int64_t added_count = 0;
    column.ForEachPresent([&](size_t step) {
      if (!status_.ok()) return;
      const bool is_float = column.histogram(step) == nullptr;
      const uint64_t bits = is_float ? std::bit_cast<uint64_t>(column.value(step)) : 0;
      if (!is_float || last_index == kNone || bits != last_bits) {
        last_index = FindOutput(group, ValueText(column, step), series.drop_name);
      }
      last_bits = bits;
      added_count += Count(step, output_.series[last_index].column);
      if (!is_float) last_index = kNone;
    });
    LOCKSTEP_RETURN_IF_ERROR(status_);
    return output_.charge.Add(added_count);
  }

  VectorValue Take() { return std::move(output_); }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  static std::string ValueText(const Column& column, size_t step) {
    const Histogram* const histogram = column.histogram(step);
    return histogram != nullptr ? HistogramText(*histogram) : FormatPlainValue(column.value(step));
  }

  // Increments the count at `step`; returns how many samples this added to the column.
  static int64_t Count(size_t step, Column& column) {
    const bool is_new = !column.present(step);
    column.SetFloat(step, is_new ? 1 : column.value(step) + 1);
    return is_new ? 1 : 0;
  }

  // The index of the output series that counts `value` in the group.
  size_t FindOutput(const LabelSetBuilder& group, std::string_view value, bool drop_name) {
    LabelSetBuilder builder = group;
    if (!label_is_dropped_) builder.Set(label_, value);
    LabelSet labels = builder.Build();
    const auto [entry, added] = index_.try_emplace(labels, output_.series.size());
    const bool names_the_value = label_ == kMetricName;
    if (!added) return entry->second;
    // Labels are stored here and in the index, and each value may create a series with one sample.
    constexpr size_t kSeriesBytes = 1024;
    const size_t bytes = 2 * labels.bytes().size() + kSeriesBytes;
    if (status_.ok()) status_ = output_.charge.AddText(bytes);
    evaluator_.AddSeries(output_, std::move(labels), drop_name && !names_the_value);
    return entry->second;
  }

  const std::string label_;
  const Grouping grouping_;
  const bool label_is_dropped_;  // `without` always drops the metric name
  const Evaluator& evaluator_;
  VectorValue output_;
  absl::Status status_;
  absl::flat_hash_map<LabelSet, size_t> index_;
};

}  // namespace

absl::StatusOr<EvaluatedValue> CountValues(const promql::AggregateExpr& expr,
                                           Evaluator& evaluator) {
  const promql::Expr& param = WithoutParens(*expr.param);
  const std::string& label = promql::As<promql::StringLiteral>(param).value;
  if (label.empty() || !IsValidUtf8(label)) {
    return absl::FailedPreconditionError("invalid label name " + promql::Print(param));
  }
  const Grouping grouping{expr.grouping, expr.without};
  LOCKSTEP_ASSIGN_OR_RETURN(const VectorValue operand, evaluator.EvaluateVector(*expr.operand));
  ValueCounter counter(label, grouping, evaluator);
  for (const EvaluatedSeries& series : operand.series) {
    LOCKSTEP_RETURN_IF_ERROR(evaluator.context().budget.Check());
    LOCKSTEP_RETURN_IF_ERROR(counter.Add(series));
  }
  return EvaluatedValue(counter.Take());
}

}  // namespace lockstep::engine
