#include "tenants/tenants.h"

#include <utility>

#include "model/tenant.h"

namespace lockstep::tenants {

Tenants::Tenants(Storage& store, KeptRows* kept, TenantOptions options)
    : directory_(kept),
      shared_{store, directory_, kept, std::make_shared<RateLimit>(0), std::move(options)},
      default_(std::make_shared<Tenant>(shared_)),
      active_({{"", default_}}) {}

void Tenants::SetLimits(const TenantRates& rates, std::vector<TenantLimits> limits) {
  shared_.rate_limit->SetRate(rates.max_samples_per_second);
  const MutexLock lock(mutex_);
  rates_ = rates;
  limits_ = std::move(limits);
  for (const auto& [name, tenant] : active_) {
    const IngestLimits own = LimitsOf(name);
    tenant->ingester.SetRates(own.max_samples_per_second, own.max_samples_per_second_per_job);
  }
}

std::shared_ptr<Tenant> Tenants::ForReading(std::string_view name) {
  if (name.empty()) return default_;
  if (const std::optional<uint32_t> number = directory_.Find(name)) return Get(name, *number);
  return std::make_shared<Tenant>(shared_, std::string(name), std::nullopt, shared_.options.ingest,
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
  limits.max_samples_per_second_per_job = rates_.max_samples_per_second_per_job;
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
    tenant =
        std::make_shared<Tenant>(shared_, std::string(name), number, LimitsOf(name), *default_);
  }
  return tenant;
}

}  // namespace lockstep::tenants
