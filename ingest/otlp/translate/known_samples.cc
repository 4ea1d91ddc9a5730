#include "ingest/otlp/translate/known_samples.h"

#include <utility>

#include "storage/storage.h"

namespace lockstep::otlp {

bool KnownSamples::Add(const Spelling& series, const Sample& sample, int64_t start_timestamp_ms) {
  const SeriesKey* const key = keys_.Find(series);
  if (key == nullptr) return false;
  series_.push_back(*key);
  samples_.push_back({SeriesRef(), sample, start_timestamp_ms});
  return true;
}

void KnownSamples::Add(const SeriesKey& series, std::span<const Sample> samples) {
  for (const Sample& sample : samples) {
    series_.push_back(series);
    samples_.push_back({SeriesRef(), sample});
  }
  further_samples_ += samples.size() - 1;
}

void KnownSamples::Truncate(size_t size) {
  series_.resize(size);
  samples_.resize(size);
}

bool KnownSamples::Resolve(const Storage& storage, std::vector<KnownSample>& known) {
  std::vector<SeriesRef> refs(series_.size());
  storage.FindSeries(series_, refs);
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!refs[i].known()) return false;
    samples_[i].series = refs[i];
  }
  known = std::move(samples_);
  return true;
}

}  // namespace lockstep::otlp
