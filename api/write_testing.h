// What tests of write handlers share.
#pragma once

#include <memory>
#include <utility>

#include "storage/storage.h"

namespace lockstep::api {

// Answers every write as it is told to.
class FakeStorage : public Storage {
 public:
  void Write(WriteRequest request, WriteCallback committed) override {
    written_series_count += request.series.size();
    committed(answer);
  }
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override {
    return absl::UnimplementedError("no querier");
  }
  StorageStats stats() const override { return {}; }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery&) const override {
    return CardinalityStats();
  }

  absl::StatusOr<WriteOutcome> answer = WriteOutcome();
  size_t written_series_count = 0;
};

}  // namespace lockstep::api
