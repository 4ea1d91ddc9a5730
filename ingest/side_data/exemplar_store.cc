#include "ingest/side_data/exemplar_store.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace lockstep {
namespace {

// Skips UTF-8 continuation bytes.
size_t CharacterCount(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

bool AreUtf8(const LabelSet& labels) {
  return std::ranges::all_of(labels, [](const LabelView& label) {
    return IsValidUtf8(label.name) && IsValidUtf8(label.value);
  });
}

bool AreSame(const Exemplar& a, const Exemplar& b) {
  return a.timestamp_ms == b.timestamp_ms && a.labels == b.labels &&
         std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value);
}

// Precondition: `exemplars` are sorted by time.
bool Contains(const std::deque<Exemplar>& exemplars, const Exemplar& wanted) {
  const auto of_that_time =
      std::ranges::equal_range(exemplars, wanted.timestamp_ms, {}, &Exemplar::timestamp_ms);
  return std::ranges::any_of(of_that_time,
                             [&](const Exemplar& one) { return AreSame(one, wanted); });
}

bool Fits(const LabelSet& labels, const std::vector<Matcher>& matchers) {
  return std::ranges::all_of(matchers, [&](const Matcher& matcher) {
    return matcher.Matches(labels.Get(matcher.name()));
  });
}

// An estimate that includes containers and allocation headers.
uint64_t BytesOf(const Exemplar& exemplar) {
  constexpr uint64_t kOverheadBytes = 96;
  return exemplar.labels.bytes().size() + kOverheadBytes;
}

uint64_t BytesOfSeries(const LabelSet& series) {
  constexpr uint64_t kOverheadBytes = 768;  // includes a deque's first block
  return series.bytes().size() + kOverheadBytes;
}

}  // namespace

bool ExemplarStore::IsTooLong(const LabelSet& labels) {
  size_t count = 0;
  for (const LabelView& label : labels) {
    count += CharacterCount(label.name) + CharacterCount(label.value);
  }
  return count > kMaxLabelCharacters;
}

ExemplarStore::Added ExemplarStore::Add(const LabelSet& series, Exemplar exemplar) {
  if (!AreUtf8(exemplar.labels)) return Added::kInvalidUtf8;
  if (IsTooLong(exemplar.labels)) return Added::kTooLong;
  MutexLock lock(mutex_);
  if (const auto found = series_.find(series); found != series_.end()) {
    const std::deque<Exemplar>& exemplars = found->second;
    if (Contains(exemplars, exemplar)) return Added::kYes;
    if (exemplar.timestamp_ms < exemplars.back().timestamp_ms) return Added::kOutOfOrder;
  }
  // As for a new series: making room may drop it.
  const uint64_t series_bytes = BytesOfSeries(series);
  if (!MakeRoom(series_bytes + BytesOf(exemplar))) return Added::kNoMemory;
  const auto [place, is_new] = series_.try_emplace(series);
  if (!is_new) memory_.Resize(memory_.bytes() - series_bytes).IgnoreError();
  place->second.push_back(std::move(exemplar));
  arrivals_.push_back(place);
  ++change_count_;
  if (arrivals_.size() > max_exemplars_) DropOldest();
  return Added::kYes;
}

bool ExemplarStore::MakeRoom(uint64_t bytes) {
  while (memory_.bytes() + bytes > max_bytes_ || !memory_.Add(bytes).ok()) {
    if (arrivals_.empty()) return false;
    DropOldest();
  }
  return true;
}

void ExemplarStore::DropOldest() {
  const Series::iterator place = arrivals_.front();
  arrivals_.pop_front();
  uint64_t bytes = BytesOf(place->second.front());
  place->second.pop_front();
  if (place->second.empty()) {
    bytes += BytesOfSeries(place->first);
    series_.erase(place);
  }
  memory_.Resize(memory_.bytes() - bytes).IgnoreError();
}

uint64_t ExemplarStore::byte_count() const {
  MutexLock lock(mutex_);
  return memory_.bytes();
}

std::vector<SeriesExemplars> ExemplarStore::Select(const Selections& selections,
                                                   TimeRange range) const {
  std::vector<SeriesExemplars> selected;
  MutexLock lock(mutex_);
  for (const auto& [labels, exemplars] : series_) {
    const bool fits = std::ranges::any_of(
        selections, [&](const std::vector<Matcher>& matchers) { return Fits(labels, matchers); });
    if (!fits) continue;
    SeriesExemplars found{labels, {}};
    for (const Exemplar& exemplar : exemplars) {
      if (range.Contains(exemplar.timestamp_ms)) found.exemplars.push_back(exemplar);
    }
    if (!found.exemplars.empty()) selected.push_back(std::move(found));
  }
  return selected;
}

size_t ExemplarStore::exemplar_count() const {
  MutexLock lock(mutex_);
  return arrivals_.size();
}

uint64_t ExemplarStore::change_count() const {
  MutexLock lock(mutex_);
  return change_count_;
}

void ExemplarStore::ForEachInOrderOfArrival(
    absl::FunctionRef<void(const LabelSet&, const Exemplar&)> visit) const {
  MutexLock lock(mutex_);
  absl::flat_hash_map<const LabelSet*, size_t> visited;  // exemplars visited per series
  for (const Series::iterator place : arrivals_) {
    visit(place->first, place->second[visited[&place->first]++]);
  }
}

}  // namespace lockstep
