// ExcessMemo: the excess over peers of a growing table; compares only what is new.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "training/episodes/excess.h"
#include "training/matrix/rank_mask.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

// Not thread-safe.
class ExcessMemo {
 public:
  // Like ExcessOverPeers(comparison, masked), but reuses columns whose values, divisor and marks
  // are the same as for that step in the previous call. `step` has the step of each column,
  // ascending. The next call overwrites the returned matrix, or copies it if somebody still holds
  // it.
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
  size_t dropped_ = 0;  // leading columns that only masked_ still has
  std::shared_ptr<RankMatrix> excess_;
};

// Memos of FindSlowRows(): one for its first pass, one for the pass without the rows found in it.
struct SlowRowsMemo {
  ExcessMemo first;
  ExcessMemo second;
};

// Memos of FindStragglers(), by compared quantity.
struct StragglerMemo {
  SlowRowsMemo own_time;
  SlowRowsMemo host_time;
};

}  // namespace lockstep::training
