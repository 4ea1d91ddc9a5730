// Expectation: what a store has to have after a life that was killed, from what it had before and from
// what the life said while it ran. Of each sample one of three things holds:
//
//   it is there      it was acknowledged, or found after an earlier death, and nothing deleted it since
//   it may be there  nobody answered for it: its batch, or what deletes it, was under way at the death, or
//                    both were at the same time
//   it is not there  its deletion was acknowledged, it has expired, or nobody sent it
//
// A death decides what was open: what was found after it is there, and what was not found never comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/labels.h"
#include "tests/durability/load.h"

namespace lockstep {

class Expectation {
 public:
  // `before` is all that the store had when the life began.
  Expectation(uint64_t seed, int64_t life, const Batch& before);

  // In the order in which the life said so; then End().
  void Sent(const BatchName& name);
  // The store refused new series of the batch, and acknowledged the rest of it.
  void Stored(const BatchName& name, const std::set<std::string>& rejected_series);
  void Deleting(int64_t number);
  void Deleted();
  // To keep within the budget, all that was before.
  void Dropped(int64_t before_ms);
  void End();

  // Fails unless the store has what it has to have, and nothing else.
  void Check(const Batch& found) const;
  // Whether anybody may have sent it in this life, or it was there before.
  bool MayHaveBeenThere(const LabelSet& labels, int64_t time_ms) const;

 private:
  // At one time of one series.
  struct Expected {
    bool may_be_absent = true;
    std::vector<double> values;    // any of these
    size_t doomed_count = 0;       // so many of the first ones go when the deletion that runs ends
    bool is_from_before = false;   // it was there when the life began, and nothing deletes it
    bool was_overwritten = false;  // in this life
  };
  using Series = std::map<int64_t, Expected>;
  struct Sending {
    Batch batch;
    std::vector<Deletion> deletions;  // that ran meanwhile
    int64_t dropped_before_ms = 0;    // meanwhile
  };

  void CheckSeries(const LabelSet& labels, const Series& series, const Times& found) const;
  template <typename Change>
  void ForEachIn(const Deletion& deletion, Change change);
  bool MayBeGone(const Sending& sending, const LabelSet& labels, int64_t time_ms) const;
  int64_t EndOfOldestWindow() const;

  const uint64_t seed_;
  const int64_t life_;
  std::map<LabelSet, Series> series_;
  std::map<int64_t, Sending> sending_;  // by writer
  std::optional<Deletion> deleting_;
};

}  // namespace lockstep
