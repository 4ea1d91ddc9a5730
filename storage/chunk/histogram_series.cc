#include "storage/chunk/histogram_series.h"

#include "base/check.h"
#include "base/coding.h"
#include "storage/chunk/histogram_codec.h"

namespace lockstep {
namespace {

struct Header {
  uint64_t count = 0;
  TimeRange range;
};

bool GetHeader(std::string_view& in, Header& header) {
  uint64_t duration_ms = 0;
  if (!GetVarint64(in, header.count) || !GetVarintSigned64(in, header.range.min_ms) ||
      !GetVarint64(in, duration_ms)) {
    return false;
  }
  header.range.max_ms =
      static_cast<int64_t>(static_cast<uint64_t>(header.range.min_ms) + duration_ms);
  // Each sample takes at least one byte here, and many in memory.
  return header.count >= 1 && header.count <= in.size() &&
         header.range.min_ms <= header.range.max_ms;
}

absl::Status MalformedSeries() {
  return absl::DataLossError("a series of histograms is malformed");
}

}  // namespace

void EncodeHistogramSeries(std::string& out, std::span<const HistogramSample> samples) {
  LOCKSTEP_CHECK(!samples.empty());
  const auto distance = [](int64_t from, int64_t to) {
    return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  };
  const int64_t first_ms = samples.front().timestamp_ms;
  PutVarint64(out, samples.size());
  PutVarintSigned64(out, first_ms);
  PutVarint64(out, distance(first_ms, samples.back().timestamp_ms));
  for (size_t i = 1; i < samples.size(); ++i) {
    LOCKSTEP_CHECK(samples[i - 1].timestamp_ms < samples[i].timestamp_ms);
    PutVarint64(out, distance(samples[i - 1].timestamp_ms, samples[i].timestamp_ms));
  }
  EncodeHistograms(out, samples);
}

absl::Status DecodeHistogramSeries(std::string_view& in, std::vector<HistogramSample>& samples) {
  Header header;
  if (!GetHeader(in, header)) return MalformedSeries();
  const size_t begin = samples.size();
  samples.resize(begin + header.count);
  int64_t time_ms = header.range.min_ms;
  samples[begin].timestamp_ms = time_ms;
  for (size_t i = begin + 1; i < samples.size(); ++i) {
    uint64_t step_ms = 0;
    if (!GetVarint64(in, step_ms)) return MalformedSeries();
    const int64_t before_ms = time_ms;
    time_ms = static_cast<int64_t>(static_cast<uint64_t>(time_ms) + step_ms);
    if (time_ms <= before_ms) return MalformedSeries();
    samples[i].timestamp_ms = time_ms;
  }
  if (time_ms != header.range.max_ms) return MalformedSeries();
  return DecodeHistograms(in, std::span(samples).subspan(begin));
}

absl::StatusOr<TimeRange> HistogramSeriesRange(std::string_view in) {
  Header header;
  if (!GetHeader(in, header)) return MalformedSeries();
  return header.range;
}

}  // namespace lockstep
