#include "storage/index/postings.h"

#include <algorithm>
#include <iterator>

namespace lockstep {
namespace {

// The first position at or after `from` whose id is not below `id`: steps that double, then a
// binary search in the last step.
size_t Gallop(PostingsView list, size_t from, uint32_t id) {
  size_t low = from, step = 1;
  while (low + step < list.size() && list[low + step] < id) {
    low += step;
    step *= 2;
  }
  const size_t high = std::min(low + step + 1, list.size());
  const auto first = list.begin() + static_cast<std::ptrdiff_t>(low);
  const auto last = list.begin() + static_cast<std::ptrdiff_t>(high);
  return static_cast<size_t>(std::lower_bound(first, last, id) - list.begin());
}

void KeepIf(Postings& ids, PostingsView other, bool keep_common) {
  size_t kept = 0, at = 0;
  for (const uint32_t id : ids) {
    at = Gallop(other, at, id);
    const bool common = at < other.size() && other[at] == id;
    if (common == keep_common) ids[kept++] = id;
  }
  ids.resize(kept);
}

}  // namespace

void Insert(Postings& ids, uint32_t id) {
  // Grows by a quarter instead of doubling, because there are many lists and they are most of the
  // index.
  if (ids.size() == ids.capacity()) ids.reserve(ids.size() + ids.size() / 4 + 1);
  if (ids.empty() || ids.back() < id) {
    ids.push_back(id);
  } else {
    ids.insert(std::lower_bound(ids.begin(), ids.end(), id), id);
  }
}

void Intersect(Postings& ids, PostingsView other) { KeepIf(ids, other, true); }
void Subtract(Postings& ids, PostingsView other) { KeepIf(ids, other, false); }

void SubtractAndShrink(Postings& ids, PostingsView other) {
  Subtract(ids, other);
  if (ids.size() < ids.capacity() / 2) ids.shrink_to_fit();
}

Postings UnionOfDisjoint(std::span<const PostingsView> lists) {
  Postings ids;
  std::vector<size_t> ends = {0};  // ends of the ascending runs in `ids`
  for (const PostingsView list : lists) {
    ids.insert(ids.end(), list.begin(), list.end());
    ends.push_back(ids.size());
  }
  Postings merged(ids.size());
  while (ends.size() > 2) {
    std::vector<size_t> merged_ends = {0};
    for (size_t run = 0; run + 1 < ends.size(); run += 2) {
      const size_t middle = ends[run + 1];
      const size_t end = run + 2 < ends.size() ? ends[run + 2] : middle;
      const auto at = [&](size_t i) { return ids.begin() + static_cast<std::ptrdiff_t>(i); };
      std::merge(at(ends[run]), at(middle), at(middle), at(end),
                 merged.begin() + static_cast<std::ptrdiff_t>(ends[run]));
      merged_ends.push_back(end);
    }
    ids.swap(merged);
    ends.swap(merged_ends);
  }
  return ids;
}

}  // namespace lockstep
