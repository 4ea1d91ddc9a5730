// JobStorage: what a reader who is held to some jobs sees of a store. For reading alone; safe from
// any thread.
#pragma once

#include <utility>

#include "model/matcher.h"
#include "storage/storage.h"

namespace lockstep::tenants {

class JobStorage : public Storage {
 public:
  // `stored` outlives it. `jobs` is a condition on the label "job".
  JobStorage(const Storage& stored, Matcher jobs) : stored_(stored), jobs_(std::move(jobs)) {}

  // kPermissionDenied.
  void Write(WriteRequest request, WriteCallback committed) override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  uint64_t change_count() const override { return stored_.change_count(); }
  TimeRange UnchangedSince(uint64_t count) const override { return stored_.UnchangedSince(count); }
  StorageStats stats() const override { return stored_.stats(); }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

 private:
  const Storage& stored_;
  const Matcher jobs_;
};

}  // namespace lockstep::tenants
