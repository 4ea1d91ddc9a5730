#include "query/engine/count_values.h"

#include <bit>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/float_format.h"
#include "query/engine/aggregate_groups.h"
#include "query/engine/kernels/histogram_buckets.h"
#include "query/engine/step_invariant.h"
#include "query/promql/printer.h"

namespace lockstep::engine {
namespace {

class ValueCounter {
 public:
  ValueCounter(std::string label, Grouping grouping, const Evaluator& evaluator)
      : label_(std::move(label)),
        grouping_(std::move(grouping)),
        evaluator_(evaluator),
        output_(evaluator.NewVector()) {}

  absl::Status Add(const EvaluatedSeries& series) {
    // Values tend to repeat from step to step.
    uint64_t last_bits = 0;
    size_t last_index = kNone;
    absl::Status status;
    series.column.ForEachPresent([&](size_t step) {
      if (!status.ok()) return;
      const Histogram* const histogram = series.column.histogram(step);
      const uint64_t bits = std::bit_cast<uint64_t>(series.column.value(step));
      if (histogram != nullptr || last_index == kNone || bits != last_bits) {
        status = FindOutput(series, step, last_index);
        if (!status.ok()) return;
        last_bits = bits;
      }
      Column& column = output_.series[last_index].column;
      column.SetFloat(step, column.present(step) ? column.value(step) + 1 : 1);
      if (histogram != nullptr) last_index = kNone;
    });
    return status;
  }

  VectorValue Take() { return std::move(output_); }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // Leaves in `found` the index of the output series that counts the element at `step`.
  absl::Status FindOutput(const EvaluatedSeries& series, size_t step, size_t& found) {
    const Histogram* const histogram = series.column.histogram(step);
    const std::string value = histogram != nullptr ? HistogramText(*histogram)
                                                   : FormatPlainValue(series.column.value(step));
    LabelSet labels =
        grouping_.GroupLabels(LabelSetBuilder(series.labels).Set(label_, value).Build());
    const auto [entry, added] = index_.try_emplace(labels, output_.series.size());
    found = entry->second;
    if (!added) return absl::OkStatus();
    return evaluator_.AddSeries(output_, std::move(labels), series.drop_name).status();
  }

  const std::string label_;
  const Grouping grouping_;
  const Evaluator& evaluator_;
  VectorValue output_;
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
  Grouping grouping{expr.grouping, expr.without};
  if (!expr.without) grouping.labels.push_back(label);
  LOCKSTEP_ASSIGN_OR_RETURN(const VectorValue operand, evaluator.EvaluateVector(*expr.operand));
  ValueCounter counter(label, std::move(grouping), evaluator);
  for (const EvaluatedSeries& series : operand.series) {
    LOCKSTEP_RETURN_IF_ERROR(evaluator.context().budget.Check());
    LOCKSTEP_RETURN_IF_ERROR(counter.Add(series));
  }
  return EvaluatedValue(counter.Take());
}

}  // namespace lockstep::engine
