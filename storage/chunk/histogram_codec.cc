#include "storage/chunk/histogram_codec.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/coding.h"
#include "storage/chunk/merge_columns.h"

namespace lockstep {
namespace {

constexpr unsigned char kSameLayoutBit = 1;
constexpr int kResetHintShift = 1;
constexpr unsigned char kResetHintMask = 0b11;
constexpr unsigned char kOtherStartBit = 0b1000;
constexpr unsigned char kFlagBits = 0b1111;
constexpr uint64_t kRawNumber = 1;
constexpr double kMaxWhole = 9007199254740992.0;  // 2^53

uint64_t Bits(double value) { return std::bit_cast<uint64_t>(value); }

bool IsWhole(double value) {
  return std::fabs(value) <= kMaxWhole &&
         Bits(static_cast<double>(static_cast<int64_t>(value))) == Bits(value);
}

// The number that a whole number is encoded as a difference to.
int64_t Reference(double previous) {
  return IsWhole(previous) ? static_cast<int64_t>(previous) : 0;
}

void PutNumber(std::string& out, double value, double previous) {
  if (!IsWhole(value)) {
    PutVarint64(out, kRawNumber);
    PutFixed64(out, Bits(value));
    return;
  }
  const int64_t difference = static_cast<int64_t>(value) - Reference(previous);
  const uint64_t zigzag =
      (static_cast<uint64_t>(difference) << 1) ^ static_cast<uint64_t>(difference >> 63);
  PutVarint64(out, zigzag << 1);
}

bool GetNumber(std::string_view& in, double previous, double& value) {
  uint64_t code;
  if (!GetVarint64(in, code)) return false;
  if ((code & 1) != 0) {
    uint64_t bits;
    if (code != kRawNumber || !GetFixed64(in, bits)) return false;
    value = std::bit_cast<double>(bits);
    return true;
  }
  const uint64_t zigzag = code >> 1;
  const int64_t difference = static_cast<int64_t>(zigzag >> 1) ^ -static_cast<int64_t>(zigzag & 1);
  // Both are at most 2^63 / 2 in magnitude, so the sum does not wrap.
  const int64_t whole = Reference(previous) + difference;
  value = static_cast<double>(whole);
  return std::fabs(value) <= kMaxWhole;
}

uint64_t BucketCount(const std::vector<BucketSpan>& spans) {
  uint64_t count = 0;
  for (const BucketSpan& span : spans) count += span.length;
  return count;
}

size_t LayoutEntries(const Histogram& h) {
  return h.positive_spans.size() + h.negative_spans.size() + h.custom_values.size();
}

bool SameLayout(const Histogram& a, const Histogram& b) {
  return a.schema == b.schema && Bits(a.zero_threshold) == Bits(b.zero_threshold) &&
         a.positive_spans == b.positive_spans && a.negative_spans == b.negative_spans &&
         SameBits(a.custom_values, b.custom_values);
}

// Decides whether a layout may be encoded as "the same"; writer and reader count alike.
class RepeatLimit {
 public:
  [[nodiscard]] bool Take(size_t entries) {
    if (entries > kMaxRepeatedLayoutEntries - repeated_) return false;
    repeated_ += entries;
    return true;
  }

 private:
  size_t repeated_ = 0;
};

void PutSpans(std::string& out, const std::vector<BucketSpan>& spans) {
  PutVarint64(out, spans.size());
  for (const BucketSpan& span : spans) {
    PutVarintSigned64(out, span.offset);
    PutVarint64(out, span.length);
  }
}

bool GetSpans(std::string_view& in, std::vector<BucketSpan>& spans) {
  uint64_t span_count;
  if (!GetVarint64(in, span_count) || span_count > in.size() / 2) return false;
  spans.reserve(span_count);
  for (uint64_t i = 0; i < span_count; ++i) {
    int64_t offset;
    uint64_t length;
    if (!GetVarintSigned64(in, offset) || !GetVarint64(in, length)) return false;
    if (offset != static_cast<int32_t>(offset) || length != static_cast<uint32_t>(length)) {
      return false;
    }
    spans.push_back({static_cast<int32_t>(offset), static_cast<uint32_t>(length)});
  }
  return true;
}

void PutLayout(std::string& out, const Histogram& h) {
  PutVarintSigned64(out, h.schema);
  PutFixed64(out, Bits(h.zero_threshold));
  PutSpans(out, h.positive_spans);
  PutSpans(out, h.negative_spans);
  PutVarint64(out, h.custom_values.size());
  for (const double value : h.custom_values) PutFixed64(out, Bits(value));
}

bool GetLayout(std::string_view& in, Histogram& h) {
  int64_t schema;
  uint64_t bits, custom_count;
  if (!GetVarintSigned64(in, schema) || schema != static_cast<int32_t>(schema)) return false;
  h.schema = static_cast<int32_t>(schema);
  if (!GetFixed64(in, bits)) return false;
  h.zero_threshold = std::bit_cast<double>(bits);
  if (!GetSpans(in, h.positive_spans) || !GetSpans(in, h.negative_spans)) return false;
  if (!GetVarint64(in, custom_count) || custom_count > in.size() / 8) return false;
  h.custom_values.reserve(custom_count);
  for (uint64_t i = 0; i < custom_count; ++i) {
    if (!GetFixed64(in, bits)) return false;
    h.custom_values.push_back(std::bit_cast<double>(bits));
  }
  return true;
}

void CopyLayout(const Histogram& from, Histogram& to) {
  to.schema = from.schema;
  to.zero_threshold = from.zero_threshold;
  to.positive_spans = from.positive_spans;
  to.negative_spans = from.negative_spans;
  to.custom_values = from.custom_values;
}

// `previous` is null if the layouts differ.
void PutCounts(std::string& out, const std::vector<double>& counts,
               const std::vector<double>* previous) {
  for (size_t i = 0; i < counts.size(); ++i) {
    PutNumber(out, counts[i], previous == nullptr ? 0 : (*previous)[i]);
  }
}

bool GetCounts(std::string_view& in, uint64_t count, const std::vector<double>* previous,
               std::vector<double>& counts) {
  // Each takes at least one byte.
  if (count > in.size()) return false;
  counts.resize(count);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (!GetNumber(in, previous == nullptr ? 0 : (*previous)[i], counts[i])) return false;
  }
  return true;
}

void PutNumbers(std::string& out, const Histogram& h, const Histogram* previous) {
  PutNumber(out, h.count, previous == nullptr ? 0 : previous->count);
  PutNumber(out, h.zero_count, previous == nullptr ? 0 : previous->zero_count);
  PutNumber(out, h.sum, previous == nullptr ? 0 : previous->sum);
  PutCounts(out, h.positive_counts, previous == nullptr ? nullptr : &previous->positive_counts);
  PutCounts(out, h.negative_counts, previous == nullptr ? nullptr : &previous->negative_counts);
}

bool GetNumbers(std::string_view& in, const Histogram* previous, Histogram& h) {
  return GetNumber(in, previous == nullptr ? 0 : previous->count, h.count) &&
         GetNumber(in, previous == nullptr ? 0 : previous->zero_count, h.zero_count) &&
         GetNumber(in, previous == nullptr ? 0 : previous->sum, h.sum) &&
         GetCounts(in, BucketCount(h.positive_spans),
                   previous == nullptr ? nullptr : &previous->positive_counts, h.positive_counts) &&
         GetCounts(in, BucketCount(h.negative_spans),
                   previous == nullptr ? nullptr : &previous->negative_counts, h.negative_counts);
}

void PutStart(std::string& out, int64_t start_ms, int64_t previous_ms) {
  PutVarintSigned64(out, static_cast<int64_t>(static_cast<uint64_t>(start_ms) -
                                              static_cast<uint64_t>(previous_ms)));
}

// Adds to `start_ms` the difference that PutStart() wrote.
bool GetStart(std::string_view& in, int64_t& start_ms) {
  int64_t difference = 0;
  if (!GetVarintSigned64(in, difference)) return false;
  start_ms =
      static_cast<int64_t>(static_cast<uint64_t>(start_ms) + static_cast<uint64_t>(difference));
  return true;
}

bool GetHistogram(std::string_view& in, const Histogram* previous, RepeatLimit& repeats,
                  int64_t& start_ms, Histogram& h) {
  if (in.empty()) return false;
  const auto flags = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  if ((flags & ~kFlagBits) != 0) return false;
  if ((flags & kOtherStartBit) != 0 && !GetStart(in, start_ms)) return false;
  h.reset_hint = static_cast<CounterResetHint>(flags >> kResetHintShift & kResetHintMask);
  if ((flags & kSameLayoutBit) == 0) return GetLayout(in, h) && GetNumbers(in, nullptr, h);
  if (previous == nullptr || !repeats.Take(LayoutEntries(*previous))) return false;
  CopyLayout(*previous, h);
  return GetNumbers(in, previous, h);
}

}  // namespace

void EncodeHistograms(std::string& out, std::span<const HistogramSample> samples) {
  const Histogram* previous = nullptr;
  int64_t previous_start_ms = 0;
  RepeatLimit repeats;
  for (const HistogramSample& sample : samples) {
    LOCKSTEP_CHECK(sample.histogram != nullptr);
    const Histogram& h = *sample.histogram;
    LOCKSTEP_CHECK(BucketCount(h.positive_spans) == h.positive_counts.size());
    LOCKSTEP_CHECK(BucketCount(h.negative_spans) == h.negative_counts.size());
    const bool same =
        previous != nullptr && SameLayout(h, *previous) && repeats.Take(LayoutEntries(h));
    const bool is_other_start = sample.start_timestamp_ms != previous_start_ms;
    out.push_back(static_cast<char>((static_cast<int>(h.reset_hint) << kResetHintShift) |
                                    (same ? kSameLayoutBit : 0) |
                                    (is_other_start ? kOtherStartBit : 0)));
    if (is_other_start) PutStart(out, sample.start_timestamp_ms, previous_start_ms);
    previous_start_ms = sample.start_timestamp_ms;
    if (!same) PutLayout(out, h);
    PutNumbers(out, h, same ? previous : nullptr);
    previous = &h;
  }
}

absl::Status DecodeHistograms(std::string_view& in, std::span<HistogramSample> samples) {
  const Histogram* previous = nullptr;
  int64_t start_ms = 0;
  RepeatLimit repeats;
  for (HistogramSample& sample : samples) {
    auto histogram = std::make_shared<Histogram>();
    if (!GetHistogram(in, previous, repeats, start_ms, *histogram)) {
      return absl::DataLossError("histogram stream: a histogram is truncated or malformed");
    }
    sample.start_timestamp_ms = start_ms;
    previous = histogram.get();
    sample.histogram = std::move(histogram);
  }
  return absl::OkStatus();
}

}  // namespace lockstep
