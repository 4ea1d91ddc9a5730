#include "api/query/point_text.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lockstep::api {
namespace {

// A comma, bracket, time, comma, quote, value, quote and bracket.
constexpr size_t kMaxPointBytes = 2 + kMaxTimestampBytes + 2 + kMaxSampleValueBytes + 2;

}  // namespace

const PointText::TimeText& PointText::TextOf(size_t place, int64_t timestamp_ms) {
  TimeText& text = times_[place];
  if (text.timestamp_ms != timestamp_ms || text.length == 0) {
    text.timestamp_ms = timestamp_ms;
    char* const begin = text.bytes.data();
    text.length = static_cast<size_t>(WriteTimestamp(begin, timestamp_ms) - begin);
  }
  return text;
}

void PointText::Append(std::span<const int64_t> timestamps_ms, std::span<const double> values,
                       std::string& out) {
  if (times_.size() < values.size()) times_.resize(values.size());
  std::array<char, 64 * kMaxPointBytes> block;
  char* const last_begin = block.data() + block.size() - kMaxPointBytes;
  char* at = block.data();
  std::array<char, kMaxSampleValueBytes> value{};
  size_t value_length = 0;
  uint64_t value_bits = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (at > last_begin) {
      out.append(block.data(), at);
      at = block.data();
    }
    if (i > 0) *at++ = ',';
    *at++ = '[';
    const TimeText& time = TextOf(i, timestamps_ms[i]);
    std::memcpy(at, time.bytes.data(), kMaxTimestampBytes);
    at += time.length;
    *at++ = ',';
    *at++ = '"';
    const auto bits = std::bit_cast<uint64_t>(values[i]);
    if (bits != value_bits || value_length == 0) {
      value_bits = bits;
      value_length = static_cast<size_t>(WriteSampleValue(value.data(), values[i]) - value.data());
    }
    std::memcpy(at, value.data(), kMaxSampleValueBytes);
    at += value_length;
    *at++ = '"';
    *at++ = ']';
  }
  out.append(block.data(), at);
}

}  // namespace lockstep::api
