// PartNumbers: gives the targets of a shard their numbers, or its metrics (storage/index/label_split.h),
// and stages new ones until they are durable.
//
// Parts of one tenant with the same value of one label are a group: targets of one job, metrics of one name.
// Groups have numbers too, in memory alone, which are used again.
//
// For the shard's writer thread alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/sparse_array.h"
#include "base/string_map.h"
#include "model/labels.h"
#include "storage/index/label_sets.h"
#include "storage/index/postings.h"

namespace lockstep {

class PartNumbers {
 public:
  struct Part {
    uint32_t number = 0;
    uint32_t group = 0;
  };
  struct Staged {
    uint32_t number = 0;
    LabelSet labels;
    size_t series_count = 0;  // that were staged with it
  };

  // `known` has the parts that are durable; it and `group_label` must outlive this.
  PartNumbers(const LabelSets& known, std::string_view group_label)
      : known_(known), group_label_(group_label) {}

  // The part of a new series, by its packed labels; staged if it is new too. Its number is above all that
  // were given out before, even if those are rolled back.
  Part Stage(std::string_view labels);
  const std::vector<Staged>& staged() const { return staged_; }
  // What the rows of the staged parts have in labels.
  size_t staged_byte_count() const { return staged_byte_count_; }
  // Returns them; the caller makes them known.
  std::vector<Staged> CommitStaged();
  void RollbackStaged();

  // A part from disk, which is known now.
  void Load(uint32_t number, const LabelSet& labels);
  // A number that may not be given out again, though no part has it.
  void Skip(uint32_t number);
  // Parts that are not known any more. Precondition: none of their numbers is staged.
  void Forget(PostingsView numbers);
  // Precondition: the number is of a part that was staged or loaded and neither rolled back nor forgotten.
  uint32_t GroupOf(uint32_t number) const { return group_of_[number]; }
  // Its label's value. Precondition: a part of the group is there.
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

  std::vector<Staged> staged_;  // numbers follow each other
  StringMap<uint32_t> staged_numbers_;
  size_t staged_byte_count_ = 0;

  // The part of the last series: most often the next one has the same target.
  std::string last_labels_;
  uint32_t last_number_ = 0;
  bool has_last_ = false;

  SparseArray<uint32_t, 8> group_of_;
  std::vector<Group> groups_;
  std::vector<uint32_t> free_groups_;
  StringMap<uint32_t> group_numbers_;
};

}  // namespace lockstep
