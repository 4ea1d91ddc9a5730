#include "storage/chunk/series_chunk.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/coding.h"
#include "storage/chunk/histogram_codec.h"
#include "storage/chunk/merge_columns.h"
#include "storage/chunk/timestamp_codec.h"
#include "storage/chunk/value_codec.h"

namespace lockstep {
namespace {

constexpr unsigned char kChunkVersion = 1;

bool Ascends(const std::vector<int64_t>& times_ms) {
  return std::adjacent_find(times_ms.begin(), times_ms.end(), std::greater_equal<>()) ==
         times_ms.end();
}

std::vector<int64_t> TimesOf(std::span<const HistogramSample> samples) {
  std::vector<int64_t> times_ms;
  times_ms.reserve(samples.size());
  for (const HistogramSample& sample : samples) times_ms.push_back(sample.timestamp_ms);
  return times_ms;
}

bool ShareATime(const std::vector<int64_t>& a_ms, const std::vector<int64_t>& b_ms) {
  auto a = a_ms.begin();
  auto b = b_ms.begin();
  while (a != a_ms.end() && b != b_ms.end()) {
    if (*a == *b) return true;
    *a < *b ? ++a : ++b;
  }
  return false;
}

void CheckColumns(const SampleColumns& columns, const std::vector<int64_t>& histogram_times_ms) {
  LOCKSTEP_CHECK(columns.timestamps_ms.size() == columns.values.size());
  LOCKSTEP_CHECK(columns.size() >= 1 && columns.size() <= kMaxChunkSamples);
  LOCKSTEP_CHECK(Ascends(columns.timestamps_ms));
  LOCKSTEP_CHECK(Ascends(histogram_times_ms));
  LOCKSTEP_CHECK(!ShareATime(columns.timestamps_ms, histogram_times_ms));
}

absl::Status Malformed(const char* what) {
  return absl::DataLossError(std::string("chunk: ") + what);
}

absl::Status DecodeFloats(std::string_view& body, const ChunkHeader& header,
                          SampleColumns& decoded) {
  LOCKSTEP_RETURN_IF_ERROR(
      DecodeTimestamps(body, header.range.min_ms, header.float_count, decoded.timestamps_ms));
  return DecodeValues(body, header.float_count, decoded.values);
}

absl::Status DecodeHistogramSamples(std::string_view& body, const ChunkHeader& header,
                                    SampleColumns& decoded) {
  std::vector<int64_t> times_ms;
  LOCKSTEP_RETURN_IF_ERROR(
      DecodeTimestamps(body, header.range.min_ms, header.histogram_count, times_ms));
  if (ShareATime(decoded.timestamps_ms, times_ms)) return Malformed("a time comes twice");
  // Each takes a byte at least, and a sample in memory many.
  if (times_ms.size() > body.size()) return Malformed("histograms are cut short");
  decoded.histograms.resize(times_ms.size());
  for (size_t i = 0; i < times_ms.size(); ++i) decoded.histograms[i].timestamp_ms = times_ms[i];
  return DecodeHistograms(body, decoded.histograms);
}

// Precondition: `header` has at least one sample.
absl::Status DecodeBody(std::string_view body, const ChunkHeader& header, SampleColumns& decoded) {
  LOCKSTEP_RETURN_IF_ERROR(DecodeFloats(body, header, decoded));
  LOCKSTEP_RETURN_IF_ERROR(DecodeHistogramSamples(body, header, decoded));
  if (!body.empty()) return Malformed("bytes are left over in the body");
  const TimeRange range = TimeRangeOf(decoded);
  if (range.min_ms != header.range.min_ms || range.max_ms != header.range.max_ms) {
    return Malformed("the times differ from the header's");
  }
  return absl::OkStatus();
}

void AppendAll(SampleColumns& from, SampleColumns& to) {
  to.timestamps_ms.insert(to.timestamps_ms.end(), from.timestamps_ms.begin(),
                          from.timestamps_ms.end());
  to.values.insert(to.values.end(), from.values.begin(), from.values.end());
  to.histograms.insert(to.histograms.end(), std::make_move_iterator(from.histograms.begin()),
                       std::make_move_iterator(from.histograms.end()));
}

}  // namespace

void EncodeSeriesChunk(std::string& out, const SampleColumns& columns) {
  const std::vector<int64_t> histogram_times_ms = TimesOf(columns.histograms);
  CheckColumns(columns, histogram_times_ms);
  const TimeRange range = TimeRangeOf(columns);

  std::string body;
  EncodeTimestamps(body, range.min_ms, columns.timestamps_ms);
  EncodeValues(body, columns.values);
  EncodeTimestamps(body, range.min_ms, histogram_times_ms);
  EncodeHistograms(body, columns.histograms);

  out.push_back(static_cast<char>(kChunkVersion));
  PutVarint64(out, columns.values.size());
  PutVarint64(out, columns.histograms.size());
  PutVarintSigned64(out, range.min_ms);
  PutVarint64(out, static_cast<uint64_t>(range.max_ms) - static_cast<uint64_t>(range.min_ms));
  PutLengthPrefixed(out, body);
}

absl::StatusOr<ChunkHeader> ReadChunkHeader(std::string_view in) {
  const size_t size_before = in.size();
  if (in.empty()) return Malformed("it is empty");
  const auto version = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  if (version != kChunkVersion) {
    return absl::DataLossError(absl::StrFormat("chunk: unknown version %d", version));
  }
  uint64_t float_count, histogram_count, duration_ms, body_bytes;
  ChunkHeader header;
  if (!GetVarint64(in, float_count) || !GetVarint64(in, histogram_count) ||
      !GetVarintSigned64(in, header.range.min_ms) || !GetVarint64(in, duration_ms) ||
      !GetVarint64(in, body_bytes)) {
    return Malformed("the header is cut short");
  }
  if (float_count > kMaxChunkSamples || histogram_count > kMaxChunkSamples - float_count ||
      float_count + histogram_count == 0) {
    return absl::DataLossError(
        absl::StrFormat("chunk: %d floats and %d histograms", float_count, histogram_count));
  }
  header.range.max_ms =
      static_cast<int64_t>(static_cast<uint64_t>(header.range.min_ms) + duration_ms);
  if (header.range.max_ms < header.range.min_ms) return Malformed("the last time overflows");
  if (body_bytes > in.size()) return Malformed("the body is cut short");
  header.float_count = float_count;
  header.histogram_count = histogram_count;
  header.header_bytes = size_before - in.size();
  header.body_bytes = body_bytes;
  return header;
}

absl::Status DecodeSeriesChunk(std::string_view& in, SampleColumns& columns) {
  LOCKSTEP_ASSIGN_OR_RETURN(const ChunkHeader header, ReadChunkHeader(in));
  SampleColumns decoded;
  LOCKSTEP_RETURN_IF_ERROR(
      DecodeBody(in.substr(header.header_bytes, header.body_bytes), header, decoded));
  in.remove_prefix(header.chunk_bytes());
  AppendAll(decoded, columns);
  return absl::OkStatus();
}

}  // namespace lockstep
