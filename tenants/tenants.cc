#include "tenants/tenants.h"

#include <utility>

#include "model/tenant.h"

namespace lockstep::tenants {

Tenants::Tenants(Storage& store, KeptRows* kept, TenantOptions options)
    : store_(store),
      directory_(kept),
      shared_{store,
              directory_,
              kept,
              std::make_shared<RateLimit>(0),
              std::make_shared<annotations::AnnotationTotal>(kept),
              std::make_shared<hang::DumpTotal>(kept),
              std::move(options)},
      default_(std::make_shared<Tenant>(shared_)),
      active_({{"", default_}}) {}

absl::Status Tenants::Load() {
  LOCKSTEP_RETURN_IF_ERROR(directory_.Load());
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Querier> querier, store_.NewQuerier());
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> tenants,
                            querier->LabelValues(kTenantLabel, {{}, kAllTimes}));
  return directory_.Adopt(tenants);
}

void Tenants::SetLimits(const TenantRates& rates, std::vector<TenantLimits> limits) {
  shared_.rate_limit->SetRate(rates.max_samples_per_second);
  std::vector<std::shared_ptr<Tenant>> all;  // destroyed after the lock
  const MutexLock lock(mutex_);
  rates_ = rates;
  limits_ = std::move(limits);
  for (const auto& [name, tenant] : active_) all.push_back(tenant);
  for (const auto& [name, tenant] : new_) {
    if (auto held = tenant.lock()) all.push_back(std::move(held));
  }
  for (const std::shared_ptr<Tenant>& tenant : all) {
    const IngestLimits own = LimitsOf(tenant->name);
    tenant->ingester.SetRates(own.max_samples_per_second, own.max_samples_per_second_per_job);
  }
}

std::shared_ptr<Tenant> Tenants::ForReading(std::string_view name) {
  if (name.empty()) return default_;
  if (directory_.Find(name).has_value()) return Get(name);
  return std::make_shared<Tenant>(shared_, std::string(name), shared_.options.ingest, *default_);
}

absl::StatusOr<std::shared_ptr<Tenant>> Tenants::ForWriting(std::string_view name) {
  if (name.empty()) return default_;
  if (directory_.Find(name).has_value()) return Get(name);
  LOCKSTEP_RETURN_IF_ERROR(directory_.CheckRoom(name));
  const MutexLock lock(mutex_);
  if (const auto found = active_.find(name); found != active_.end()) return found->second;
  std::shared_ptr<Tenant> tenant = FindNew(name);
  if (tenant == nullptr) {
    tenant = Make(name);
    new_[std::string(name)] = tenant;
  }
  return tenant;
}

Tenants::PastStats Tenants::past_stats() const {
  const MutexLock lock(mutex_);
  return past_;
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

std::shared_ptr<Tenant> Tenants::Get(std::string_view name) {
  const MutexLock lock(mutex_);
  std::shared_ptr<Tenant>& tenant = active_[std::string(name)];
  // Another thread may have added it in the meantime.
  if (tenant == nullptr) tenant = FindNew(name);
  if (tenant == nullptr) tenant = Make(name);
  return tenant;
}

std::shared_ptr<Tenant> Tenants::FindNew(std::string_view name) {
  const auto found = new_.find(name);
  return found == new_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<Tenant> Tenants::Make(std::string_view name) {
  auto tenant = std::make_unique<Tenant>(shared_, std::string(name), LimitsOf(name), *default_,
                                         [this, key = std::string(name)] { Activate(key); });
  return {tenant.release(), [this](Tenant* gone) { Destroy(gone); }};
}

void Tenants::Activate(const std::string& name) {
  const MutexLock lock(mutex_);
  if (std::shared_ptr<Tenant> tenant = FindNew(name)) active_.try_emplace(name, std::move(tenant));
}

void Tenants::Destroy(Tenant* tenant) {
  const std::unique_ptr<Tenant> gone(tenant);
  const MutexLock lock(mutex_);
  past_.ingest += gone->ingester.stats();
  past_.push += gone->pusher.stats();
  const auto found = new_.find(gone->name);
  if (found != new_.end() && found->second.expired()) new_.erase(found);
}

}  // namespace lockstep::tenants
