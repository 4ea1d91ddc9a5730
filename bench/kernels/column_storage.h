// ColumnStorage: series in columns in memory. Reading copies them, so that what a query costs is
// its evaluation.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/storage.h"

namespace lockstep {

// Read-only and thus thread-safe.
class ColumnStorage : public Storage {
 public:
  using Series = std::vector<std::pair<LabelSet, SampleColumns>>;

  // Precondition: `series` is sorted by labels.
  explicit ColumnStorage(Series series) : series_(std::move(series)) {}

  const Series& series() const { return series_; }

  void Write(WriteRequest request, WriteCallback committed) override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  StorageStats stats() const override { return {}; }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

 private:
  const Series series_;
};

}  // namespace lockstep
