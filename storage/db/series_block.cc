#include "storage/db/series_block.h"

#include <algorithm>
#include <utility>

namespace lockstep {

std::vector<SeriesBlock> BlocksOf(const Dictionary& dictionary, std::span<const SeriesId> ids) {
  std::vector<std::pair<SeriesPlace, SeriesId>> placed;
  for (const SeriesId id : ids) {
    if (dictionary.index().Contains(id)) placed.emplace_back(dictionary.PlaceOf(id), id);
  }
  std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.family, a.first.ordinal) < std::pair(b.first.family, b.first.ordinal);
  });
  std::vector<SeriesBlock> blocks;
  for (const auto& [place, id] : placed) {
    if (blocks.empty() || blocks.back().family != place.family ||
        blocks.back().block != place.block()) {
      blocks.push_back({place.family, place.block(), 0, {}});
    }
    blocks.back().bits |= BitOf(place.index_in_block());
    blocks.back().members.push_back({place.index_in_block(), id});
  }
  return blocks;
}

}  // namespace lockstep
