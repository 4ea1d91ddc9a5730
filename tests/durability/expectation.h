// Expectation: what a store must contain after its process was killed, derived from what it
// contained before and from what the process reported. A life is one run of the process. Each
// sample
//
//   must be there      if it was acknowledged or found after an earlier kill, and not deleted since
//   may be there       if its batch or its deletion was in progress at the kill, or both overlapped
//   must not be there  if its deletion was acknowledged, it has expired, or it was never sent
//
// A kill settles open cases: a sample found afterwards stays, one not found never appears.
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
  // `before` is the content of the store when the life began.
  Expectation(uint64_t seed, int64_t life, const Batch& before);

  // Call these in the order of the life's reports; then End().
  void Sent(const BatchName& name);
  // The store rejected these new series of the batch and acknowledged the rest.
  void Stored(const BatchName& name, const std::set<std::string>& rejected_series);
  void Deleting(int64_t number);
  void Deleted();
  // The store dropped everything before this time to stay within its budget.
  void Dropped(int64_t before_ms);
  void End();

  // Ends the process unless `found` is as expected.
  void Check(const Batch& found) const;
  // Whether the sample was sent in this life or was there before.
  bool MayHaveBeenThere(const LabelSet& labels, int64_t time_ms) const;

 private:
  // The sample of one series at one time.
  struct Expected {
    bool may_be_absent = true;
    std::vector<double> values;    // any of these is allowed
    size_t doomed_count = 0;       // how many of the first values the running deletion removes
    bool is_from_before = false;   // there when the life began, and not being deleted
    bool was_overwritten = false;  // in this life
  };
  using Series = std::map<int64_t, Expected>;
  struct Sending {
    Batch batch;
    std::vector<Deletion> deletions;  // that ran at the same time
    int64_t dropped_before_ms = 0;    // at the same time
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
