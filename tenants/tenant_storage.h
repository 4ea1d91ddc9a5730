// TenantStorage: one tenant's view of a store that several tenants share.
//
// Writes add the tenant's label to each series; reads select by it and remove it, so a tenant sees
// only its own data. While only the default tenant exists, calls go to the store unchanged. Safe
// from any thread.
#pragma once

#include <string>

#include "model/series_key.h"
#include "storage/storage.h"
#include "storage/storage_admin.h"
#include "tenants/tenant_entry.h"

namespace lockstep::tenants {

class TenantStorage : public Storage {
 public:
  // Both must outlive this. A tenant that is not in the directory has no samples; storing its first
  // samples adds it.
  TenantStorage(Storage& store, TenantEntry& entry)
      : store_(store), entry_(entry), tenant_(entry.tenant()), key_(tenant_) {}

  void Write(WriteRequest request, WriteCallback committed) override;
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  uint64_t change_count() const override { return store_.change_count(); }
  TimeRange UnchangedSince(uint64_t count) const override { return store_.UnchangedSince(count); }
  // Statistics of the whole store.
  StorageStats stats() const override { return store_.stats(); }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

 private:
  void WriteFirst(WriteRequest request, WriteCallback committed);

  Storage& store_;
  TenantEntry& entry_;
  const std::string tenant_;
  const TenantKey key_;
};

// `sets`, each restricted to the series of one tenant. If empty, returns one set that matches all
// of its series.
std::vector<std::vector<Matcher>> OfTenant(std::string_view tenant,
                                           std::span<const std::vector<Matcher>> sets);

}  // namespace lockstep::tenants
