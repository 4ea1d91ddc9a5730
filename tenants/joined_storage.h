// JoinedStorage: several tenants' data as one, as Grafana Mimir joins them: each series has a label
// __tenant_id__ with the name of its tenant. For reading alone; safe from any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "storage/storage.h"

namespace lockstep::tenants {

inline constexpr std::string_view kTenantIdLabel = "__tenant_id__";

struct NamedStorage {
  std::string id;  // as clients spell the tenant
  const Storage* storage = nullptr;
};

class JoinedStorage : public Storage {
 public:
  // The storages outlive it. Precondition: at least one; no id twice.
  explicit JoinedStorage(std::vector<NamedStorage> tenants) : tenants_(std::move(tenants)) {}

  // kPermissionDenied.
  void Write(WriteRequest request, WriteCallback committed) override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  StorageStats stats() const override { return tenants_.front().storage->stats(); }
  // kInvalidArgument: each tenant is counted by itself.
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

 private:
  const std::vector<NamedStorage> tenants_;
};

}  // namespace lockstep::tenants
