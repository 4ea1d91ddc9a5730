#include "export/series_chunks.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

// The samples below were written to Prometheus 3.5, and the chunks come from its remote read.
constexpr int64_t kStartMs = 1709251200000;

std::string Hex(const std::string& bytes) { return absl::BytesToHexString(bytes); }

SampleColumns GoldenFloats() {
  const double values[] = {1,  1,  2.5, 2.5, -7,   1e300, NAN, StaleNan(), 0, 3.141592653589793,
                           42, 42, 43,  44,  45.5, 1e-9};
  SampleColumns samples;
  for (int i = 0; i < 16; ++i) {
    samples.Append(kStartMs + 1234 + 15000 * i + (i % 7) * 13 * (i % 3), values[i]);
  }
  // Prometheus' NaN has different bits from the compiler's.
  samples.values[6] = std::bit_cast<double>(0x7ff8000000000000);
  samples.Append(kStartMs + 7'000'000, 5);
  samples.Append(kStartMs + 7'100'000, 6);
  return samples;
}

Histogram Exponential(int i) {
  Histogram h;
  h.schema = 3;
  h.zero_threshold = std::ldexp(1.0, -128);
  h.zero_count = 0.5;
  h.count = 10.5 + i;
  h.sum = 3.25 * i;
  h.positive_spans = {{-3, 2}, {2, 1}};
  h.positive_counts = {3.0 + i, 4, 2};
  h.negative_spans = {{0, 1}};
  h.negative_counts = {1};
  return h;
}

Histogram Custom(int i) {
  Histogram h;
  h.schema = kCustomBucketsSchema;
  h.count = 4 + i;
  h.sum = 8;
  h.positive_spans = {{0, 3}};
  h.positive_counts = {1, 2, 1.0 + i};
  h.custom_values = {0.005, 1.5, 1.0 / 3 * 100};
  return h;
}

SampleColumns Columns(const std::vector<Histogram>& histograms) {
  SampleColumns samples;
  for (size_t i = 0; i < histograms.size(); ++i) {
    samples.histograms.push_back({kStartMs + 1000 + 15000 * static_cast<int64_t>(i),
                                  std::make_shared<const Histogram>(histograms[i])});
  }
  return samples;
}

// first..last(encoding) for each chunk; times are relative to kStartMs.
std::string Outline(const std::vector<SeriesChunk>& chunks) {
  std::string text;
  for (const SeriesChunk& chunk : chunks) {
    absl::StrAppendFormat(&text, "%d..%d(%d) ", chunk.min_time_ms - kStartMs,
                          chunk.max_time_ms - kStartMs, static_cast<int>(chunk.encoding));
  }
  return text;
}

TEST(SeriesChunksTest, FloatsAreAPrometheusXorChunk) {
  const auto chunks = MakeSeriesChunks(GoldenFloats());
  ASSERT_EQ(Outline(chunks), "1234..7100000(1) ");
  EXPECT_EQ(Hex(chunks[0].data),
            "0012a4a3fcf4be633ff0000000000000a575400d6137ffb7f4a8068c06c00e006b07d7c57c8791000eb3d"
            "f984039fc8791000eb3c0416cce000000000000c00d61fbff8000000000001bfcca00490fdaa22168c804"
            "1802610fdaa22168c801a5fabc000200000000000405b4000e000000000005fb24000300000000000402"
            "761fff2bf705f4136b4af80000000003390b75f814b82fa09b5a57ffffffffffe68aa6a0018000000000"
            "0000");
}

TEST(SeriesChunksTest, HistogramsAreAPrometheusFloatHistogramChunk) {
  std::vector<Histogram> histograms;
  for (int i = 0; i < 5; ++i) histograms.push_back(Exponential(i));
  Histogram last = Exponential(0);
  last.count = 3;
  last.sum = 1;
  last.positive_counts = {1, 1, 0.5};
  last.negative_spans.clear();
  last.negative_counts.clear();
  histograms.push_back(last);
  const auto chunks = MakeSeriesChunks(Columns(histograms));
  ASSERT_EQ(Outline(chunks), "1000..61000(3) 76000..76000(3) ");
  EXPECT_EQ(Hex(chunks[0].data),
            "000500749ca558ca317f0000c6fba7c3f420128000000000001ff00000000000000000000000000000200"
            "4000000000000200800000000000020000000000000001ff80000000000007c1d4c6e06c27400bac2c360"
            "7d0011b41845a87e7b02c2689c80");
  EXPECT_EQ(Hex(chunks[1].data),
            "000100749ca558c9fc00031beea159c080100000000000007fc00000000000007fe00000000000007fe00"
            "000000000007fe00000000000007fc0000000000000");
}

TEST(SeriesChunksTest, CustomBucketsHaveTheirBounds) {
  const auto chunks = MakeSeriesChunks(Columns({Custom(0), Custom(1)}));
  ASSERT_EQ(Outline(chunks), "1000..16000(3) ");
  EXPECT_EQ(Hex(chunks[0].data),
            "00020000ee5c664ede5dd20205555555555557f0000c6fba7c3f420080000000000000000000000000000"
            "20100000000000001ff800000000000020000000000000001ff80000000000007c1d4c6d06184bffe");
}

TEST(SeriesChunksTest, AChunkHas120Samples) {
  SampleColumns samples;
  for (int i = 0; i < 250; ++i) samples.Append(kStartMs + i, i);
  EXPECT_EQ(Outline(MakeSeriesChunks(samples)), "0..119(1) 120..239(1) 240..249(1) ");
}

TEST(SeriesChunksTest, FloatsAndHistogramsTakeTurns) {
  SampleColumns samples = Columns({Exponential(0), Exponential(1)});  // at 1000 and 16000
  for (const int64_t time_ms : {0, 500, 2000, 20000}) samples.Append(kStartMs + time_ms, 1);
  EXPECT_EQ(Outline(MakeSeriesChunks(samples)),
            "0..500(1) 1000..1000(3) 2000..2000(1) 16000..16000(3) 20000..20000(1) ");
  EXPECT_EQ(Outline(MakeSeriesChunks({})), "");
}

// A reader assumes that only the first sample of a chunk may be a counter reset.
TEST(SeriesChunksTest, WhatIsNoPlainContinuationBeginsAChunk) {
  constexpr std::string_view kOne = "1000..16000(3) ";
  constexpr std::string_view kTwo = "1000..1000(3) 16000..16000(3) ";
  const auto check = [](std::string_view expected, void (*change)(Histogram&)) {
    Histogram next = Exponential(1);
    change(next);
    EXPECT_EQ(Outline(MakeSeriesChunks(Columns({Exponential(0), next}))), expected);
  };
  check(kOne, [](Histogram&) {});
  check(kTwo, [](Histogram& h) { h.count = 1; });
  check(kTwo, [](Histogram& h) { h.zero_count = 0; });
  check(kTwo, [](Histogram& h) { h.positive_counts[1] = 0; });
  check(kTwo, [](Histogram& h) { h.negative_counts[0] = 0; });
  check(kTwo, [](Histogram& h) { h.schema = 2; });
  check(kTwo, [](Histogram& h) { h.zero_threshold = 0; });
  check(kTwo, [](Histogram& h) { h.reset_hint = CounterResetHint::kReset; });
  check(kTwo, [](Histogram& h) { h.reset_hint = CounterResetHint::kGauge; });
  check(kTwo, [](Histogram& h) { h.sum = StaleNan(); });
}

TEST(SeriesChunksTest, FlagsSayWhatIsKnownOfTheFirst) {
  const auto flags = [](CounterResetHint hint) {
    Histogram h = Exponential(0);
    h.reset_hint = hint;
    return static_cast<unsigned char>(MakeSeriesChunks(Columns({h}))[0].data[2]);
  };
  EXPECT_EQ(flags(CounterResetHint::kUnknown), 0);
  EXPECT_EQ(flags(CounterResetHint::kNotReset), 0);
  EXPECT_EQ(flags(CounterResetHint::kReset), 0x80);
  EXPECT_EQ(flags(CounterResetHint::kGauge), 0xc0);
}

}  // namespace
}  // namespace lockstep
