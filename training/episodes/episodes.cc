#include "training/episodes/episodes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// How many standard errors of the smoothed row an effect must exceed: a row has thousands of
// windows, a job has a thousand rows, and real noise has heavier shoulders than a normal
// distribution.
constexpr double kNoiseMargin = 5.0;
// Strong and weak effects in one row are found one after another.
constexpr int kMostRounds = 4;

struct IndexRange {
  size_t first = 0;
  size_t last = 0;
};

// Whether some window may have a median of at least `threshold`: at least half of its values must
// reach it. Decides most rows without sorting.
bool MayExceed(std::span<const double> values, size_t window, double threshold) {
  size_t size = 0;
  size_t above = 0;
  size_t oldest = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    above += value >= threshold ? 1 : 0;
    if (++size > window) {
      while (std::isnan(values[oldest])) ++oldest;
      above -= values[oldest++] >= threshold ? 1 : 0;
    }
    if (2 * above >= window) return true;
  }
  return false;
}

std::vector<double> Where(std::span<const double> values, const std::vector<bool>& on,
                          bool wanted) {
  std::vector<double> chosen;
  for (size_t i = 0; i < values.size(); ++i) {
    if (on[i] == wanted) chosen.push_back(values[i]);
  }
  return chosen;
}

// The high parts of a row (without its unknown columns) at one scale.
struct HighState {
  std::vector<bool> on;
  double level = kUnknown;
  double baseline = kUnknown;  // unknown if the row is high only against its peers
};

std::vector<bool> AtLeast(std::span<const double> values, double threshold) {
  std::vector<bool> on(values.size());
  for (size_t i = 0; i < values.size(); ++i) on[i] = values[i] >= threshold;
  return on;
}

// Two states, split halfway between the lowest and the highest smoothed value.
HighState ByChange(std::span<const double> values, std::span<const double> smooth, double least) {
  const auto [low, high] = std::minmax_element(smooth.begin(), smooth.end());
  if (*high - *low < least || *high < least) return {};
  HighState state;
  state.on = AtLeast(smooth, (*low + *high) / 2);
  state.level = Median(Where(values, state.on, true));
  const std::vector<double> rest = Where(values, state.on, false);
  state.baseline = rest.size() < kShortestEpisode ? kUnknown : Median(rest);
  const bool holds = state.level >= least && state.level - state.baseline >= least;
  return holds ? state : HighState{};
}

HighState ByLevel(std::span<const double> values, std::span<const double> smooth, double least) {
  if (*std::max_element(smooth.begin(), smooth.end()) < least) return {};
  HighState state;
  state.on = AtLeast(smooth, least);
  state.level = Median(Where(values, state.on, true));
  return state;
}

HighState FindHighState(std::span<const double> values, const EpisodeScale& scale) {
  const size_t window = std::min(scale.window, values.size());
  if (!MayExceed(values, window, std::min(scale.level, scale.change))) return {};
  const std::vector<double> smooth = RunningMedian(values, scale.window);
  std::vector<double> residual(values.size());
  for (size_t i = 0; i < values.size(); ++i) residual[i] = values[i] - smooth[i];
  const double noise = MedianError(RobustDeviation(residual), window);
  const double surely = kNoiseMargin * noise;
  HighState state = ByChange(values, smooth, std::max(scale.change, surely));
  if (state.on.empty()) state = ByLevel(values, smooth, std::max(scale.level, surely));
  return state;
}

std::vector<IndexRange> RangesOf(const std::vector<bool>& on) {
  std::vector<IndexRange> ranges;
  for (size_t i = 0; i < on.size(); ++i) {
    if (!on[i]) continue;
    if (i > 0 && on[i - 1]) {
      ranges.back().last = i;
    } else {
      ranges.push_back({i, i});
    }
  }
  return ranges;
}

// The index in [from, to] at which values change from near `before` to near `after`, by the
// smallest sum of distances.
size_t Boundary(std::span<const double> values, size_t from, size_t to, double before,
                double after) {
  double cost = 0;
  double least = 0;
  size_t best = from;
  for (size_t i = from; i < to; ++i) {
    cost += std::abs(values[i] - before) - std::abs(values[i] - after);
    if (cost < least) {
      least = cost;
      best = i + 1;
    }
  }
  return best;
}

// Moves the range's ends by at most half a window to where the values themselves change.
IndexRange Sharpened(std::span<const double> values, const IndexRange& range,
                     const HighState& state, size_t window) {
  const double off = std::isnan(state.baseline) ? 0.0 : state.baseline;
  const size_t reach = window / 2;
  const size_t middle = (range.first + range.last) / 2;
  const size_t before = range.first > reach ? range.first - reach : 0;
  const size_t end = std::max(range.last > reach ? range.last - reach : 0, middle + 1);
  const size_t after = std::min(range.last + 1 + reach, values.size());
  return {Boundary(values, before, std::min(range.first + reach, middle), off, state.level),
          Boundary(values, end, after, state.level, off) - 1};
}

// Known columns of a row that are not yet part of an episode.
struct OpenColumns {
  std::vector<size_t> column;
  std::vector<double> value;
};

OpenColumns Open(std::span<const double> excess, const std::vector<bool>& taken) {
  OpenColumns open;
  for (size_t n = 0; n < excess.size(); ++n) {
    if (std::isnan(excess[n]) || taken[n]) continue;
    open.column.push_back(n);
    open.value.push_back(excess[n]);
  }
  return open;
}

// Adds the episodes that one scale finds. Returns whether there were any.
bool AddEpisodes(std::span<const double> excess, const EpisodeScale& scale,
                 std::vector<bool>& taken, std::vector<Episode>& episodes) {
  const OpenColumns open = Open(excess, taken);
  if (open.value.size() < scale.shortest) return false;
  const HighState state = FindHighState(open.value, scale);
  bool found = false;
  for (const IndexRange& rough : RangesOf(state.on)) {
    const IndexRange range = Sharpened(open.value, rough, state, scale.window);
    if (range.last < range.first || range.last - range.first + 1 < scale.shortest) continue;
    const std::span<const double> values(open.value.data() + range.first,
                                         range.last - range.first + 1);
    episodes.push_back(
        {open.column[range.first], open.column[range.last], Median(values), state.baseline});
    for (size_t i = range.first; i <= range.last; ++i) taken[open.column[i]] = true;
    found = true;
  }
  return found;
}

// Joins neighbours that have too few quiet columns between them.
std::vector<Episode> Joined(std::span<const double> excess, std::vector<Episode> episodes) {
  std::sort(episodes.begin(), episodes.end(),
            [](const Episode& a, const Episode& b) { return a.first < b.first; });
  std::vector<Episode> joined;
  for (const Episode& episode : episodes) {
    if (joined.empty() || episode.first > joined.back().last + kShortestEpisode) {
      joined.push_back(episode);
      continue;
    }
    Episode& before = joined.back();
    before.last = std::max(before.last, episode.last);
    before.level = Median(excess.subspan(before.first, before.size()));
    if (std::isnan(before.baseline)) before.baseline = episode.baseline;
  }
  return joined;
}

}  // namespace

bool MayHaveEpisodes(std::span<const double> excess, std::span<const EpisodeScale> scales) {
  double least = std::numeric_limits<double>::infinity();
  for (const EpisodeScale& scale : scales) least = std::min({least, scale.level, scale.change});
  size_t known = 0;
  size_t above = 0;
  for (const double value : excess) {
    known += std::isnan(value) ? 0 : 1;
    above += value >= least ? 1 : 0;
  }
  return std::any_of(scales.begin(), scales.end(), [&](const EpisodeScale& scale) {
    const size_t window = std::min(scale.window, known);
    return 2 * above >= window && MayExceed(excess, window, std::min(scale.level, scale.change));
  });
}

std::vector<Episode> FindEpisodes(std::span<const double> excess,
                                  std::span<const EpisodeScale> scales) {
  std::vector<Episode> episodes;
  if (!MayHaveEpisodes(excess, scales)) return episodes;
  std::vector<bool> taken(excess.size(), false);
  for (const EpisodeScale& scale : scales) {
    for (int round = 0; round < kMostRounds; ++round) {
      if (!AddEpisodes(excess, scale, taken, episodes)) break;
    }
  }
  return Joined(excess, std::move(episodes));
}

}  // namespace lockstep::training
