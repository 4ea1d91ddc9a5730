// Tenants: the tenants of a server, each created when it is first requested.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/string_map.h"
#include "tenants/tenant.h"
#include "tenants/tenant_directory.h"
#include "tenants/tenant_limits.h"

namespace lockstep::tenants {

// Safe from any thread.
class Tenants {
 public:
  // `store` and `kept` must outlive this and the store's last callback; `kept` may be null.
  Tenants(Storage& store, KeptRows* kept, TenantOptions options);
  Tenants(const Tenants&) = delete;
  Tenants& operator=(const Tenants&) = delete;

  // Finds the tenants in the store. Call it once, before anything else.
  absl::Status Load();

  // Names are as in model/tenant.h.
  Tenant& Default() { return *default_; }
  // A tenant without kept data is empty, and is created only for this caller.
  std::shared_ptr<Tenant> ForReading(std::string_view name);
  // A new tenant becomes permanent once any of its data is kept. Until then it exists only while
  // someone holds it, so writers must hold it until the response. Fails with kResourceExhausted if
  // there are too many tenants.
  absl::StatusOr<std::shared_ptr<Tenant>> ForWriting(std::string_view name);

  // Applies to all tenants from now on.
  void SetLimits(const TenantRates& rates, std::vector<TenantLimits> limits);

  // The tenants requested since the start, including the default tenant.
  std::vector<std::shared_ptr<const Tenant>> active() const;
  // Statistics of tenants that are gone because none of their data was kept.
  struct PastStats {
    IngestStats ingest;
    push::PushStats push;
  };
  PastStats past_stats() const;
  const TenantDirectory& directory() const { return directory_; }

 private:
  IngestLimits LimitsOf(std::string_view name) const LOCKSTEP_REQUIRES(mutex_);
  std::shared_ptr<Tenant> Get(std::string_view name);
  // The tenant of this name that is not in the directory yet; null if nobody holds it.
  std::shared_ptr<Tenant> FindNew(std::string_view name) LOCKSTEP_REQUIRES(mutex_);
  std::shared_ptr<Tenant> Make(std::string_view name) LOCKSTEP_REQUIRES(mutex_);
  // Called once the tenant is in the directory.
  void Activate(const std::string& name);
  void Destroy(Tenant* tenant);

  Storage& store_;
  TenantDirectory directory_;
  const Shared shared_;
  const std::shared_ptr<Tenant> default_;
  mutable Mutex mutex_;
  TenantRates rates_ LOCKSTEP_GUARDED_BY(mutex_);
  std::vector<TenantLimits> limits_ LOCKSTEP_GUARDED_BY(mutex_);
  PastStats past_ LOCKSTEP_GUARDED_BY(mutex_);
  StringMap<std::weak_ptr<Tenant>> new_ LOCKSTEP_GUARDED_BY(mutex_);  // not in the directory
  StringMap<std::shared_ptr<Tenant>> active_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::tenants
