#include "import/delivery/sample_times.h"

#include <bit>

#include "absl/hash/hash.h"

namespace lockstep::importer {
namespace {

// How many values with the same series, step and logged time to compare. Further values count as
// different, so that a file with a single time does not take quadratic time.
constexpr int kMaxCompared = 100;

template <typename... Parts>
uint64_t KeyOf(const Parts&... parts) {
  return absl::HashOf(parts...);
}

bool IsSame(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

}  // namespace

SampleTimes::Place SampleTimes::Find(const Record& record) {
  ForgetIfFull();
  Place place{record.time_ms};
  int compared = 0;
  while (!IsOfStep(record, place)) place = NextOf(record, place.time_ms);
  for (auto sample = samples_.find(KeyOf(record.series, place.time_ms)); sample != samples_.end();
       sample = samples_.find(KeyOf(record.series, place.time_ms))) {
    if (IsSame(sample->second, record.value)) {
      ++duplicates_;
      place.is_duplicate = true;
      return place;
    }
    place =
        ++compared < kMaxCompared ? NextOf(record, place.time_ms) : FreeOf(record, place.time_ms);
  }
  samples_[KeyOf(record.series, place.time_ms)] = record.value;
  if (place.time_ms != record.time_ms) ++moved_;
  return place;
}

bool SampleTimes::IsOfStep(const Record& record, Place& place) {
  const auto [slot, is_new] =
      slots_.try_emplace(KeyOf(record.owner, place.time_ms), Slot{record.step, place.time_ms + 1});
  place.is_first = place.is_first || is_new;
  return slot->second.step == record.step;
}

int64_t SampleTimes::FreeMs(uint64_t owner, int64_t from_ms) {
  int64_t free_ms = from_ms;
  for (auto slot = slots_.find(KeyOf(owner, free_ms)); slot != slots_.end();
       slot = slots_.find(KeyOf(owner, free_ms))) {
    free_ms = slot->second.next_ms;
  }
  // Path compression: every slot on the way now points right there.
  for (int64_t ms = from_ms; ms != free_ms;) {
    int64_t& next_ms = slots_.find(KeyOf(owner, ms))->second.next_ms;
    ms = next_ms;
    next_ms = free_ms;
  }
  return free_ms;
}

SampleTimes::Place SampleTimes::NextOf(const Record& record, int64_t from_ms) {
  const auto [next, is_new] = next_.try_emplace(KeyOf(record.owner, record.step, from_ms));
  if (!is_new) return {next->second};
  const Place place = FreeOf(record, from_ms);
  next->second = place.time_ms;
  return place;
}

SampleTimes::Place SampleTimes::FreeOf(const Record& record, int64_t from_ms) {
  Place place{FreeMs(record.owner, from_ms)};
  IsOfStep(record, place);
  return place;
}

void SampleTimes::ForgetIfFull() {
  if (samples_.size() < max_samples_ && slots_.size() < max_samples_) return;
  samples_.clear();
  slots_.clear();
  next_.clear();
  has_forgotten_ = true;
}

}  // namespace lockstep::importer
