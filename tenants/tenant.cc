#include "tenants/tenant.h"

#include <algorithm>
#include <utility>

namespace lockstep::tenants {
namespace {

engine::EngineOptions OnOneThread(engine::EngineOptions options) {
  options.threads = 1;
  return options;
}

std::optional<TenantRows> RowsOf(KeptRows* kept, std::optional<uint32_t> number) {
  if (kept == nullptr || !number.has_value()) return std::nullopt;
  return TenantRows(*kept, *number);
}

}  // namespace

Tenant::Tenant(const Shared& shared)
    : rows_(RowsOf(shared.kept, 0)),
      written(shared.store, shared.directory, ""),
      storage(written, std::max<size_t>(shared.options.engine.threads, 1)),
      engine(storage, shared.options.engine),
      rule_engine(storage, OnOneThread(shared.options.engine)),
      range_cache(engine, storage, shared.options.query_cache_bytes),
      ingester(written, shared.options.ingest, shared.rate_limit),
      otlp_decoder(shared.options.otlp),
      pusher(ingester, shared.options.ingest, rows_.has_value() ? &*rows_ : nullptr) {
  if (rows_.has_value()) ingester.KeepSideData(*rows_);
}

Tenant::Tenant(const Shared& shared, std::string tenant, std::optional<uint32_t> number,
               const IngestLimits& limits, const Tenant& default_tenant)
    : name(std::move(tenant)),
      rows_(RowsOf(shared.kept, number)),
      written(shared.store, shared.directory, name),
      storage(written, name, default_tenant.storage),
      engine(storage, default_tenant.engine),
      rule_engine(storage, default_tenant.rule_engine),
      range_cache(engine, storage, name, default_tenant.range_cache),
      ingester(written, limits, shared.rate_limit),
      otlp_decoder(shared.options.otlp),
      pusher(ingester, limits, rows_.has_value() ? &*rows_ : nullptr) {
  if (rows_.has_value()) ingester.KeepSideData(*rows_);
}

}  // namespace lockstep::tenants
