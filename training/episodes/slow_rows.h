// Finds which rows stand out from their peers and when, from episodes of excess over the peers and
// whether it is the same row each time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "training/episodes/episodes.h"
#include "training/episodes/excess.h"
#include "training/episodes/excess_memo.h"
#include "training/matrix/rank_mask.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

struct SlowRow {
  size_t row = 0;
  std::vector<Episode> episodes = {};  // not empty
  double level = kUnknown;             // median excess over all of its episodes
  double baseline = kUnknown;          // excess outside them; unknown with too few columns
  double persistence = 0;  // share of its columns in which only other slow rows exceed it
};

struct SlowRows {
  std::shared_ptr<const RankMatrix> excess;  // not null
  RankMask slow;                             // true within the episodes of `rows`
  std::vector<SlowRow> rows;                 // the one with the highest level first
};

// A row is slow if it has episodes, is the highest of its group in most of their columns, and has
// itself risen if its level alone is not enough. Thresholds are doubled for a group of two: the
// difference between two chips varies more than the distance of one chip from the median of many.
SlowRows FindSlowRows(const PeerComparison& comparison, std::span<const EpisodeScale> scales);
// The same for a growing table: `memo` is from earlier calls, and `step` has the step of each
// column.
SlowRows FindSlowRows(const PeerComparison& comparison, std::span<const EpisodeScale> scales,
                      std::span<const int64_t> step, SlowRowsMemo& memo);

}  // namespace lockstep::training
