#include "ingest/remote_write/plain_series.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep {
namespace {

using namespace std::string_literals;

const std::string kLabels = "\x0a\x07\x0a\x01\x61\x12\x02\x62\x63"s;      // a="bc"
const std::string kSample = "\x12\x0b\x09\0\0\0\0\0\0\xf8\x3f\x10\x05"s;  // 1.5 at 5 ms

// The labels' bytes and the number of samples, or "no".
std::string Read(const std::string& message) {
  std::vector<Sample> samples = {{1, 1}};
  const auto labels = ReadPlainSeries(message, samples);
  if (!labels.has_value()) {
    EXPECT_EQ(samples.size(), 1u);
    return "no";
  }
  return std::string(labels->before_name) + std::string(labels->name) +
         std::string(labels->after_name) + "/" + std::to_string(samples.size() - 1);
}

TEST(PlainSeries, GivesLabelsAsTheyAreAndSamples) {
  std::vector<Sample> samples;
  const std::string message = kLabels + kLabels + kSample + kSample;
  const auto labels = ReadPlainSeries(message, samples);
  ASSERT_TRUE(labels.has_value());
  EXPECT_EQ(labels->before_name, kLabels + kLabels);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[1].timestamp_ms, 5);
  EXPECT_EQ(samples[1].value, 1.5);
  EXPECT_EQ(Read(""), "/0");
  EXPECT_EQ(Read(kLabels), kLabels + "/0");
}

TEST(PlainSeries, FindsTheNameAmongTheLabels) {
  const std::string name = "\x0a\x0e\x0a\x08__name__\x12\x02up"s;
  const std::string long_name = "\x0a\xd5\x01\x0a\x08__name__\x12\xc8\x01" + std::string(200, 'n');
  const std::string value = "\x0a\x0d\x0a\x01j\x12\x08__name__"s;
  for (const std::string& found : {name, long_name}) {
    std::vector<Sample> samples;
    const std::string message = kLabels + found + value + name + kSample;
    const auto labels = ReadPlainSeries(message, samples);
    ASSERT_TRUE(labels.has_value());
    EXPECT_EQ(labels->before_name, kLabels);
    EXPECT_EQ(labels->name, found);
    EXPECT_EQ(labels->after_name, value + name);
  }
}

// "name=value," for each label, or "no".
std::string ReadLabels(const std::string& message) {
  std::vector<LabelView> labels;
  if (!ReadPlainLabels(message, labels)) return "no";
  std::string text;
  for (const LabelView& label : labels) {
    text += std::string(label.name) + "=" + std::string(label.value) + ",";
  }
  return text;
}

TEST(PlainSeries, TakesLabelsApart) {
  const std::string empty = "\x0a\x05\x0a\x01\x62\x12\x00"s;
  const std::string long_value(200, 'v');
  const std::string long_label = "\x0a\xce\x01\x0a\x01\x63\x12\xc8\x01" + long_value;
  EXPECT_EQ(ReadLabels(kSample), "");
  EXPECT_EQ(ReadLabels(kLabels + empty + kSample), "a=bc,b=,");
  EXPECT_EQ(ReadLabels(kLabels + long_label + kLabels + kSample),
            "a=bc,c=" + long_value + ",a=bc,");
}

TEST(PlainSeries, LeavesOtherLabelsToOthers) {
  for (size_t size = 1; size < kLabels.size(); ++size) {
    EXPECT_EQ(ReadLabels(kLabels.substr(0, size)), "no") << size;
  }
  EXPECT_EQ(ReadLabels("\x0a\x03\x0a\x01\x61"s), "no");                          // no value
  EXPECT_EQ(ReadLabels("\x0a\x07\x12\x02\x62\x63\x0a\x01\x61"s), "no");          // swapped
  EXPECT_EQ(ReadLabels("\x0a\x09\x0a\x01\x61\x12\x02\x62\x63\x18\x05"s), "no");  // an unknown field
  EXPECT_EQ(ReadLabels("\x0a\x0a\x0a\x01\x61\x12\x02\x62\x63\x12\x01\x64"s), "no");  // two values
}

TEST(PlainSeries, FieldsThatAreZeroMayBeMissing) {
  std::vector<Sample> samples;
  ASSERT_TRUE(ReadPlainSeries("\x12\x00\x12\x02\x10\x07"s, samples).has_value());
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].timestamp_ms, 0);
  EXPECT_EQ(samples[0].value, 0);
  EXPECT_EQ(samples[1].timestamp_ms, 7);
}

TEST(PlainSeries, ReadsNegativeTimes) {
  std::vector<Sample> samples;
  ASSERT_TRUE(ReadPlainSeries("\x12\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, samples));
  EXPECT_EQ(samples.at(0).timestamp_ms, -1);
}

TEST(PlainSeries, LeavesEverythingElseToOthers) {
  EXPECT_EQ(Read(kSample + kLabels), "no");                                  // labels after samples
  EXPECT_EQ(Read(kLabels + kSample + "\x1a\x00"s), "no");                    // an exemplar
  EXPECT_EQ(Read(kLabels + "\x12\x04\x10\x05\x10\x06"s), "no");              // a field twice
  EXPECT_EQ(Read(kLabels + "\x12\x0b\x10\x05\x09\0\0\0\0\0\0\0\0"s), "no");  // fields swapped
  EXPECT_EQ(Read(kLabels + "\x12\x02\x18\x05"s), "no");                      // an unknown field
}

TEST(PlainSeries, LeavesWhatIsCutToOthers) {
  const std::string whole = kLabels + kSample;
  for (size_t size = 1; size < whole.size(); ++size) {
    if (size != kLabels.size()) {
      EXPECT_EQ(Read(whole.substr(0, size)), "no") << size;
    }
  }
  EXPECT_EQ(Read("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s), "no");
}

}  // namespace
}  // namespace lockstep
