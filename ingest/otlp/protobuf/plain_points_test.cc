#include "ingest/otlp/protobuf/plain_points.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::otlp {
namespace {

using std::string_literals::operator""s;

// Fields of a NumberDataPoint, written by hand from the message definition.
const std::string kStart = "\x11\x01\x00\x00\x00\x00\x00\x00\x00"s;
const std::string kTime = "\x19\x02\x00\x00\x00\x00\x00\x00\x00"s;
const std::string kDouble = "\x21\x00\x00\x00\x00\x00\x00\xf8\x3f"s;
const std::string kInteger = "\x31\xfe\xff\xff\xff\xff\xff\xff\xff"s;
const std::string kAttribute = "\x3a\x03key"s;

// "attributes start time value", or "no".
std::string Read(const std::string& message) {
  PlainNumberPoint point;
  if (!ReadPlainPoint(message, point)) return "no";
  return std::string(point.attributes) + " " + std::to_string(point.start_ns) + " " +
         std::to_string(point.time_ns) + " " + std::to_string(point.value);
}

TEST(PlainPoints, NumbersInAnyOrderOfFields) {
  struct Row {
    std::string message, expected;
  };
  for (const Row& row : {
           Row{"", " 0 0 0.000000"},
           Row{kStart + kTime + kDouble + kAttribute, "\x3a\x03key 1 2 1.500000"},
           Row{kAttribute + kAttribute + kTime + kInteger + kStart,
               "\x3a\x03key\x3a\x03key 1 2 -2.000000"},
           Row{kTime + kDouble + kAttribute + "\x40\x00"s, "\x3a\x03key 0 2 1.500000"},
           // No value, an exemplar, attributes in two places, an unknown field.
           Row{kTime + kAttribute + "\x40\x01"s, "no"},
           Row{kTime + kDouble + "\x2a\x00"s, "no"},
           Row{kAttribute + kTime + kAttribute, "no"},
           Row{kTime + "\x48\x01"s, "no"},
       }) {
    EXPECT_EQ(Read(row.message), row.expected);
  }
}

TEST(PlainPoints, CutOnesAreNotPlain) {
  const std::string whole = kTime + kDouble + kAttribute;
  for (size_t length = 1; length < whole.size(); ++length) {
    // Cut between two fields, it is still a point.
    if (length == kTime.size() || length == kTime.size() + kDouble.size()) continue;
    EXPECT_EQ(Read(whole.substr(0, length)), "no") << length;
  }
}

TEST(PlainPoints, Histograms) {
  const std::string count = "\x21\x03\x00\x00\x00\x00\x00\x00\x00"s;
  const std::string sum = "\x29\x00\x00\x00\x00\x00\x00\x10\x40"s;
  const std::string counts = "\x32\x10\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"s;
  const std::string bounds = "\x3a\x08\x00\x00\x00\x00\x00\x00\xe0\x3f"s;
  const std::string lowest = "\x59\x00\x00\x00\x00\x00\x00\xe0\x3f"s;
  // The point has views of this.
  const std::string message = kTime + count + sum + counts + bounds + "\x4a\x03key" + lowest;
  PlainHistogramPoint point;
  ASSERT_TRUE(ReadPlainPoint(message, point));
  EXPECT_EQ(point.attributes, "\x4a\x03key");
  EXPECT_EQ(point.count, 3u);
  EXPECT_TRUE(point.has_sum);
  EXPECT_EQ(point.sum, 4);
  ASSERT_EQ(point.bucket_counts.size(), 2u);
  EXPECT_EQ(point.bucket_counts.Count(1), 2u);
  ASSERT_EQ(point.bounds.size(), 1u);
  EXPECT_EQ(point.bounds.Bound(0), 0.5);
  EXPECT_FALSE(ReadPlainPoint(kTime + counts + counts, point));
  EXPECT_FALSE(ReadPlainPoint(kTime + "\x32\x01\x01", point));
  EXPECT_FALSE(ReadPlainPoint(kTime + "\x42\x00"s, point));  // an exemplar
  EXPECT_FALSE(ReadPlainPoint(kTime + "\x50\x01", point));   // no value
}

}  // namespace
}  // namespace lockstep::otlp
