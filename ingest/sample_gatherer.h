// SampleGatherer: samples that come one at a time, each with its labels spelled out, into a
// DecodedWrite. Those of one series become one, and what may be no series is refused. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ingest/decoded_write.h"
#include "ingest/limits.h"
#include "model/labels.h"
#include "model/sample.h"
#include "model/series_key.h"

namespace lockstep {

class SampleGatherer {
 public:
  // Both outlive the gatherer. `out.memory` has begun.
  SampleGatherer(const IngestLimits& limits, DecodedWrite& out) : limits_(limits), out_(out) {}

  // `labels` are sorted; those with empty values are left out. `place` says where in the request
  // the samples stand: "line 3". Nothing is added once DecodedWrite::memory, or the number of
  // series, is over a limit.
  void Add(std::vector<LabelView>& labels, const Sample& sample, std::string_view place) {
    Add(labels, std::span(&sample, 1), place);
  }
  void Add(std::vector<LabelView>& labels, std::span<const Sample> samples, std::string_view place);
  void Add(std::vector<LabelView>& labels, HistogramSample histogram, std::string_view place);

  // Whether one more label than there are already can matter: one more than the limit tells that it
  // is exceeded.
  bool HasRoomFor(const std::vector<LabelView>& labels) const {
    return labels.size() <= limits_.max_labels_per_series;
  }

  // Charges what reading a line of the request takes, which is kept from line to line: its copy, and
  // what a parser notes of it, of which a number may have two bytes in the line. False: there is no
  // memory for it.
  bool ChargeLine(size_t line_bytes);

  // How the request fares: kOutOfRange or kUnavailable once it is over a limit.
  absl::Status status() const;

 private:
  // The series in the request to which so many samples may be added, made if there is none. Null:
  // refused, or over a limit.
  SeriesWrite* Open(std::vector<LabelView>& labels, size_t sample_count, std::string_view place);

  const IngestLimits& limits_;
  DecodedWrite& out_;
  size_t longest_line_bytes_ = 0;
  absl::flat_hash_map<SeriesKey, size_t> series_;  // places in out_.request.series
};

}  // namespace lockstep
