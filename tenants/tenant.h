// Tenant: all that a server has of one tenant: its view of the store, and what is computed from it
// or kept beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "answers/derived_storage.h"
#include "ingest/gateway/push_groups.h"
#include "ingest/ingester.h"
#include "ingest/limits.h"
#include "ingest/otlp/metrics_request.h"
#include "ingest/otlp/translation.h"
#include "ingest/push/log_pusher.h"
#include "ingest/rate_limit.h"
#include "query/cache/range_cache.h"
#include "query/engine/engine.h"
#include "tenants/tenant_entry.h"
#include "tenants/tenant_rows.h"
#include "tenants/tenant_storage.h"

namespace lockstep::tenants {

struct TenantOptions {
  engine::EngineOptions engine{};
  size_t query_cache_bytes = 0;  // of all tenants together
  IngestLimits ingest{};
  otlp::Translation otlp{};
};

// What a tenant shares with all others.
struct Shared {
  Storage& store;
  TenantDirectory& directory;
  KeptRows* kept = nullptr;  // null: nothing is kept
  std::shared_ptr<RateLimit> rate_limit;
  TenantOptions options;
};

// Safe from any thread. Members are used directly: they know how to be shared.
class Tenant {
 public:
  // The default tenant, whose threads and bounds of memory the others use too. What `shared` refers
  // to outlives it.
  explicit Tenant(const Shared& shared);
  // Another one. `limits` are its own. `entered` is called when it comes into the directory.
  Tenant(const Shared& shared, std::string tenant, const IngestLimits& limits,
         const Tenant& default_tenant, std::function<void()> entered = {});
  Tenant(const Tenant&) = delete;
  Tenant& operator=(const Tenant&) = delete;

  const std::string name;  // in the store; "" of the default tenant

  // Whether it is in the directory. As long as it is not, whoever writes keeps the tenant until the
  // store has answered.
  TenantEntry entry;

 private:
  void KeepSideData();

  std::unique_ptr<TenantRows> rows_;  // null: nothing is kept

 public:
  TenantStorage written;            // what was sent
  answers::DerivedStorage storage;  // and what is computed from it
  engine::Engine engine;
  engine::Engine rule_engine;  // on the thread of its caller alone
  cache::RangeCache range_cache;
  Ingester ingester;
  otlp::MetricsDecoder otlp_decoder;
  push::LogPusher pusher;
  gateway::PushGroups push_groups{};
};

}  // namespace lockstep::tenants
