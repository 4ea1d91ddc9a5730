// Cardinality statistics of a store, for status pages: what has the most series. Plain data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/matcher.h"

namespace lockstep {

struct CardinalityQuery {
  size_t limit = 10;  // rows in each list
  // Only series that match all matchers of at least one set; if empty, all series.
  std::span<const std::vector<Matcher>> matcher_sets{};
};

struct NamedCount {
  std::string name;
  uint64_t count = 0;
  friend bool operator==(const NamedCount&, const NamedCount&) = default;
};

// Series that were added to the store, and series that left it with their last stored sample.
struct ChurnCount {
  std::string name;
  uint64_t appeared = 0;
  uint64_t left = 0;
  friend bool operator==(const ChurnCount&, const ChurnCount&) = default;
};

// Churn over a span of time that ends now, limited to the time since the store was opened.
struct ChurnStats {
  ChurnCount total;  // families without a name
  std::vector<ChurnCount> by_job;
  std::vector<ChurnCount> by_metric_name;
};

// Ten minutes, an hour, a day. The counts cover up to a tenth, a sixth or a 24th more than the
// span.
inline constexpr size_t kChurnSpanCount = 3;

// Lists are exact over all shards, sorted largest first, then by name.
struct CardinalityStats {
  uint64_t series_count = 0;
  uint64_t head_series_count = 0;  // series that also have samples in memory
  std::vector<NamedCount> series_by_job;
  std::vector<NamedCount> series_by_metric_name;
  std::vector<NamedCount> values_by_label_name;
  std::vector<NamedCount> bytes_by_label_name;   // bytes of its values, over all series
  std::vector<NamedCount> series_by_label_pair;  // name is "label=value"
  // By job and metric name only: other matchers do not narrow it.
  std::array<ChurnStats, kChurnSpanCount> churn;
  int64_t churn_since_ms = 0;  // when counting started
};

}  // namespace lockstep
