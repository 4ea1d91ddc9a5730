#include "query/engine/context/series_assembler.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "query/engine/values/metric_labels.h"

namespace lockstep::engine {
namespace {

// Moves the values of `from` into `into`; fails with SameLabelsetError() if both have a value at
// some step.
absl::Status MergeColumns(const Column& from, Column& into) {
  bool overlaps = false;
  from.ForEachPresent([&](size_t step) {
    overlaps = overlaps || into.present(step);
    into.Set(step, from, step);
  });
  return overlaps ? SameLabelsetError() : absl::OkStatus();
}

}  // namespace

absl::Status SeriesAssembler::Add(LabelSet labels, bool drop_name, Column column) {
  if (column.empty()) return absl::OkStatus();
  if (!evaluator_.is_single_step()) {
    const auto [found, added] = index_.try_emplace(labels, vector_.series.size());
    if (!added) return MergeColumns(column, vector_.series[found->second].column);
  }
  LOCKSTEP_RETURN_IF_ERROR(vector_.charge.Add(column.BudgetSize()));
  LOCKSTEP_RETURN_IF_ERROR(vector_.charge.AddText(labels.bytes().size()));
  vector_.series.push_back({std::move(labels), drop_name, std::move(column)});
  return absl::OkStatus();
}

absl::Status MergeEqualLabels(VectorValue& vector) {
  absl::flat_hash_map<std::string_view, size_t> index;
  index.reserve(vector.series.size());
  bool merged_any = false;
  for (size_t i = 0; i < vector.series.size(); ++i) {
    EvaluatedSeries& series = vector.series[i];
    const auto [found, added] = index.try_emplace(series.labels.bytes(), i);
    if (added) continue;
    LOCKSTEP_RETURN_IF_ERROR(MergeColumns(series.column, vector.series[found->second].column));
    series.column = Column(series.column.step_count());
    merged_any = true;
  }
  if (merged_any) {
    std::erase_if(vector.series,
                  [](const EvaluatedSeries& series) { return series.column.empty(); });
  }
  return absl::OkStatus();
}

absl::Status RemoveNames(VectorValue& vector) {
  for (EvaluatedSeries& series : vector.series) {
    if (series.drop_name) series.labels = DropMetric(series.labels);
    series.drop_name = false;
  }
  return MergeEqualLabels(vector);
}

}  // namespace lockstep::engine
