#include "storage/chunk/histogram_codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "base/coding.h"
#include "storage/chunk/codec_testing.h"
#include "storage/chunk/merge_columns.h"

namespace lockstep {
namespace {

using std::string_literals::operator""s;

HistogramSample Shared(Histogram histogram) {
  return {0, std::make_shared<const Histogram>(std::move(histogram))};
}

// Any double at all; whole numbers are likely.
double RandomNumber(std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      return std::bit_cast<double>(random());
    case 1:
      return static_cast<double>(random() >> 10);
    default:
      return static_cast<double>(random() % 1000);
  }
}

std::vector<BucketSpan> RandomSpans(std::mt19937_64& random, std::vector<double>& counts) {
  std::vector<BucketSpan> spans(random() % 4);
  for (BucketSpan& span : spans) {
    span = {static_cast<int32_t>(random()), static_cast<uint32_t>(random() % 5)};
    for (uint32_t i = 0; i < span.length; ++i) counts.push_back(RandomNumber(random));
  }
  return spans;
}

Histogram RandomHistogram(std::mt19937_64& random) {
  Histogram h;
  h.reset_hint = static_cast<CounterResetHint>(random() % 4);
  h.schema = static_cast<int32_t>(random());
  h.zero_threshold = RandomNumber(random);
  h.positive_spans = RandomSpans(random, h.positive_counts);
  h.negative_spans = RandomSpans(random, h.negative_counts);
  for (size_t i = random() % 4; i > 0; --i) h.custom_values.push_back(RandomNumber(random));
  return h;
}

// The same layout with other numbers.
Histogram Next(Histogram h, std::mt19937_64& random) {
  h.reset_hint = static_cast<CounterResetHint>(random() % 4);
  h.count = RandomNumber(random);
  h.zero_count = RandomNumber(random);
  h.sum = RandomNumber(random);
  for (double& count : h.positive_counts) count = RandomNumber(random);
  for (double& count : h.negative_counts) count += 3;
  return h;
}

std::vector<HistogramSample> RandomSamples(std::mt19937_64& random, size_t count) {
  std::vector<HistogramSample> samples;
  Histogram current = RandomHistogram(random);
  for (size_t i = 0; i < count; ++i) {
    current = random() % 4 == 0 ? RandomHistogram(random) : Next(current, random);
    samples.push_back(Shared(current));
    const auto started = static_cast<int64_t>(random() % 3) * 1000;
    samples.back().start_timestamp_ms = random() % 8 == 0 ? INT64_MIN + started : started;
  }
  return samples;
}

std::string Encode(const std::vector<HistogramSample>& samples) {
  std::string bytes;
  EncodeHistograms(bytes, samples);
  return bytes;
}

absl::Status Decode(std::string_view in, size_t count) {
  std::vector<HistogramSample> samples(count);
  return DecodeHistograms(in, samples);
}

void ExpectRoundTrip(const std::vector<HistogramSample>& samples) {
  const std::string bytes = Encode(samples) + "rest";
  std::string_view in = bytes;
  std::vector<HistogramSample> decoded(samples.size());
  const absl::Status status = DecodeHistograms(in, decoded);
  ASSERT_TRUE(status.ok()) << status;
  for (size_t i = 0; i < samples.size(); ++i) {
    EXPECT_TRUE(SameSamples(decoded[i], samples[i])) << i;
  }
  EXPECT_EQ(in, "rest");
}

TEST(HistogramCodec, RoundTripsRandomHistograms) {
  std::mt19937_64 random(7);
  for (size_t round = 0; round < 300; ++round) ExpectRoundTrip(RandomSamples(random, round % 12));
}

TEST(HistogramCodec, RoundTripsEdgesOfWholeNumbers) {
  std::vector<HistogramSample> samples;
  for (const double number :
       {0.0, -0.0, 9007199254740992.0, -9007199254740992.0, 9007199254740994.0, 0.5, -1.0,
        std::numeric_limits<double>::infinity(), StaleNan()}) {
    Histogram h;
    h.count = number;
    h.zero_count = number;
    h.sum = number;
    samples.push_back(Shared(h));
  }
  ExpectRoundTrip(samples);
}

TEST(HistogramCodec, AnEqualHistogramTakesAByteAField) {
  std::mt19937_64 random(8);
  Histogram h;
  h.positive_spans = {{-3, 10}};
  h.positive_counts.assign(10, 7);
  const size_t one = Encode({Shared(h)}).size();
  const size_t two = Encode({Shared(h), Shared(h)}).size();
  EXPECT_EQ(two - one, 1u + 3u + 10u);
}

TEST(HistogramCodec, DamageIsAStatus) {
  std::mt19937_64 random(9);
  for (size_t round = 0; round < 10; ++round) {
    const std::vector<HistogramSample> samples = RandomSamples(random, 1 + round % 3);
    const auto decode = [&](std::string_view in) { return Decode(in, samples.size()); };
    ExpectEveryTruncationFails(Encode(samples), decode);
    ExpectDamageIsSurvived(Encode(samples), decode);
  }
}

TEST(HistogramCodec, LayoutsAreNotRepeatedWithoutEnd) {
  Histogram h;
  h.custom_values.assign(kMaxRepeatedLayoutEntries / 4, 1.0);
  const std::vector<HistogramSample> samples(7, Shared(h));
  // The first layout is written out, the next four are repeats, and then the limit is reached.
  EXPECT_GT(Encode(samples).size(), 3 * 8 * h.custom_values.size());
  ExpectRoundTrip(samples);

  // A reader refuses one repeat too many: flags and three numbers of zero each.
  std::string bytes = Encode({samples[0]});
  for (int i = 0; i < 4; ++i) bytes += std::string("\x01\0\0\0", 4);
  EXPECT_TRUE(Decode(bytes, 5).ok());
  bytes += std::string("\x01\0\0\0", 4);
  EXPECT_EQ(Decode(bytes, 6).code(), absl::StatusCode::kDataLoss);
}

// The bytes of a histogram without buckets, in its parts.
struct RawHistogram {
  std::string flags = std::string(1, '\0');
  std::string schema = std::string(1, '\0');
  std::string zero_threshold = std::string(8, '\0');
  std::string positive_spans = std::string(1, '\0');
  std::string negative_spans = std::string(1, '\0');
  std::string custom_values = std::string(1, '\0');
  std::string numbers = std::string(3, '\0');

  bool IsTaken() const {
    return Decode(flags + schema + zero_threshold + positive_spans + negative_spans +
                      custom_values + numbers,
                  1)
        .ok();
  }
};

std::string SignedVarint(int64_t number) {
  std::string bytes;
  PutVarintSigned64(bytes, number);
  return bytes;
}

std::string Varint(uint64_t number) {
  std::string bytes;
  PutVarint64(bytes, number);
  return bytes;
}

TEST(HistogramCodec, RefusesFlagsThatItDoesNotKnow) {
  EXPECT_TRUE(RawHistogram().IsTaken());
  EXPECT_TRUE(RawHistogram{.flags = "\x06"}.IsTaken());      // a reset hint
  EXPECT_TRUE(RawHistogram{.flags = "\x08\x02"}.IsTaken());  // a start
  EXPECT_FALSE(RawHistogram{.flags = "\x10"}.IsTaken());
  EXPECT_FALSE(RawHistogram{.flags = "\x80"}.IsTaken());
  // The first one has no layout to repeat.
  EXPECT_EQ(Decode(std::string("\x01\0\0\0", 4), 1).code(), absl::StatusCode::kDataLoss);
}

TEST(HistogramCodec, RefusesNumbersOfMoreThan32Bits) {
  for (const int64_t schema : {int64_t{INT32_MIN}, int64_t{INT32_MAX}}) {
    EXPECT_TRUE(RawHistogram{.schema = SignedVarint(schema)}.IsTaken());
  }
  for (const int64_t schema : {int64_t{INT32_MIN} - 1, int64_t{INT32_MAX} + 1}) {
    EXPECT_FALSE(RawHistogram{.schema = SignedVarint(schema)}.IsTaken());
  }
  const auto spans = [](int64_t offset, uint64_t length) {
    return Varint(1) + SignedVarint(offset) + Varint(length);
  };
  for (const int64_t offset : {int64_t{INT32_MIN}, int64_t{INT32_MAX}}) {
    EXPECT_TRUE(RawHistogram{.positive_spans = spans(offset, 0)}.IsTaken());
    EXPECT_TRUE(RawHistogram{.negative_spans = spans(offset, 0)}.IsTaken());
  }
  for (const int64_t offset : {int64_t{INT32_MIN} - 1, int64_t{INT32_MAX} + 1}) {
    EXPECT_FALSE(RawHistogram{.positive_spans = spans(offset, 0)}.IsTaken());
    EXPECT_FALSE(RawHistogram{.negative_spans = spans(offset, 0)}.IsTaken());
  }
  // Cut to 32 bits it would have no buckets.
  EXPECT_FALSE(RawHistogram{.positive_spans = spans(0, uint64_t{1} << 32)}.IsTaken());
}

TEST(HistogramCodec, RefusesMoreThanTheInputCanHold) {
  for (const uint64_t count : {uint64_t{1} << 20, uint64_t{1} << 60}) {
    EXPECT_FALSE(RawHistogram{.positive_spans = Varint(count)}.IsTaken());
    EXPECT_FALSE(RawHistogram{.custom_values = Varint(count)}.IsTaken());
  }
  // Two buckets, and a number for each.
  const std::string two = Varint(1) + SignedVarint(0) + Varint(2);
  EXPECT_FALSE((RawHistogram{.positive_spans = two, .numbers = std::string(4, '\0')}).IsTaken());
  EXPECT_TRUE((RawHistogram{.positive_spans = two, .numbers = std::string(5, '\0')}).IsTaken());
}

TEST(HistogramCodec, WholeNumbersGoUpToTwoToThe53) {
  constexpr int64_t kMost = int64_t{1} << 53;
  const auto number = [](int64_t difference) { return Varint(uint64_t(difference) << 2); };
  EXPECT_TRUE(RawHistogram{.numbers = number(kMost) + "\0\0"s}.IsTaken());
  EXPECT_FALSE(RawHistogram{.numbers = number(kMost + 2) + "\0\0"s}.IsTaken());
  // One is followed by the bits; no other odd number is known.
  EXPECT_TRUE(RawHistogram{.numbers = "\1" + std::string(8, 'x') + "\0\0"s}.IsTaken());
  EXPECT_FALSE(RawHistogram{.numbers = "\3" + std::string(8, 'x') + "\0\0"s}.IsTaken());
}

TEST(HistogramCodec, AWholeNumberTakesItsDifference) {
  const auto size_with = [](double count) {
    Histogram first, second;
    first.count = 1'000'000'000'000;
    second.count = count;
    return Encode({Shared(first), Shared(second)}).size();
  };
  // A difference of up to 31 takes a byte.
  const size_t same = size_with(1'000'000'000'000);
  EXPECT_EQ(size_with(1'000'000'000'031), same);
  EXPECT_EQ(size_with(999'999'999'969), same);
  EXPECT_EQ(size_with(1'000'000'000'032), same + 1);
  EXPECT_EQ(size_with(0.5), same + 8);
}

TEST(HistogramCodec, ALayoutIsWrittenAgainWhenAnyPartOfItChanges) {
  Histogram base;
  base.positive_spans = {{1, 1}};
  base.positive_counts = {1};
  base.negative_spans = {{1, 1}};
  base.negative_counts = {1};
  base.custom_values = {1};
  const size_t repeated = Encode({Shared(base), Shared(base)}).size();
  void (*const changes[])(Histogram&) = {
      [](Histogram& h) { h.schema = 1; },
      [](Histogram& h) { h.zero_threshold = -0.0; },
      [](Histogram& h) { h.positive_spans[0].offset = 2; },
      [](Histogram& h) { h.negative_spans[0].offset = 2; },
      [](Histogram& h) { h.custom_values[0] = 2; },
  };
  for (size_t i = 0; i < std::size(changes); ++i) {
    Histogram changed = base;
    changes[i](changed);
    EXPECT_GT(Encode({Shared(base), Shared(changed)}).size(), repeated + 20) << i;
    ExpectRoundTrip({Shared(base), Shared(changed), Shared(base)});
  }
}

}  // namespace
}  // namespace lockstep
