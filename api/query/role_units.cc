#include "api/query/role_units.h"

#include <variant>
#include <vector>

#include "catalogue/metric_names.h"

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

void Convert(engine::MatrixResult& matrix) {
  std::erase_if(matrix, [](engine::MatrixSeries& series) {
    const auto name = catalogue::RoleOf(series.labels.metric_name(), series.labels);
    if (!name.has_value()) return false;
    SampleColumns& samples = series.samples;
    catalogue::ToRole(*name, samples.timestamps_ms, samples.values);
    samples.start_timestamps_ms.clear();
    return samples.size() == 0;
  });
}

}  // namespace

void ToRoleUnits(engine::QueryValue& value) {
  if (auto* vector = std::get_if<engine::VectorResult>(&value)) Convert(*vector);
  if (auto* matrix = std::get_if<engine::MatrixResult>(&value)) Convert(*matrix);
}

}  // namespace lockstep::api
