#include "export/histogram_chunk.h"

#include <cmath>
#include <vector>

#include "base/coding.h"
#include "export/msb_bits.h"

namespace lockstep {
namespace {

constexpr char kCounterResetFlag = static_cast<char>(0x80);
constexpr char kGaugeFlag = static_cast<char>(0xc0);

bool IsGauge(const Histogram& h) { return h.reset_hint == CounterResetHint::kGauge; }

char FlagsOf(const Histogram& first) {
  if (IsGauge(first)) return kGaugeFlag;
  return first.reset_hint == CounterResetHint::kReset ? kCounterResetFlag : '\0';
}

bool SameLayout(const Histogram& a, const Histogram& b) {
  return a.schema == b.schema && a.zero_threshold == b.zero_threshold &&
         a.positive_spans == b.positive_spans && a.negative_spans == b.negative_spans &&
         a.custom_values == b.custom_values;
}

// Precondition: both have the same size. Written so that NaN counts as a decrease.
bool AnyFalls(const std::vector<double>& before, const std::vector<double>& after) {
  for (size_t i = 0; i < before.size(); ++i) {
    if (!(after[i] >= before[i])) return true;
  }
  return false;
}

// One byte for 0 and for common powers of two; otherwise 255 and the number.
void PutZeroThreshold(double threshold, MsbBits& bits) {
  constexpr int kMinExponent = -242;
  constexpr int kMaxExponent = 11;
  if (threshold == 0) return bits.Put(0, 8);
  int exponent = 0;
  const double fraction = std::frexp(threshold, &exponent);
  if (fraction == 0.5 && exponent >= kMinExponent && exponent <= kMaxExponent) {
    return bits.Put(static_cast<uint64_t>(exponent + 1 - kMinExponent), 8);
  }
  bits.Put(255, 8);
  bits.PutDouble(threshold);
}

// The bound in thousandths plus one as a varbit, or 0 and the number.
void PutBound(double bound, MsbBits& bits) {
  constexpr double kMaxThousandths = 33'554'430;
  const double thousandths = bound * 1000;
  if (thousandths >= 0 && thousandths <= kMaxThousandths) {
    const auto whole = static_cast<uint64_t>(std::llround(thousandths));
    if (static_cast<double>(whole) / 1000 == bound) return bits.PutUnsignedVarbit(whole + 1);
  }
  bits.Put(0, 1);
  bits.PutDouble(bound);
}

void PutSpans(const std::vector<BucketSpan>& spans, MsbBits& bits) {
  bits.PutUnsignedVarbit(spans.size());
  for (const BucketSpan& span : spans) {
    bits.PutUnsignedVarbit(span.length);
    bits.PutVarbit(span.offset);
  }
}

void PutLayout(const Histogram& h, MsbBits& bits) {
  PutZeroThreshold(h.zero_threshold, bits);
  bits.PutVarbit(h.schema);
  PutSpans(h.positive_spans, bits);
  PutSpans(h.negative_spans, bits);
  if (!h.uses_custom_buckets()) return;
  bits.PutUnsignedVarbit(h.custom_values.size());
  for (const double bound : h.custom_values) PutBound(bound, bits);
}

// Calls `visit` for every number of a sample, in the order of the format.
template <typename Visit>
void ForEachNumber(const Histogram& h, Visit&& visit) {
  visit(h.count);
  visit(h.zero_count);
  visit(h.sum);
  for (const double count : h.positive_counts) visit(count);
  for (const double count : h.negative_counts) visit(count);
}

}  // namespace

bool FitsSameChunk(const Histogram& previous, const Histogram& next) {
  if (IsStaleNan(previous.sum) || IsStaleNan(next.sum)) return false;
  if (!SameLayout(previous, next) || IsGauge(previous) != IsGauge(next)) return false;
  if (IsGauge(next)) return true;
  return next.reset_hint != CounterResetHint::kReset && next.count >= previous.count &&
         next.zero_count >= previous.zero_count &&
         !AnyFalls(previous.positive_counts, next.positive_counts) &&
         !AnyFalls(previous.negative_counts, next.negative_counts);
}

void AppendHistogramChunk(std::span<const HistogramSample> samples, std::string& out) {
  const Histogram& first = *samples[0].histogram;
  PutFixed16(out, static_cast<uint16_t>(samples.size()));
  out += FlagsOf(first);
  MsbBits bits(out);
  PutLayout(first, bits);
  bits.PutVarbit(samples[0].timestamp_ms);
  std::vector<XorSequence> sequences;
  ForEachNumber(first, [&](double number) {
    bits.PutDouble(number);
    sequences.emplace_back(number);
  });
  int64_t last_delta = 0;
  for (size_t i = 1; i < samples.size(); ++i) {
    const int64_t delta = samples[i].timestamp_ms - samples[i - 1].timestamp_ms;
    bits.PutVarbit(delta - last_delta);
    last_delta = delta;
    size_t next = 0;
    ForEachNumber(*samples[i].histogram,
                  [&](double number) { sequences[next++].Put(number, bits); });
  }
}

}  // namespace lockstep
