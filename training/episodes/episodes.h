// Finds when a rank was abnormal: stretches in which its row of excesses stays high.
//
// A running median smooths the row, so that single stalls do not count. An episode is a stretch
// that exceeds the peers by more than healthy chips differ ("level"), or the row's own quieter
// times by more than a chip drifts ("change"). Neither counts unless it is far outside the row's
// own noise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

// Anything shorter is an incident, not a state.
inline constexpr size_t kShortestEpisode = 8;

// A minimum excess that no row reaches.
inline constexpr double kUnreachableExcess = 1e9;

// One scale for searching a row. A short window finds strong effects and their exact ends, a long
// window finds weak effects.
struct EpisodeScale {
  size_t window = 0;                   // columns of the running median
  double level = 0;                    // minimum excess over peers
  double change = 0;                   // minimum excess over its own past and then over peers
  size_t shortest = kShortestEpisode;  // columns
};

struct Episode {
  size_t first = 0;  // columns, both inclusive
  size_t last = 0;
  double level = kUnknown;  // median excess during the episode
  double baseline =
      kUnknown;  // median excess of the row outside episodes; unknown with too few columns

  size_t size() const { return last - first + 1; }
};

// False if no row with values at most as high as these has an episode. Cheap; false for most rows.
bool MayHaveEpisodes(std::span<const double> excess, std::span<const EpisodeScale> scales);

// The episodes of one row, in order and not adjacent. Skips unknown columns.
std::vector<Episode> FindEpisodes(std::span<const double> excess,
                                  std::span<const EpisodeScale> scales);

}  // namespace lockstep::training
