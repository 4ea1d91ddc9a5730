// Which rows stand out from their peers, and when: excess over peers, episodes of it, and whether it is the
// same row each time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "training/episodes.h"
#include "training/excess.h"
#include "training/excess_memo.h"
#include "training/rank_mask.h"
#include "training/rank_matrix.h"

namespace lockstep::training {

struct SlowRow {
  size_t row = 0;
  std::vector<Episode> episodes = {};  // not empty
  double level = kUnknown;             // median excess over all of its episodes
  double baseline = kUnknown;          // its excess outside of them; unknown if there is too little
  double persistence = 0;  // share of its columns in which no peer but other slow rows has more
};

struct SlowRows {
  std::shared_ptr<const RankMatrix> excess;  // not null
  RankMask slow;                             // true within the episodes of `rows`
  std::vector<SlowRow> rows;                 // the one with the highest level first
};

// A row is slow if it is high in episodes, is the highest of its group for most of their columns, and
// has risen itself where its level alone would not tell. In a
// group of two, twice as much is asked for: the difference of two chips spreads wider than the
// distance of one from the middle of many.
SlowRows FindSlowRows(const PeerComparison& comparison, std::span<const EpisodeScale> scales);
// The same of a table that grows: `memo` is of earlier questions, and `step` has the step of each column.
SlowRows FindSlowRows(const PeerComparison& comparison, std::span<const EpisodeScale> scales,
                      std::span<const int64_t> step, SlowRowsMemo& memo);

}  // namespace lockstep::training
