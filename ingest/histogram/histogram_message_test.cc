#include "ingest/histogram/histogram_message.h"
#include "base/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <protozero/pbf_writer.hpp>

namespace lockstep {
namespace {

using std::string_view_literals::operator""sv;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void PutSpan(protozero::pbf_writer& message, uint32_t tag, int32_t offset, uint32_t length) {
  protozero::pbf_writer span(message, tag);
  span.add_sint32(1, offset);
  span.add_uint32(2, length);
}

// A valid integer histogram for tests to modify: buckets 2, 5, 1 | 3 and a zero bucket of 4.
struct IntegerFields {
  uint64_t count = 15;
  double sum = 18.5;
  int32_t schema = 1;
  double zero_threshold = 0.001;
  uint64_t zero_count = 4;
  int32_t second_offset = 1;
  uint32_t second_length = 1;
  std::vector<int64_t> positive_deltas = {2, 3, -4};
  std::vector<int64_t> negative_deltas = {3};
  std::vector<double> custom_values = {};
};

std::string Encode(const IntegerFields& f) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_uint64(1, f.count);
  message.add_double(3, f.sum);
  message.add_sint32(4, f.schema);
  message.add_double(5, f.zero_threshold);
  message.add_uint64(6, f.zero_count);
  if (!f.negative_deltas.empty()) PutSpan(message, 8, -2, 1);
  message.add_packed_sint64(9, f.negative_deltas.begin(), f.negative_deltas.end());
  PutSpan(message, 11, 0, 2);
  PutSpan(message, 11, f.second_offset, f.second_length);
  message.add_packed_sint64(12, f.positive_deltas.begin(), f.positive_deltas.end());
  message.add_enum(14, 2);
  message.add_int64(15, 1234567);
  message.add_packed_double(16, f.custom_values.begin(), f.custom_values.end());
  return bytes;
}

TEST(HistogramMessageTest, IntegerDeltasBecomeAbsoluteCounts) {
  const auto sample = DecodeHistogramMessage(Encode({}));
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->timestamp_ms, 1234567);
  const Histogram& h = *sample->histogram;
  EXPECT_EQ(h.count, 15);
  EXPECT_EQ(h.sum, 18.5);
  EXPECT_EQ(h.schema, 1);
  EXPECT_EQ(h.zero_threshold, 0.001);
  EXPECT_EQ(h.zero_count, 4);
  EXPECT_EQ(h.reset_hint, CounterResetHint::kNotReset);
  EXPECT_THAT(h.positive_spans, ElementsAre(BucketSpan{0, 2}, BucketSpan{1, 1}));
  EXPECT_THAT(h.positive_counts, ElementsAre(2, 5, 1));
  EXPECT_THAT(h.negative_spans, ElementsAre(BucketSpan{-2, 1}));
  EXPECT_THAT(h.negative_counts, ElementsAre(3));
}

TEST(HistogramMessageTest, GoldenBytes) {
  // Written by hand from the message definition: count_int 3, sum 1.5, schema 0, zero_threshold 1,
  // zero_count_int 1, one positive span {0, 2} with deltas +1 0, timestamp 5.
  constexpr std::string_view bytes =
      "\x08\x03"
      "\x19\x00\x00\x00\x00\x00\x00\xf8\x3f"
      "\x20\x00"
      "\x29\x00\x00\x00\x00\x00\x00\xf0\x3f"
      "\x30\x01"
      "\x5a\x04\x08\x00\x10\x02"
      "\x62\x02\x02\x00"
      "\x78\x05"sv;
  const auto sample = DecodeHistogramMessage(bytes);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->timestamp_ms, 5);
  EXPECT_EQ(sample->histogram->count, 3);
  EXPECT_EQ(sample->histogram->sum, 1.5);
  EXPECT_THAT(sample->histogram->positive_counts, ElementsAre(1, 1));
}

TEST(HistogramMessageTest, FloatCountsAreTakenAsTheyAre) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_double(2, 7.5);
  message.add_double(3, 2.25);
  message.add_sint32(4, -4);
  message.add_double(7, 0.5);
  PutSpan(message, 11, -3, 2);
  // Repeated numbers may also be unpacked.
  message.add_double(13, 3.5);
  message.add_double(13, 3.5);
  const auto sample = DecodeHistogramMessage(bytes);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->histogram->count, 7.5);
  EXPECT_EQ(sample->histogram->zero_count, 0.5);
  EXPECT_THAT(sample->histogram->positive_counts, ElementsAre(3.5, 3.5));
}

TEST(HistogramMessageTest, CustomBuckets) {
  const auto sample = DecodeHistogramMessage(Encode({.count = 8,
                                                     .schema = kCustomBucketsSchema,
                                                     .zero_threshold = 0,
                                                     .zero_count = 0,
                                                     .negative_deltas = {},
                                                     .custom_values = {0.5, 1, 2}}));
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_THAT(sample->histogram->custom_values, ElementsAre(0.5, 1, 2));
}

TEST(HistogramMessageTest, StaleMarkerKeepsItsBits) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_double(3, StaleNan());
  message.add_int64(15, 9);
  const auto sample = DecodeHistogramMessage(bytes);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_TRUE(IsStaleNan(sample->histogram->sum));
  EXPECT_THAT(sample->histogram->positive_spans, IsEmpty());
}

TEST(HistogramMessageTest, RefusesWhatBreaksTheRules) {
  struct Case {
    IntegerFields fields;
    std::string why;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const IntegerFields custom = {.count = 8,
                                .schema = kCustomBucketsSchema,
                                .zero_threshold = 0,
                                .zero_count = 0,
                                .negative_deltas = {},
                                .custom_values = {0.5, 1, 2}};
  const auto custom_with = [&](const std::function<void(IntegerFields&)>& change) {
    IntegerFields fields = custom;
    change(fields);
    return fields;
  };
  const Case cases[] = {
      {{.count = 14}, "count should equal the number of observations"},
      {{.count = 14, .sum = nan}, "count should be at least the number"},
      {{.second_offset = -1}, "span number 2 with offset -1"},
      {{.second_length = 2}, "spans need 4 buckets, have 3 buckets"},
      {{.positive_deltas = {2, -3, 4}}, "bucket number 2 has observation count of -1"},
      {{.positive_deltas = {2, std::numeric_limits<int64_t>::max(), 0}}, "beyond 63 bits"},
      {{.schema = 9}, "invalid schema 9"},
      {{.schema = -5}, "invalid schema -5"},
      {{.zero_threshold = -1}, "zero threshold"},
      {{.second_offset = std::numeric_limits<int32_t>::max()}, "bucket index beyond 32 bits"},
      {{.custom_values = {1}}, "must not have custom bounds"},
      {custom_with([](auto& f) { f.zero_count = 1, f.count = 9; }), "zero count of 0"},
      {custom_with([](auto& f) { f.zero_threshold = 1; }), "zero threshold of 0"},
      {custom_with([](auto& f) { f.negative_deltas = {1}, f.count = 9; }), "negative spans"},
      {custom_with([](auto& f) {
         f.custom_values = {1, 1, 2};
       }),
       "strictly increasing"},
      {custom_with([&](auto& f) {
         f.custom_values = {1, nan, 2};
       }),
       "strictly increasing"},
      {custom_with([&](auto& f) {
         f.custom_values = {1, 2, infinity};
       }),
       "must be finite"},
      {custom_with([](auto& f) {
         f.custom_values = {1, 2};
       }),
       "custom bounds are too few"},
  };
  for (const Case& c : cases) {
    const auto sample = DecodeHistogramMessage(Encode(c.fields));
    EXPECT_EQ(sample.status().code(), absl::StatusCode::kInvalidArgument) << c.why;
    EXPECT_THAT(std::string(Message(sample.status())), HasSubstr(c.why));
  }
}

TEST(HistogramMessageTest, RepeatedNumbersMayBeUnpacked) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_uint64(1, 6);
  message.add_sint32(4, 0);
  PutSpan(message, 8, 0, 2);
  message.add_sint64(9, 1);
  message.add_sint64(9, 1);
  PutSpan(message, 11, 0, 2);
  message.add_sint64(12, 2);
  message.add_sint64(12, -1);
  message.add_int64(15, 5);
  message.add_int64(17, 3);
  message.add_string(99, "from the future");
  const auto sample = DecodeHistogramMessage(bytes);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_THAT(sample->histogram->negative_counts, ElementsAre(1, 2));
  EXPECT_THAT(sample->histogram->positive_counts, ElementsAre(2, 1));
  EXPECT_EQ(sample->timestamp_ms, 5);
  EXPECT_EQ(sample->start_timestamp_ms, 3);
  std::string custom;
  protozero::pbf_writer other(custom);
  other.add_sint32(4, kCustomBucketsSchema);
  other.add_double(16, 0.5);
  other.add_double(16, 1.5);
  const auto with_bounds = DecodeHistogramMessage(custom);
  ASSERT_TRUE(with_bounds.ok()) << with_bounds.status();
  EXPECT_THAT(with_bounds->histogram->custom_values, ElementsAre(0.5, 1.5));
}

TEST(HistogramMessageTest, PackedFloatCounts) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_double(2, 10);
  const std::vector<double> positive = {1, 2.5}, negative = {0.5};
  PutSpan(message, 8, 3, 1);
  message.add_packed_double(10, negative.begin(), negative.end());
  PutSpan(message, 11, 0, 2);
  message.add_packed_double(13, positive.begin(), positive.end());
  const auto sample = DecodeHistogramMessage(bytes);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->histogram->count, 10);
  EXPECT_THAT(sample->histogram->positive_counts, ElementsAre(1, 2.5));
  EXPECT_THAT(sample->histogram->negative_counts, ElementsAre(0.5));
}

TEST(HistogramMessageTest, FloatCountsAreNotNegative) {
  const auto flaw = [](uint32_t field, double value) {
    std::string bytes;
    protozero::pbf_writer message(bytes);
    message.add_double(2, field == 2 ? value : 5);
    if (field == 7) message.add_double(7, value);
    if (field == 10) PutSpan(message, 8, 0, 2);
    if (field == 13) PutSpan(message, 11, 0, 2);
    if (field == 10 || field == 13) {
      message.add_double(field, 0);
      message.add_double(field, value);
    }
    return std::string(Message(DecodeHistogramMessage(bytes).status()));
  };
  const std::string bucket =
      "bucket number 2 has observation count of -0.5: histogram has a bucket whose observation "
      "count is negative";
  for (const uint32_t field : {2, 7, 10, 13}) EXPECT_EQ(flaw(field, 0), "") << field;
  EXPECT_EQ(flaw(10, -0.5), bucket);
  EXPECT_EQ(flaw(13, -0.5), bucket);
  EXPECT_EQ(flaw(7, -0.5),
            "zero bucket has observation count of -0.5: histogram has a bucket whose observation "
            "count is negative");
  EXPECT_EQ(flaw(2, -0.5), "observation count is -0.5: histogram's observation count is negative");
}

TEST(HistogramMessageTest, ManyObservationsAreNoOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  // Buckets of 2^63 - 1, twice, and two more: 2^64 observations.
  IntegerFields fields;
  fields.zero_count = 0;
  fields.positive_deltas = {kMax, 0, 2 - kMax};
  fields.negative_deltas = {};
  fields.count = 0;
  EXPECT_EQ(Message(DecodeHistogramMessage(Encode(fields)).status()),
            "histogram has more than 2^64 observations");
  fields.positive_deltas = {kMax, 0, 1 - kMax};
  fields.count = std::numeric_limits<uint64_t>::max();
  EXPECT_TRUE(DecodeHistogramMessage(Encode(fields)).ok());
}

TEST(HistogramMessageTest, ObservationsThatAreNanAreInNoBucket) {
  IntegerFields fields;
  fields.sum = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(DecodeHistogramMessage(Encode(fields)).ok());
  fields.count = 16;
  EXPECT_TRUE(DecodeHistogramMessage(Encode(fields)).ok());
  fields.sum = 1;
  EXPECT_EQ(Message(DecodeHistogramMessage(Encode(fields)).status()),
            "15 observations found in buckets, but the Count field is 16: histogram's observation "
            "count should equal the number of observations found in the buckets (in absence of "
            "NaN)");
}

TEST(HistogramMessageTest, WhatIsWrittenIsReadAgain) {
  Histogram h;
  h.schema = kCustomBucketsSchema;
  h.count = 3;
  h.sum = 2.5;
  h.positive_spans = {{1, 2}};
  h.positive_counts = {1, 2};
  h.custom_values = {0.5, 1.5};
  h.reset_hint = CounterResetHint::kReset;
  std::string bytes;
  protozero::pbf_writer message(bytes);
  PutHistogram({7, std::make_shared<const Histogram>(h)}, message);
  const auto sample = DecodeHistogramMessage(bytes);
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->timestamp_ms, 7);
  EXPECT_EQ(sample->histogram->count, 3);
  EXPECT_EQ(sample->histogram->sum, 2.5);
  EXPECT_EQ(sample->histogram->reset_hint, CounterResetHint::kReset);
  EXPECT_THAT(sample->histogram->positive_spans, ElementsAre(BucketSpan{1, 2}));
  EXPECT_THAT(sample->histogram->positive_counts, ElementsAre(1, 2));
  EXPECT_THAT(sample->histogram->custom_values, ElementsAre(0.5, 1.5));
}

}  // namespace
}  // namespace lockstep
