#include "api/query/role_units.h"

#include <optional>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "catalogue/metric_names.h"
#include "catalogue/role_samples.h"
#include "query/engine/values/reduction.h"

namespace lockstep::api {
namespace {

void Convert(engine::VectorResult& vector) {
  std::erase_if(vector, [](engine::VectorElement& element) {
    const auto name = catalogue::RoleOf(element.labels.metric_name(), element.labels);
    if (!name.has_value() || element.histogram != nullptr) return false;
    std::vector<int64_t> timestamp_ms = {element.timestamp_ms};
    std::vector<double> values = {element.value};
    catalogue::ToRole(*name, timestamp_ms, values);
    if (!values.empty()) element.value = values.front();
    return values.empty();
  });
}

using catalogue::NameRole;

// Whether no sample is left.
bool ConvertSamples(const catalogue::RoleConversion& conversion, SampleColumns& samples) {
  catalogue::Convert(conversion, samples.timestamps_ms, samples.values);
  samples.start_timestamps_ms.clear();
  return samples.size() == 0;
}

std::optional<engine::Reduction> ReductionOf(const engine::MatrixSeries& series) {
  return engine::ReductionNamed(series.labels.Get(engine::kReduceLabel));
}

// The reductions of one series: what is percent in its maximum is percent in its minimum too.
struct ReducedSeries {
  std::vector<double> values;  // of all reductions that are values of samples
  bool is_counter = false;     // of which the role is a rate
};

class ReducedUnits {
 public:
  explicit ReducedUnits(const engine::MatrixResult& matrix) {
    for (const engine::MatrixSeries& series : matrix) {
      const auto reduction = ReductionOf(series);
      if (!reduction.has_value() || *reduction == engine::Reduction::kCount ||
          *reduction == engine::Reduction::kSum) {
        continue;
      }
      const auto name = catalogue::RoleOf(series.labels.metric_name(), series.labels);
      if (name.has_value()) Note(*name, series);
    }
  }

  // Returns whether to leave the series out. A counter's extremes say nothing about its rate, and a
  // sum of samples is in no unit.
  bool Convert(const NameRole& name, engine::Reduction reduction,
               engine::MatrixSeries& series) const {
    if (reduction == engine::Reduction::kCount) return false;
    const auto found = series_.find(LabelsOf(series));
    if (found == series_.end() || reduction == engine::Reduction::kSum) return true;
    const bool is_counter = found->second.is_counter;
    if (is_counter && reduction != engine::Reduction::kLast) return true;
    catalogue::RoleConversion conversion = catalogue::ConversionOf(name, found->second.values);
    conversion.takes_rate = is_counter;
    return ConvertSamples(conversion, series.samples);
  }

 private:
  static LabelSet LabelsOf(const engine::MatrixSeries& series) {
    return LabelSetBuilder(series.labels).Delete(engine::kReduceLabel).Build();
  }

  void Note(const NameRole& name, const engine::MatrixSeries& series) {
    ReducedSeries& noted = series_[LabelsOf(series)];
    const std::vector<double>& values = series.samples.values;
    noted.values.insert(noted.values.end(), values.begin(), values.end());
    if (catalogue::ConversionOf(name, values).takes_rate) noted.is_counter = true;
  }

  absl::flat_hash_map<LabelSet, ReducedSeries> series_;
};

void Convert(engine::MatrixResult& matrix) {
  const ReducedUnits reduced(matrix);
  std::erase_if(matrix, [&reduced](engine::MatrixSeries& series) {
    const auto name = catalogue::RoleOf(series.labels.metric_name(), series.labels);
    if (!name.has_value()) return false;
    if (const auto reduction = ReductionOf(series); reduction.has_value()) {
      return reduced.Convert(*name, *reduction, series);
    }
    return ConvertSamples(catalogue::ConversionOf(*name, series.samples.values), series.samples);
  });
}

}  // namespace

void ToRoleUnits(engine::QueryValue& value) {
  if (auto* vector = std::get_if<engine::VectorResult>(&value)) Convert(*vector);
  if (auto* matrix = std::get_if<engine::MatrixResult>(&value)) Convert(*matrix);
}

}  // namespace lockstep::api
