// Feeds valid and damaged databases to the reader of MLflow stores.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "import/mlflow/mlflow_store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lockstep::mlflow::MlflowMetric;
  using lockstep::mlflow::MlflowStore;
  const auto store = MlflowStore::OpenBytes({reinterpret_cast<const char*>(data), size});
  if (!store.ok()) return 0;
  (*store)->CountRuns().IgnoreError();
  (*store)
      ->ReadMetrics([](const MlflowMetric& metric) {
        LOCKSTEP_CHECK(metric.time_ms > 0 && !metric.key.empty());
        return absl::OkStatus();
      })
      .IgnoreError();
  return 0;
}
