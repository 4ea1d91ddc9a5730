// ExcessMemo: the excess over peers of a table that grows, compared where it is new.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "training/excess.h"
#include "training/rank_mask.h"
#include "training/rank_matrix.h"

namespace lockstep::training {

// For one question at a time.
class ExcessMemo {
 public:
  // As ExcessOverPeers(comparison, masked). Columns of which the values, the divisor and the marks are those of the same
  // step in the question before are taken from there. `step` has one for each column, ascending. What is returned is
  // written again by the next question, or copied for it where somebody still holds it.
  std::shared_ptr<const RankMatrix> Excess(const PeerComparison& comparison,
                                           std::span<const int64_t> step, const RankMask& masked);

 private:
  size_t KeepColumns(const PeerComparison& comparison, std::span<const int64_t> step);
  void DropColumns(size_t count);
  std::vector<bool> TakeChanges(const PeerComparison& comparison, const RankMask& masked,
                                size_t kept);

  std::vector<int64_t> step_;
  std::vector<std::vector<size_t>> groups_;
  RankMatrix values_;
  std::vector<double> divisor_;
  RankMask masked_;
  size_t dropped_ = 0;  // columns that only masked_ still has
  std::shared_ptr<RankMatrix> excess_;
};

// Of FindSlowRows(): its first pass, and that without those found in it.
struct SlowRowsMemo {
  ExcessMemo first;
  ExcessMemo second;
};

// Of FindStragglers(): what it compares.
struct StragglerMemo {
  SlowRowsMemo own_time;
  SlowRowsMemo host_time;
};

}  // namespace lockstep::training
