#include "tenants/tenants.h"

#include <utility>

#include "model/tenant.h"

namespace lockstep::tenants {

Tenants::Tenants(Storage& store, KeptRows* kept, TenantOptions options,
                 std::vector<TenantLimits> limits)
    : directory_(kept),
      limits_(std::move(limits)),
      shared_{store, directory_, kept,
              std::make_shared<RateLimit>(options.ingest.max_samples_per_second),
              std::move(options)},
      default_(std::make_shared<Tenant>(shared_, LimitsOf(""))),
      active_({{"", default_}}) {}

std::shared_ptr<Tenant> Tenants::ForReading(std::string_view name) {
  if (name.empty()) return default_;
  if (const std::optional<uint32_t> number = directory_.Find(name)) return Get(name, *number);
  return std::make_shared<Tenant>(shared_, std::string(name), std::nullopt, LimitsOf(name),
                                  *default_);
}

absl::StatusOr<std::shared_ptr<Tenant>> Tenants::ForWriting(std::string_view name) {
  if (name.empty()) return default_;
  LOCKSTEP_ASSIGN_OR_RETURN(const uint32_t number, directory_.Add(name));
  return Get(name, number);
}

std::vector<std::shared_ptr<const Tenant>> Tenants::active() const {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<const Tenant>> all;
  for (const auto& [name, tenant] : active_) all.push_back(tenant);
  return all;
}

IngestLimits Tenants::LimitsOf(std::string_view name) const {
  IngestLimits limits = shared_.options.ingest;
  limits.max_samples_per_second = 0;
  for (const TenantLimits& one : limits_) {
    if (one.tenant.has_value() && !one.tenant->Matches(IdOfTenant(name))) continue;
    limits.max_samples_per_second = one.max_samples_per_second;
    break;
  }
  return limits;
}

std::shared_ptr<Tenant> Tenants::Get(std::string_view name, uint32_t number) {
  const MutexLock lock(mutex_);
  std::shared_ptr<Tenant>& tenant = active_[std::string(name)];
  if (tenant == nullptr) {
    tenant = std::make_shared<Tenant>(shared_, std::string(name), number, LimitsOf(name),
                                      *default_);
  }
  return tenant;
}

}  // namespace lockstep::tenants
