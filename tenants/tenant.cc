#include "tenants/tenant.h"

#include <algorithm>
#include <utility>

#include "model/tenant.h"

namespace lockstep::tenants {
namespace {

engine::EngineOptions OnOneThread(engine::EngineOptions options) {
  options.threads = 1;
  return options;
}

std::unique_ptr<TenantRows> RowsOf(KeptRows* kept, TenantEntry& entry) {
  return kept == nullptr ? nullptr : std::make_unique<TenantRows>(*kept, entry);
}

// Annotations are kept as long as a series lockstep_annotation of the tenant and the job.
annotations::EarliestKeptMs EarliestKeptMsOf(const TenantOptions& options, std::string tenant) {
  if (!options.earliest_kept_ms) return {};
  return [of_series = options.earliest_kept_ms, tenant = std::move(tenant)](std::string_view job) {
    return of_series(
        LabelSet::Of({{kMetricName, "lockstep_annotation"}, {"job", job}, {kTenantLabel, tenant}}));
  };
}

}  // namespace

Tenant::Tenant(const Shared& shared)
    : entry(shared.directory, ""),
      rows_(RowsOf(shared.kept, entry)),
      written(shared.store, entry),
      annotations(rows_.get(), *shared.annotation_total, EarliestKeptMsOf(shared.options, "")),
      storage(written, std::max<size_t>(shared.options.engine.threads, 1), &annotations),
      engine(storage, shared.options.engine),
      rule_engine(storage, OnOneThread(shared.options.engine)),
      range_cache(engine, storage, shared.options.query_cache_bytes),
      ingester(written, shared.options.ingest, shared.rate_limit),
      otlp_decoder(shared.options.otlp),
      pusher(ingester, shared.options.ingest, rows_.get()),
      dumps(rows_.get(), {}, shared.dump_total.get()) {
  KeepSideData();
}

Tenant::Tenant(const Shared& shared, std::string tenant, const IngestLimits& limits,
               const Tenant& default_tenant, std::function<void()> entered)
    : name(std::move(tenant)),
      entry(shared.directory, name),
      rows_(RowsOf(shared.kept, entry)),
      written(shared.store, entry),
      annotations(rows_.get(), *shared.annotation_total, EarliestKeptMsOf(shared.options, name)),
      storage(written, name, default_tenant.storage, &annotations),
      engine(storage, default_tenant.engine),
      rule_engine(storage, default_tenant.rule_engine),
      range_cache(engine, storage, name, default_tenant.range_cache),
      ingester(written, limits, shared.rate_limit),
      otlp_decoder(shared.options.otlp),
      pusher(ingester, limits, rows_.get()),
      dumps(rows_.get(), {}, shared.dump_total.get()) {
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
