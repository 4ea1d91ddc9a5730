// Tenant: everything a server holds for one tenant: its view of the store, and what is computed
// from it or kept with it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "annotations/annotation_store.h"
#include "answers/derived/derived_storage.h"
#include "answers/lateness_cache.h"
#include "hang/kept/kept_dumps.h"
#include "ingest/gateway/push_groups.h"
#include "ingest/ingester.h"
#include "ingest/otlp/metrics_request.h"
#include "ingest/otlp/names/translation.h"
#include "ingest/push/log_pusher.h"
#include "ingest/rate_limit.h"
#include "ingest/write/limits.h"
#include "model/labels.h"
#include "query/cache/range_cache.h"
#include "query/engine/engine.h"
#include "tenants/tenant_entry.h"
#include "tenants/tenant_rows.h"
#include "tenants/tenant_storage.h"

namespace lockstep::tenants {

struct TenantOptions {
  engine::EngineOptions engine{};
  size_t query_cache_bytes = 0;  // over all tenants
  IngestLimits ingest{};
  otlp::Translation otlp{};
  // The earliest time of which samples of a series are kept; empty: all are kept.
  std::function<int64_t(const LabelSet& series)> earliest_kept_ms{};
};

// The state that all tenants share.
struct Shared {
  Storage& store;
  TenantDirectory& directory;
  KeptRows* kept = nullptr;  // null: nothing is persisted
  std::shared_ptr<RateLimit> rate_limit;
  std::shared_ptr<annotations::AnnotationTotal> annotation_total;
  std::shared_ptr<hang::DumpTotal> dump_total;
  TenantOptions options;
};

// Safe from any thread. Members are used directly, because they are thread-safe themselves.
class Tenant {
 public:
  // The default tenant, whose threads and memory limits the others share. What `shared` refers to
  // must outlive it.
  explicit Tenant(const Shared& shared);
  // Any other tenant, with its own `limits`. Calls `entered` when it is added to the directory.
  Tenant(const Shared& shared, std::string tenant, const IngestLimits& limits,
         const Tenant& default_tenant, std::function<void()> entered = {});
  Tenant(const Tenant&) = delete;
  Tenant& operator=(const Tenant&) = delete;

  const std::string name;  // as in the store; "" for the default tenant

  // Whether it is in the directory. Until then, every writer must keep the tenant alive until the
  // store has responded.
  TenantEntry entry;

 private:
  void KeepSideData();

  std::unique_ptr<TenantRows> rows_;  // null: nothing is persisted

 public:
  TenantStorage written;  // written samples
  annotations::AnnotationStore annotations;
  answers::DerivedStorage storage;  // also includes derived samples
  answers::LatenessCache lateness{};
  engine::Engine engine;
  engine::Engine rule_engine;  // runs only on its caller's thread
  cache::RangeCache range_cache;
  Ingester ingester;
  otlp::MetricsDecoder otlp_decoder;
  push::LogPusher pusher;
  hang::KeptDumps dumps;
  gateway::PushGroups push_groups{};
};

}  // namespace lockstep::tenants
