// The numbers of the targets, metrics and families of a shard. All are used only by the shard's
// writer thread.
//
// Parts are targets or metrics (storage/index/label_split.h). Parts of one tenant with the same
// value of one label form a group: targets of one job, or metrics of one name. Groups have numbers
// too, only in memory, and these are reused. A family is a pair of groups: a job and a metric name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/memory/sparse_array.h"
#include "base/string_map.h"
#include "model/labels.h"
#include "storage/db/series/series_place.h"
#include "storage/index/label_sets.h"
#include "storage/index/postings.h"

namespace lockstep {

// Numbers the targets or the metrics, and stages new ones until they are durable.
class PartNumbers {
 public:
  struct Part {
    uint32_t number = 0;
    uint32_t group = 0;
  };
  struct Staged {
    uint32_t number = 0;
    LabelSet labels;
    size_t series_count = 0;  // staged with it
  };

  // `known` has the durable parts; it and `group_label` must outlive this.
  PartNumbers(const LabelSets& known, std::string_view group_label)
      : known_(known), group_label_(group_label) {}

  // The part of a new series, by its packed labels; a new part is staged too. Its number is above
  // all that were given out before, even if those were rolled back.
  Part Stage(std::string_view labels);
  const std::vector<Staged>& staged() const { return staged_; }
  // The number of label bytes in the rows of the staged parts.
  size_t staged_byte_count() const { return staged_byte_count_; }
  // Returns the staged parts; the caller makes them known.
  std::vector<Staged> CommitStaged();
  void RollbackStaged();

  // Adds a part from disk, which is now known.
  void Load(uint32_t number, const LabelSet& labels);
  // A number that must not be given out again, though no part has it.
  void Skip(uint32_t number);
  // Removes parts that are no longer known. Precondition: none of their numbers is staged.
  void Forget(PostingsView numbers);
  // Precondition: the number belongs to a part that was staged or loaded and neither rolled back
  // nor forgotten.
  uint32_t GroupOf(uint32_t number) const { return group_of_[number]; }
  // The value of the group's label. Precondition: the group has a part.
  const std::string& ValueOfGroup(uint32_t group) const { return groups_[group].value; }

 private:
  struct Group {
    std::string value;
    size_t part_count = 0;
  };

  uint32_t TakeGroup(const LabelSet& labels);
  void ReleaseGroup(uint32_t group);
  uint32_t Find(std::string_view labels);

  const LabelSets& known_;
  const std::string_view group_label_;
  uint32_t next_number_ = 0;

  std::vector<Staged> staged_;  // consecutive numbers
  StringMap<uint32_t> staged_numbers_;
  size_t staged_byte_count_ = 0;

  // The part of the last series: the next one usually has the same target.
  std::string last_labels_;
  uint32_t last_number_ = 0;
  bool has_last_ = false;

  SparseArray<uint32_t, 8> group_of_;
  std::vector<Group> groups_;
  std::vector<uint32_t> free_groups_;
  StringMap<uint32_t> group_numbers_;
};

struct FamilyKey {
  uint32_t job = 0;
  uint32_t name = 0;
  friend bool operator==(const FamilyKey&, const FamilyKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const FamilyKey& key) {
    return H::combine(std::move(h), key.job, key.name);
  }
};

// The families that have series, and the places in them.
class FamilyTable {
 public:
  // Returns a place for a new series. No place is given out twice, even if the series is rolled
  // back or removed.
  SeriesPlace Take(FamilyKey key);
  // Adds a series from disk, which already has its place.
  void Load(FamilyKey key, SeriesPlace place);
  // Removes a series. A family without series is forgotten; if it comes back it gets another
  // number.
  void Release(FamilyKey key);

  size_t size() const { return families_.size(); }

 private:
  struct Family {
    uint32_t number = 0;
    uint32_t next_ordinal = 0;
    uint32_t series_count = 0;
  };

  absl::flat_hash_map<FamilyKey, Family> families_;
  uint32_t next_number_ = 0;
};

}  // namespace lockstep
