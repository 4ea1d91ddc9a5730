// DerivedStorage: a store in which derived metrics look like stored ones.
//
// Computes a derived metric if a selection names it. For a name regex that begins with "lockstep_",
// computes the derived metrics that match and adds stored series with other names. All other
// selections go to the underlying store, which is borrowed and must outlive this. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "annotations/annotation_store.h"
#include "answers/live_jobs.h"
#include "base/threads/task_pool.h"
#include "storage/storage.h"

namespace lockstep::answers {

class DerivedStorage : public Storage {
 public:
  // `threads` threads read a job together. `annotations` must outlive this; null: there are none.
  DerivedStorage(Storage& stored, size_t threads,
                 const annotations::AnnotationStore* annotations = nullptr)
      : stored_(stored),
        annotations_(annotations),
        pool_(std::make_shared<TaskPool>(threads - 1)),
        live_(stored, kMostLiveCells) {}
  // For another tenant; shares the threads of `other` and its limit on live jobs.
  DerivedStorage(Storage& stored, std::string tenant, const DerivedStorage& other,
                 const annotations::AnnotationStore* annotations = nullptr)
      : stored_(stored),
        annotations_(annotations),
        pool_(other.pool_),
        live_(stored, std::move(tenant), other.live_) {}

  void Write(WriteRequest request, WriteCallback committed) override;
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  uint64_t change_count() const override { return stored_.change_count(); }
  TimeRange UnchangedSince(uint64_t count) const override { return stored_.UnchangedSince(count); }
  StorageStats stats() const override { return stored_.stats(); }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

  // The running jobs, for other callers that need the same answers.
  LiveJobs& live_jobs() const { return live_; }

 private:
  // Each cell takes up to 120 bytes.
  static constexpr size_t kMostLiveCells = 12'000'000;

  Storage& stored_;
  const annotations::AnnotationStore* const annotations_;
  const std::shared_ptr<TaskPool> pool_;
  mutable LiveJobs live_;
};

}  // namespace lockstep::answers
