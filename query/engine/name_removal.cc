#include "query/engine/name_removal.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "query/engine/metric_labels.h"
#include "query/engine/series_assembler.h"

namespace lockstep::engine {

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
