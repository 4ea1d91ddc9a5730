// Helpers for tests of write requests.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "storage/kept_rows.h"
#include "storage/storage.h"

namespace lockstep {

// Floats of one series and a native histogram of another.
inline WriteRequest SampleRequest() {
  WriteRequest request;
  Histogram h;
  h.schema = 2;
  h.count = 7;
  h.sum = -1.5;
  h.zero_threshold = 0.1;
  h.zero_count = 1;
  h.positive_spans = {{-3, 2}, {4, 1}};
  h.positive_counts = {1, 2, 1};
  h.negative_spans = {{0, 1}};
  h.negative_counts = {2};
  h.reset_hint = CounterResetHint::kGauge;
  request.series.push_back({LabelSet::Of({{"__name__", "up"}, {"job", "x"}}),
                            {{1700000000000, 1.5}, {1700000015000, -0.0}},
                            {}});
  request.series.push_back({LabelSet::Of({{"__name__", "latency"}}),
                            {},
                            {{1700000000000, std::make_shared<const Histogram>(h)}}});
  return request;
}

// Keeps the last request and answers each with `answer`.
class FakeStorage : public Storage {
 public:
  void Write(WriteRequest request, WriteCallback committed) override {
    ++write_count;
    written_series_count += request.series.size();
    last_request = std::move(request);
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
  int write_count = 0;
  size_t written_series_count = 0;
  WriteRequest last_request;
};

// Knows one series.
class KnowsOne : public FakeStorage {
 public:
  explicit KnowsOne(const LabelSet& labels) : key_(SeriesKeyOf(labels)) {}
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override {
    for (size_t i = 0; i < keys.size(); ++i) refs[i] = keys[i] == key_ ? kRef : SeriesRef();
  }

  static constexpr SeriesRef kRef{3, 7};

 private:
  const SeriesKey key_;
};

// KeptRows without a store.
class KeptRowsInMemory : public KeptRows {
 public:
  absl::StatusOr<std::vector<KeptRow>> ReadKept(KeptKind kind) const override {
    const MutexLock lock(mutex_);
    std::vector<KeptRow> rows;
    for (const auto& [key, bytes] : rows_) {
      if (key.first == kind) rows.push_back({key.second, bytes});
    }
    return rows;
  }
  absl::StatusOr<std::optional<std::string>> ReadKept(KeptKind kind,
                                                      uint32_t number) const override {
    const MutexLock lock(mutex_);
    const auto found = rows_.find({kind, number});
    if (found == rows_.end()) return std::optional<std::string>();
    return found->second;
  }
  absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) override {
    const MutexLock lock(mutex_);
    for (const KeptRow& row : rows) {
      if (row.bytes.empty()) {
        rows_.erase({kind, row.number});
      } else {
        rows_[{kind, row.number}] = row.bytes;
      }
    }
    return absl::OkStatus();
  }
  void Damage(KeptKind kind, uint32_t number) {
    const MutexLock lock(mutex_);
    rows_[{kind, number}] = "\xff";
  }

 private:
  mutable Mutex mutex_;
  std::map<std::pair<KeptKind, uint32_t>, std::string> rows_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
