// SeriesLookup: collects samples of series identified only by their keys, and looks them up in the
// store all at once. Not thread-safe; reuses its memory across requests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/series_key.h"
#include "storage/storage.h"

namespace lockstep {

class SeriesLookup {
 public:
  // Returned empty; the thread's next call invalidates its use.
  static SeriesLookup& ForThisThread();

  // Samples appended here belong to the next series closed.
  std::vector<Sample>& samples() { return samples_; }
  // Precondition: no samples of earlier series were removed.
  void Close(const SeriesKey& key);

  // Appends the samples of series that the store knows to `known`, and returns the number of these
  // series. Calls read_new(i, samples) for the others, where `i` counts the calls of Close().
  template <typename ReadNew>
  uint64_t Resolve(const Storage& storage, std::vector<KnownSample>& known, ReadNew&& read_new) {
    refs_.resize(keys_.size());
    storage.FindSeries(keys_, refs_);
    known.reserve(known.size() + samples_.size());
    const size_t known_before = known.size();
    size_t begin = 0;
    for (size_t i = 0; i < keys_.size(); ++i) {
      const auto samples = std::span<const Sample>(samples_).subspan(begin, ends_[i] - begin);
      begin = ends_[i];
      if (!refs_[i].known()) {
        read_new(i, samples);
        continue;
      }
      for (const Sample& sample : samples) known.push_back({refs_[i], sample});
    }
    return known.size() - known_before;
  }

 private:
  void Clear();

  std::vector<SeriesKey> keys_;
  std::vector<size_t> ends_;  // end of each series in samples_
  std::vector<SeriesRef> refs_;
  std::vector<Sample> samples_;
};

}  // namespace lockstep
