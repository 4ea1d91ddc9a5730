// Histogram samples of one series with their times.
//
//   +--------------+-------------------+---------------+------------------------+------------+
//   | count varint | first time zigzag | last - first  | of each further sample | histograms |
//   |              |                   | varint        | how much later, varint |            |
//   +--------------+-------------------+---------------+------------------------+------------+
//
// histogram_codec.h has the format of histograms and their start timestamps. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/sample.h"

namespace lockstep {

// Appends. Preconditions: there is at least one sample, times ascend, and the histograms follow the
// rules of EncodeHistograms().
void EncodeHistogramSeries(std::string& out, std::span<const HistogramSample> samples);

// Consumes the samples at the front of `in` and appends them. kDataLoss on malformed input; then
// `samples` and `in` are unspecified.
absl::Status DecodeHistogramSeries(std::string_view& in, std::vector<HistogramSample>& samples);

// The time range of the samples at the front of `in`. Does not check them any further.
absl::StatusOr<TimeRange> HistogramSeriesRange(std::string_view in);

}  // namespace lockstep
