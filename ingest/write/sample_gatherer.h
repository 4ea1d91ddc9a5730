// SampleGatherer: collects samples that come one at a time with their labels into a DecodedWrite.
// Merges samples of the same series and refuses invalid series. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ingest/write/decoded_write.h"
#include "ingest/write/limits.h"
#include "model/labels.h"
#include "model/sample.h"
#include "model/series_key.h"

namespace lockstep {

class SampleGatherer {
 public:
  // Both must outlive the gatherer. `out.memory` must have begun.
  SampleGatherer(const IngestLimits& limits, DecodedWrite& out) : limits_(limits), out_(out) {}

  // Sorts `labels` and drops those with empty values. `place` is the samples' position in the
  // request: "line 3". Adds nothing once DecodedWrite::memory or the number of series is over its
  // limit. Returns the index of the series in the request, for AddTo(); nothing if it was refused.
  std::optional<size_t> Add(std::vector<LabelView>& labels, const Sample& sample,
                            std::string_view place) {
    return Add(labels, std::span(&sample, 1), place);
  }
  std::optional<size_t> Add(std::vector<LabelView>& labels, std::span<const Sample> samples,
                            std::string_view place);
  void Add(std::vector<LabelView>& labels, HistogramSample histogram, std::string_view place);
  // The same as Add() with the labels that gave this index.
  void AddTo(size_t series_index, const Sample& sample);

  // Charges memory of the caller that grows with the request. False: there is none left.
  bool Charge(size_t bytes) { return out_.memory.Add(bytes); }

  // Whether adding a label can still matter: one over the limit is enough to detect the excess.
  bool HasRoomFor(const std::vector<LabelView>& labels) const {
    return labels.size() <= limits_.max_labels_per_series;
  }

  // Charges the memory for parsing a line, which is reused from line to line: its copy, and the
  // parser's index, in which a number may take only two bytes of the line. False: there is no
  // memory for it.
  bool ChargeLine(size_t line_bytes);

  // The request's status: kOutOfRange or kUnavailable once it is over a limit.
  absl::Status status() const;

 private:
  // The index of the series in the request to which that many samples may be added, created if
  // new. Nothing: refused, or over a limit.
  std::optional<size_t> Open(std::vector<LabelView>& labels, size_t sample_count,
                             std::string_view place);

  const IngestLimits& limits_;
  DecodedWrite& out_;
  size_t longest_line_bytes_ = 0;
  absl::flat_hash_map<SeriesKey, size_t> series_;  // indices into out_.request.series
};

}  // namespace lockstep
