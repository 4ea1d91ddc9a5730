// SeriesLookup: samples of series that are told apart by their keys alone, to be looked up in the store all
// at once. Not thread-safe; its memory is reused from request to request.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/series_key.h"
#include "storage/storage.h"

namespace lockstep {

class SeriesLookup {
 public:
  // Empty; the thread's next call ends what it is used for.
  static SeriesLookup& ForThisThread();

  // Samples that are appended here belong to the series that is closed next.
  std::vector<Sample>& samples() { return samples_; }
  // Precondition: no sample was taken away from those of the series before.
  void Close(const SeriesKey& key);

  // Appends the samples of series that the store knows to `known`, and returns how many these are; calls
  // read_new(i, samples) for the others, where `i` counts the calls of Close().
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
  std::vector<size_t> ends_;  // of each series in samples_
  std::vector<SeriesRef> refs_;
  std::vector<Sample> samples_;
};

}  // namespace lockstep
