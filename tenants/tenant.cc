#include "tenants/tenant.h"

#include <algorithm>
#include <utility>

namespace lockstep::tenants {
namespace {

engine::EngineOptions OnOneThread(engine::EngineOptions options) {
  options.threads = 1;
  return options;
}

std::unique_ptr<TenantRows> RowsOf(KeptRows* kept, TenantEntry& entry) {
  return kept == nullptr ? nullptr : std::make_unique<TenantRows>(*kept, entry);
}

}  // namespace

Tenant::Tenant(const Shared& shared)
    : entry(shared.directory, ""),
      rows_(RowsOf(shared.kept, entry)),
      written(shared.store, entry),
      storage(written, std::max<size_t>(shared.options.engine.threads, 1)),
      engine(storage, shared.options.engine),
      rule_engine(storage, OnOneThread(shared.options.engine)),
      range_cache(engine, storage, shared.options.query_cache_bytes),
      ingester(written, shared.options.ingest, shared.rate_limit),
      otlp_decoder(shared.options.otlp),
      pusher(ingester, shared.options.ingest, rows_.get()),
      dumps(rows_.get()) {
  KeepSideData();
}

Tenant::Tenant(const Shared& shared, std::string tenant, const IngestLimits& limits,
               const Tenant& default_tenant, std::function<void()> entered)
    : name(std::move(tenant)),
      entry(shared.directory, name),
      rows_(RowsOf(shared.kept, entry)),
      written(shared.store, entry),
      storage(written, name, default_tenant.storage),
      engine(storage, default_tenant.engine),
      rule_engine(storage, default_tenant.rule_engine),
      range_cache(engine, storage, name, default_tenant.range_cache),
      ingester(written, limits, shared.rate_limit),
      otlp_decoder(shared.options.otlp),
      pusher(ingester, limits, rows_.get()),
      dumps(rows_.get()) {
  if (entry.number().has_value()) {
    KeepSideData();
    return;
  }
  ingester.AwaitStored([this] { return entry.Enter().status(); });
  entry.SetEntered([this, entered = std::move(entered)] {
    KeepSideData();
    if (entered) entered();
  });
}

void Tenant::KeepSideData() {
  if (rows_ != nullptr) ingester.KeepSideData(*rows_);
  ingester.StopAwaiting();
}

}  // namespace lockstep::tenants
