// LabelSets: distinct label sets by number, with the inverted index over their pairs. One object
// holds the targets of a shard, another one its metrics.
//
// Threads: as for SeriesIndex, one writer or many readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "base/memory/sparse_array.h"
#include "base/string_map.h"
#include "model/labels.h"
#include "storage/index/label_pairs.h"
#include "storage/index/postings.h"

namespace lockstep {

class LabelSets {
 public:
  LabelSets() = default;
  LabelSets(const LabelSets&) = delete;
  LabelSets& operator=(const LabelSets&) = delete;

  // Preconditions: neither `id` nor `labels` is there. Fastest with ascending ids.
  void Add(uint32_t id, LabelSet labels);
  // Precondition: all are there, ascending. Rewrites every affected postings list once per call.
  void Remove(PostingsView ids);

  // Finds a set by the bytes of its LabelSet.
  std::optional<uint32_t> Find(std::string_view bytes) const;
  bool Has(uint32_t id) const { return sets_.Has(id); }
  // The reference lives until the set is removed. Precondition: it is there.
  const LabelSet& LabelsOf(uint32_t id) const { return sets_[id]; }
  // Calls visit(id, labels) for each, ids ascending.
  template <typename Visit>
  void ForEach(Visit visit) const {
    sets_.ForEach(visit);
  }
  // The same for ids from `first` to `last`, both inclusive.
  template <typename Visit>
  void ForEachFrom(uint32_t first, uint32_t last, Visit visit) const {
    sets_.ForEachFrom(first, last, visit);
  }
  size_t size() const { return sets_.size(); }
  // Packed size of all sets.
  size_t byte_count() const { return byte_count_; }
  // Greater than all ids that are there.
  size_t id_end() const { return sets_.number_end(); }

  // Their postings are ids of label sets.
  const LabelPairs& pairs() const { return pairs_; }

 private:
  // Allows lookups in the set of ids by bytes.
  struct IdHash {
    using is_transparent = void;
    size_t operator()(uint32_t id) const { return (*this)((*sets)[id].bytes()); }
    size_t operator()(std::string_view bytes) const { return StringHash()(bytes); }
    const SparseArray<LabelSet, 6>* sets;
  };
  struct IdEqual {
    using is_transparent = void;
    bool operator()(uint32_t a, uint32_t b) const { return a == b; }
    bool operator()(uint32_t id, std::string_view bytes) const {
      return (*sets)[id].bytes() == bytes;
    }
    const SparseArray<LabelSet, 6>* sets;
  };

  SparseArray<LabelSet, 6> sets_;
  absl::flat_hash_set<uint32_t, IdHash, IdEqual> ids_{0, IdHash{&sets_}, IdEqual{&sets_}};
  LabelPairs pairs_;
  size_t byte_count_ = 0;
};

}  // namespace lockstep
