#include "storage/index/cardinality.h"

#include <algorithm>

namespace lockstep {
namespace {

// Precondition for the whole: rows are added once each.
class Largest {
 public:
  explicit Largest(size_t limit) : limit_(limit) {}

  void Add(std::string name, uint64_t count) { rows_.push_back({std::move(name), count}); }

  std::vector<LabelPairCount> Take() {
    const size_t kept = std::min(limit_, rows_.size());
    std::partial_sort(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(kept), rows_.end(),
                      [](const LabelPairCount& a, const LabelPairCount& b) {
                        return a.count != b.count ? a.count > b.count : a.name < b.name;
                      });
    rows_.resize(kept);
    return std::move(rows_);
  }

 private:
  const size_t limit_;
  std::vector<LabelPairCount> rows_;
};

uint64_t MemoryBytes(std::string_view name, const LabelPair& pair) {
  // A label in a set has a length byte for its name and one for its value.
  const size_t label_bytes = name.size() + pair.value.size() + 2;
  return sizeof(LabelPair) + pair.value.size() +
         pair.postings.size() * (sizeof(uint32_t) + label_bytes);
}

class Counter {
 public:
  explicit Counter(size_t limit) : metrics_(limit), values_(limit), memory_(limit), pairs_(limit) {}

  // `count` gives the series of one label set.
  template <typename Count>
  void Add(const LabelPairs& pairs, Count count) {
    for (const auto& [name, name_id] : pairs.names()) {
      uint64_t memory_bytes = 0;
      for (const auto& [value, pair_id] : pairs.values(name_id)) {
        const LabelPair& pair = pairs.pair(pair_id);
        uint64_t series_count = 0;
        for (const uint32_t id : pair.postings) series_count += count(id);
        if (name == kMetricName) metrics_.Add(pair.value, series_count);
        pairs_.Add(name + "=" + pair.value, series_count);
        memory_bytes += MemoryBytes(name, pair);
      }
      values_.Add(name, pairs.values(name_id).size());
      memory_.Add(name, memory_bytes);
    }
  }

  CardinalityStats Take() {
    return {metrics_.Take(), values_.Take(), memory_.Take(), pairs_.Take()};
  }

 private:
  Largest metrics_;
  Largest values_;
  Largest memory_;
  Largest pairs_;
};

}  // namespace

CardinalityStats CountCardinality(const LabelSets& targets, const LabelSets& metrics,
                                  const SeriesTable& series, size_t limit) {
  Counter counter(limit);
  counter.Add(targets.pairs(), [&series](TargetId id) { return series.OfTarget(id).size(); });
  counter.Add(metrics.pairs(), [&series](MetricId id) { return series.OfMetric(id).size(); });
  return counter.Take();
}

}  // namespace lockstep
