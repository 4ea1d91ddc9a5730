#include "ingest/write/series_lookup.h"

namespace lockstep {

SeriesLookup& SeriesLookup::ForThisThread() {
  // Frees the memory of a very large request.
  constexpr size_t kMaxKeptSamples = 100'000;
  thread_local SeriesLookup lookup;
  if (lookup.samples_.capacity() > kMaxKeptSamples) lookup = SeriesLookup();
  lookup.Clear();
  return lookup;
}

void SeriesLookup::Close(const SeriesKey& key) {
  keys_.push_back(key);
  ends_.push_back(samples_.size());
}

void SeriesLookup::Clear() {
  keys_.clear();
  ends_.clear();
  samples_.clear();
}

}  // namespace lockstep
