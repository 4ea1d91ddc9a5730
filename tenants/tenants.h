// Tenants: the tenants of a server, each made when it is first asked for.
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
  // `store` and `kept` outlive it and the last answer of the store; `kept` may be null.
  Tenants(Storage& store, KeptRows* kept, TenantOptions options);
  Tenants(const Tenants&) = delete;
  Tenants& operator=(const Tenants&) = delete;

  // Finds those that the store knows. Call it once, before all else.
  absl::Status Load();

  // Names are those of model/tenant.h.
  Tenant& Default() { return *default_; }
  // A tenant of which nothing is kept has no data, and is made for the caller alone.
  std::shared_ptr<Tenant> ForReading(std::string_view name);
  // A tenant that is new is there for good once something of it is kept, and until then as long as
  // somebody has it: whoever writes keeps it until the answer. kResourceExhausted: there are as many
  // as there may be.
  absl::StatusOr<std::shared_ptr<Tenant>> ForWriting(std::string_view name);

  // From here on, for all tenants.
  void SetLimits(const TenantRates& rates, std::vector<TenantLimits> limits);

  // Those that have been asked for since the start, the default tenant among them.
  std::vector<std::shared_ptr<const Tenant>> active() const;
  // What came in of tenants of which nothing was kept, and that are gone.
  struct PastStats {
    IngestStats ingest;
    push::PushStats push;
  };
  PastStats past_stats() const;
  const TenantDirectory& directory() const { return directory_; }

 private:
  IngestLimits LimitsOf(std::string_view name) const LOCKSTEP_REQUIRES(mutex_);
  std::shared_ptr<Tenant> Get(std::string_view name);
  // The tenant of this name that is not in the directory yet; null if nobody has it.
  std::shared_ptr<Tenant> FindNew(std::string_view name) LOCKSTEP_REQUIRES(mutex_);
  std::shared_ptr<Tenant> Make(std::string_view name) LOCKSTEP_REQUIRES(mutex_);
  // It is in the directory by now.
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
