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

uint64_t MemoryBytes(const LabelPair& pair) {
  // Each posting stands for a pair id in the series' run, too.
  return sizeof(LabelPair) + pair.value.size() +
         pair.postings.size() * (sizeof(SeriesId) + sizeof(PairId));
}

}  // namespace

CardinalityStats CountCardinality(const LabelPairs& pairs, size_t limit) {
  Largest metrics(limit), values(limit), memory(limit), label_pairs(limit);
  for (const auto& [name, name_id] : pairs.names()) {
    uint64_t memory_bytes = 0;
    for (const auto& [value, pair_id] : pairs.values(name_id)) {
      const LabelPair& pair = pairs.pair(pair_id);
      if (name == kMetricName) metrics.Add(pair.value, pair.postings.size());
      label_pairs.Add(name + "=" + pair.value, pair.postings.size());
      memory_bytes += MemoryBytes(pair);
    }
    values.Add(name, pairs.values(name_id).size());
    memory.Add(name, memory_bytes);
  }
  return {metrics.Take(), values.Take(), memory.Take(), label_pairs.Take()};
}

}  // namespace lockstep
