// What takes the most room among the series of a store, counted: for status pages. Plain data.
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
  size_t limit = 10;  // rows of each list
  // Only series that match all of one of the sets; none: all series.
  std::span<const std::vector<Matcher>> matcher_sets{};
};

struct NamedCount {
  std::string name;
  uint64_t count = 0;
  friend bool operator==(const NamedCount&, const NamedCount&) = default;
};

// Series that became known to the store, and series that left it with their last stored sample.
struct ChurnCount {
  std::string name;
  uint64_t appeared = 0;
  uint64_t left = 0;
  friend bool operator==(const ChurnCount&, const ChurnCount&) = default;
};

// Of one span of time up to now, and of the part of it that lies after the start of the store.
struct ChurnStats {
  ChurnCount total;  // without a name
  std::vector<ChurnCount> by_job;
  std::vector<ChurnCount> by_metric_name;
};

inline constexpr size_t kChurnSpanCount = 3;
// Ten minutes, an hour, a day. What is counted covers up to a tenth, a sixth, a 24th more.
inline constexpr std::array<int64_t, kChurnSpanCount> kChurnSpansMs = {600'000, 3'600'000,
                                                                       86'400'000};

// Lists are exact over all shards, largest first, ties in order of name.
struct CardinalityStats {
  uint64_t series_count = 0;
  uint64_t head_series_count = 0;  // of them, those with samples in memory
  std::vector<NamedCount> series_by_job;
  std::vector<NamedCount> series_by_metric_name;
  std::vector<NamedCount> values_by_label_name;
  std::vector<NamedCount> bytes_by_label_name;   // of its values, in all series
  std::vector<NamedCount> series_by_label_pair;  // name is "label=value"
  // By job and metric name alone: other matchers do not narrow it.
  std::array<ChurnStats, kChurnSpanCount> churn;
  int64_t churn_since_ms = 0;  // when counting began
};

}  // namespace lockstep
