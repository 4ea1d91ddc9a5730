// DerivedStorage: a store in which derived metrics look like stored ones.
//
// A selection whose metric name is that of a derived metric is answered by computing it, and one whose names are a regular
// expression that begins with "lockstep_" by computing those that match, beside what is stored under other names; every
// other one goes to the store beneath, which is borrowed and must outlive this. Safe from any thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "answers/live_jobs.h"
#include "base/task_pool.h"
#include "storage/storage.h"

namespace lockstep::answers {

class DerivedStorage : public Storage {
 public:
  // `threads` of them read a job together.
  DerivedStorage(Storage& stored, size_t threads)
      : stored_(stored),
        pool_(std::make_shared<TaskPool>(threads - 1)),
        live_(stored, kMostLiveCells) {}
  // For another tenant than that of `other`; shares its threads and its bound on live jobs.
  DerivedStorage(Storage& stored, std::string tenant, const DerivedStorage& other)
      : stored_(stored), pool_(other.pool_), live_(stored, std::move(tenant), other.live_) {}

  void Write(WriteRequest request, WriteCallback committed) override;
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  uint64_t change_count() const override { return stored_.change_count(); }
  TimeRange UnchangedSince(uint64_t count) const override { return stored_.UnchangedSince(count); }
  StorageStats stats() const override { return stored_.stats(); }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

  // What is known of the jobs that run: for others who answer the same questions.
  LiveJobs& live_jobs() const { return live_; }

 private:
  // Each takes up to 120 bytes.
  static constexpr size_t kMostLiveCells = 12'000'000;

  Storage& stored_;
  const std::shared_ptr<TaskPool> pool_;
  mutable LiveJobs live_;
};

}  // namespace lockstep::answers
