#include "cli/server/live_limits.h"

#include <chrono>
#include <utility>

#include "base/budget/memory_budget.h"
#include "base/log.h"
#include "base/memory/memory_limit.h"
#include "cli/server/doors.h"

namespace lockstep::cli {

void LimitMemory(const ServeOptions& options) {
  const uint64_t bytes =
      options.memory_limit_bytes != 0 ? options.memory_limit_bytes : DefaultMemoryLimitBytes();
  MemoryBudget& budget = MemoryBudget::OfProcess();
  if (budget.max_bytes() == bytes) return;
  budget.set_max_bytes(bytes);
  Log(LogLevel::kInfo, "memory limit for clients", {{"bytes", bytes}});
}

SeriesLimits SeriesLimitsOf(const ServeOptions& options) {
  SeriesLimits limits{options.max_series, options.max_series_per_job};
  for (const tenants::TenantLimits& one : options.tenant_limits) {
    limits.by_tenant.push_back({one.tenant, one.max_series});
  }
  return limits;
}

void SetLimits(const ServeOptions& options, const Limited& limited) {
  LimitMemory(options);
  limited.store->SetSeriesLimits(SeriesLimitsOf(options));
  limited.api->SetLimits(
      {options.max_query_samples, std::chrono::milliseconds(options.query_timeout_ms)});
  limited.tenants->SetLimits(
      {options.max_samples_per_second, options.max_samples_per_second_per_job},
      options.tenant_limits);
  if (limited.http != nullptr) limited.http->SetMaxConnections(MaxConnections(options));
}

}  // namespace lockstep::cli
