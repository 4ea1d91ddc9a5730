// Histogram samples of one series with their times.
//
//   +--------------+-------------------+---------------+------------------------+------------+
//   | count varint | first time zigzag | last - first  | of each further sample | histograms |
//   |              |                   | varint        | how much later, varint |            |
//   +--------------+-------------------+---------------+------------------------+------------+
//
// Histograms, and when their counters began: histogram_codec.h. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/sample.h"

namespace lockstep {

// Appends. Preconditions: there is a sample, times ascend, and the histograms are as EncodeHistograms()
// wants them.
void EncodeHistogramSeries(std::string& out, std::span<const HistogramSample> samples);

// Consumes the samples at the front of `in` and appends them. kDataLoss on anything malformed; then
// `samples` and `in` are unspecified.
absl::Status DecodeHistogramSeries(std::string_view& in, std::vector<HistogramSample>& samples);

// Of the samples at the front of `in`, which are not looked at further.
absl::StatusOr<TimeRange> HistogramSeriesRange(std::string_view in);

}  // namespace lockstep
