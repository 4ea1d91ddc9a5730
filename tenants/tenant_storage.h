// TenantStorage: what one tenant sees of a store that several share.
//
// Writing gives each series the tenant's label, reading asks for it and takes it away again: the
// tenant's data look as if nobody else had any. As long as there is no tenant but the default one,
// its calls go to the store as they are. Safe from any thread.
#pragma once

#include <string>

#include "model/series_key.h"
#include "storage/storage.h"
#include "storage/storage_admin.h"
#include "tenants/tenant_entry.h"

namespace lockstep::tenants {

class TenantStorage : public Storage {
 public:
  // Both outlive it. A tenant that is not in the directory has no samples; with the first that are
  // stored it is there.
  TenantStorage(Storage& store, TenantEntry& entry)
      : store_(store), entry_(entry), tenant_(entry.tenant()), key_(tenant_) {}

  void Write(WriteRequest request, WriteCallback committed) override;
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  uint64_t change_count() const override { return store_.change_count(); }
  TimeRange UnchangedSince(uint64_t count) const override { return store_.UnchangedSince(count); }
  // The store's.
  StorageStats stats() const override { return store_.stats(); }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

 private:
  void WriteFirst(WriteRequest request, WriteCallback committed);

  Storage& store_;
  TenantEntry& entry_;
  const std::string tenant_;
  const TenantKey key_;
};

// `sets`, each held to the series of one tenant. Without sets, one that all of its series match.
std::vector<std::vector<Matcher>> OfTenant(std::string_view tenant,
                                           std::span<const std::vector<Matcher>> sets);

}  // namespace lockstep::tenants
