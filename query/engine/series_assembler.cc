#include "query/engine/series_assembler.h"

#include <utility>

#include "query/engine/metric_labels.h"

namespace lockstep::engine {

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

absl::Status MergeColumns(const Column& from, Column& into) {
  bool overlaps = false;
  from.ForEachPresent([&](size_t step) {
    overlaps = overlaps || into.present(step);
    into.Set(step, from, step);
  });
  return overlaps ? SameLabelsetError() : absl::OkStatus();
}

}  // namespace lockstep::engine
