// JoinedStorage: joins several tenants' data as Grafana Mimir does: each series gets a label
// __tenant_id__ with its tenant's name. Read-only; safe from any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "storage/storage.h"

namespace lockstep::tenants {

inline constexpr std::string_view kTenantIdLabel = "__tenant_id__";

struct NamedStorage {
  std::string id;  // the tenant's name as clients write it
  const Storage* storage = nullptr;
};

class JoinedStorage : public Storage {
 public:
  // The storages must outlive this. Precondition: at least one, and unique ids.
  explicit JoinedStorage(std::vector<NamedStorage> tenants) : tenants_(std::move(tenants)) {}

  // Always fails with kPermissionDenied.
  void Write(WriteRequest request, WriteCallback committed) override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  StorageStats stats() const override { return tenants_.front().storage->stats(); }
  // Always fails with kInvalidArgument: tenants are counted separately.
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

 private:
  const std::vector<NamedStorage> tenants_;
};

}  // namespace lockstep::tenants
