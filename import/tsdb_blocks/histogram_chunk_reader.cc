#include "import/tsdb_blocks/histogram_chunk_reader.h"

#include <cmath>
#include <memory>
#include <utility>

#include "base/coding.h"
#include "import/tsdb_blocks/block_limits.h"
#include "import/tsdb_blocks/msb_bit_reader.h"

namespace lockstep::tsdb_blocks {
namespace {

constexpr uint8_t kFlagMask = 0xc0;
constexpr uint8_t kResetFlag = 0x80;
constexpr uint8_t kNotResetFlag = 0x40;

CounterResetHint HintOf(uint8_t flags) {
  switch (flags & kFlagMask) {
    case kFlagMask:
      return CounterResetHint::kGauge;
    case kResetFlag:
      return CounterResetHint::kReset;
    case kNotResetFlag:
      return CounterResetHint::kNotReset;
    default:
      return CounterResetHint::kUnknown;
  }
}

double GetZeroThreshold(MsbBitReader& bits) {
  constexpr int kMinExponent = -242;
  const auto code = static_cast<int>(bits.Get(8));
  if (code == 0) return 0;
  if (code == 255) return bits.GetDouble();
  return std::ldexp(0.5, code - 1 + kMinExponent);
}

double GetBound(MsbBitReader& bits) {
  const uint64_t code = bits.GetUnsignedVarbit();
  return code == 0 ? bits.GetDouble() : static_cast<double>(code - 1) / 1000;
}

// Returns the number of buckets in the spans.
size_t GetSpans(MsbBitReader& bits, std::vector<BucketSpan>& spans) {
  const uint64_t count = bits.GetUnsignedVarbit();
  uint64_t buckets = 0;
  if (count > kMaxHistogramSpans) bits.Fail();
  for (uint64_t i = 0; i < count && bits.is_good(); ++i) {
    const uint64_t length = bits.GetUnsignedVarbit();
    const int64_t offset = bits.GetVarbit();
    if (length > kMaxHistogramBuckets || offset != static_cast<int32_t>(offset)) bits.Fail();
    buckets += length;
    spans.push_back({static_cast<int32_t>(offset), static_cast<uint32_t>(length)});
  }
  if (buckets > kMaxHistogramBuckets) bits.Fail();
  return bits.is_good() ? static_cast<size_t>(buckets) : 0;
}

// A histogram with the layout but no counts.
Histogram GetLayout(MsbBitReader& bits) {
  Histogram layout;
  layout.zero_threshold = GetZeroThreshold(bits);
  const int64_t schema = bits.GetVarbit();
  const bool is_known = schema == kCustomBucketsSchema ||
                        (schema >= kMinExponentialSchema && schema <= kMaxExponentialSchema);
  if (!is_known) bits.Fail();
  layout.schema = static_cast<int32_t>(schema);
  layout.positive_counts.resize(GetSpans(bits, layout.positive_spans));
  layout.negative_counts.resize(GetSpans(bits, layout.negative_spans));
  if (!layout.uses_custom_buckets()) return layout;
  const uint64_t bounds = bits.GetUnsignedVarbit();
  if (bounds > kMaxHistogramBuckets) bits.Fail();
  for (uint64_t i = 0; i < bounds && bits.is_good(); ++i) {
    layout.custom_values.push_back(GetBound(bits));
  }
  return layout;
}

// An integer, then its delta, then deltas of deltas.
struct IntegerSequence {
  int64_t value = 0;
  int64_t delta = 0;

  void First(int64_t read) { value = read; }
  void Next(MsbBitReader& bits) {
    delta = WrappingSum(delta, bits.GetVarbit());
    value = WrappingSum(value, delta);
  }
};

class IntegerSamples {
 public:
  explicit IntegerSamples(const Histogram& layout)
      : buckets_(layout.positive_counts.size() + layout.negative_counts.size()) {}

  void First(MsbBitReader& bits, Histogram& h) {
    count_.First(static_cast<int64_t>(bits.GetUnsignedVarbit()));
    zero_count_.First(static_cast<int64_t>(bits.GetUnsignedVarbit()));
    h.sum = bits.GetDouble();
    sum_ = XorReader(h.sum);
    for (IntegerSequence& bucket : buckets_) bucket.First(bits.GetVarbit());
    PutCounts(h);
  }
  void Next(MsbBitReader& bits, Histogram& h) {
    count_.Next(bits);
    zero_count_.Next(bits);
    h.sum = sum_.Next(bits);
    for (IntegerSequence& bucket : buckets_) bucket.Next(bits);
    PutCounts(h);
  }

 private:
  void PutCounts(Histogram& h) const {
    h.count = static_cast<double>(static_cast<uint64_t>(count_.value));
    h.zero_count = static_cast<double>(static_cast<uint64_t>(zero_count_.value));
    size_t next = 0;
    for (auto* counts : {&h.positive_counts, &h.negative_counts}) {
      int64_t bucket = 0;
      for (double& count : *counts) {
        bucket = WrappingSum(bucket, buckets_[next++].value);
        count = static_cast<double>(bucket);
      }
    }
  }

  IntegerSequence count_;
  IntegerSequence zero_count_;
  XorReader sum_;
  std::vector<IntegerSequence> buckets_;
};

class FloatSamples {
 public:
  explicit FloatSamples(const Histogram& layout)
      : sequences_(3 + layout.positive_counts.size() + layout.negative_counts.size()) {}

  void First(MsbBitReader& bits, Histogram& h) {
    ForEach(h, [&](double& number, XorReader& sequence) {
      number = bits.GetDouble();
      sequence = XorReader(number);
    });
  }
  void Next(MsbBitReader& bits, Histogram& h) {
    ForEach(h, [&](double& number, XorReader& sequence) { number = sequence.Next(bits); });
  }

 private:
  template <typename Visit>
  void ForEach(Histogram& h, const Visit& visit) {
    size_t next = 0;
    visit(h.count, sequences_[next++]);
    visit(h.zero_count, sequences_[next++]);
    visit(h.sum, sequences_[next++]);
    for (double& count : h.positive_counts) visit(count, sequences_[next++]);
    for (double& count : h.negative_counts) visit(count, sequences_[next++]);
  }

  std::vector<XorReader> sequences_;
};

template <typename Samples>
absl::StatusOr<std::vector<HistogramSample>> ReadSamples(std::string_view data) {
  uint16_t count = 0;
  if (!GetFixed16(data, count)) return absl::DataLossError("histogram chunk without a count");
  MsbBitReader bits(data);
  const auto flags = static_cast<uint8_t>(bits.Get(8));
  const Histogram layout = GetLayout(bits);
  Samples numbers(layout);
  IntegerSequence timestamp_ms;
  std::vector<HistogramSample> samples;
  for (uint16_t i = 0; i < count && bits.is_good(); ++i) {
    auto histogram = std::make_shared<Histogram>(layout);
    histogram->reset_hint = HintOf(flags);
    if (i == 0) {
      timestamp_ms.First(bits.GetVarbit());
      numbers.First(bits, *histogram);
    } else {
      // Whatever the first sample is, those after it are not resets.
      if (histogram->reset_hint != CounterResetHint::kGauge) {
        histogram->reset_hint = CounterResetHint::kNotReset;
      }
      timestamp_ms.Next(bits);
      numbers.Next(bits, *histogram);
    }
    samples.push_back({timestamp_ms.value, std::move(histogram)});
  }
  if (!bits.is_good()) return absl::DataLossError("malformed histogram chunk");
  return samples;
}

}  // namespace

absl::StatusOr<std::vector<HistogramSample>> ReadHistogramChunk(std::string_view data) {
  return ReadSamples<IntegerSamples>(data);
}

absl::StatusOr<std::vector<HistogramSample>> ReadFloatHistogramChunk(std::string_view data) {
  return ReadSamples<FloatSamples>(data);
}

}  // namespace lockstep::tsdb_blocks
