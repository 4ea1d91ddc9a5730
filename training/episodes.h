// When a rank was out of the ordinary: stretches of a row of excesses in which it stays high.
//
// A row is smoothed by a running median, so that single stalls do not count. An episode is a stretch that
// lies above the peers by more than healthy chips differ ("level"), or above the row's own quieter times
// by more than a chip wanders ("change"). Neither counts unless it is far outside the row's own noise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "training/rank_matrix.h"

namespace lockstep::training {

// An episode shorter than this is no state but an incident.
inline constexpr size_t kShortestEpisode = 8;

// One scale to look at a row with: a short window for strong effects, whose ends it finds well, a long
// one for weak effects.
struct EpisodeScale {
  size_t window = 0;                   // columns of the running median
  double level = 0;                    // least excess over peers
  double change = 0;                   // least excess over the row's own past, and over peers then
  size_t shortest = kShortestEpisode;  // columns
};

struct Episode {
  size_t first = 0;  // columns; both belong to it
  size_t last = 0;
  double level = kUnknown;  // median excess in it
  double baseline =
      kUnknown;  // median excess of the row outside of episodes; unknown if there is too little

  size_t size() const { return last - first + 1; }
};

// False where no row with at most these values has an episode: cheap to ask, and so for most rows.
bool MayHaveEpisodes(std::span<const double> excess, std::span<const EpisodeScale> scales);

// The episodes of one row, in order and not touching. Unknown columns are stepped over.
std::vector<Episode> FindEpisodes(std::span<const double> excess,
                                  std::span<const EpisodeScale> scales);

}  // namespace lockstep::training
