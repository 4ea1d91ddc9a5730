#include "export/read_response.h"

#include <gtest/gtest.h>
#include <snappy.h>

#include <bit>

#include <protozero/pbf_reader.hpp>
#include <vector>

#include "base/coding.h"
#include "base/crc32c.h"

namespace lockstep {
namespace {

const LabelSet& Labels() {
  static const auto& labels = *new LabelSet(LabelSet::Of({{"__name__", "up"}, {"job", "a"}}));
  return labels;
}

struct Frame {
  size_t byte_count = 0;
  size_t chunk_count = 0;
  int64_t query_index = 0;
  std::string labels;
};

std::string LabelsOf(std::string_view series, size_t& chunk_count) {
  std::string text;
  protozero::pbf_reader reader(series);
  while (reader.next()) {
    if (reader.tag() == 2) {
      ++chunk_count;
      reader.skip();
      continue;
    }
    protozero::pbf_reader label(reader.get_view());
    while (label.next()) text += std::string(label.get_view()) + " ";
  }
  return text;
}

// Fails the test if a frame is damaged.
std::vector<Frame> Frames(std::string_view bytes) {
  std::vector<Frame> frames;
  while (!bytes.empty()) {
    uint64_t size = 0;
    uint32_t checksum = 0;
    EXPECT_TRUE(GetVarint64(bytes, size));
    EXPECT_TRUE(GetFixed32(bytes, checksum));
    const std::string_view message = bytes.substr(0, size);
    bytes.remove_prefix(size);
    EXPECT_EQ(checksum, Crc32c(message));
    Frame& frame = frames.emplace_back();
    frame.byte_count = size;
    protozero::pbf_reader reader(message);
    while (reader.next()) {
      if (reader.tag() == 1) {
        frame.labels = LabelsOf(reader.get_view(), frame.chunk_count);
      } else {
        frame.query_index = reader.get_int64();
      }
    }
  }
  return frames;
}

TEST(ReadResponseTest, ASeriesIsAFrame) {
  SampleColumns samples;
  for (int i = 0; i < 130; ++i) samples.Append(i, i);
  std::string bytes;
  AppendSeriesFrames(Labels(), samples, 3, bytes);
  AppendSeriesFrames(Labels(), {}, 3, bytes);
  const auto frames = Frames(bytes);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].labels, "__name__ up job a ");
  EXPECT_EQ(frames[0].chunk_count, 2u);
  EXPECT_EQ(frames[0].query_index, 3);
}

TEST(ReadResponseTest, ALongSeriesIsSeveralFrames) {
  SampleColumns samples;
  for (int i = 0; i < 400'000; ++i) samples.Append(i, i * 0.7);
  std::string bytes;
  AppendSeriesFrames(Labels(), samples, 0, bytes);
  const auto frames = Frames(bytes);
  EXPECT_GT(frames.size(), 1u);
  size_t chunk_count = 0;
  for (const Frame& frame : frames) {
    EXPECT_LT(frame.byte_count, kMaxFrameBytes + 4096);
    EXPECT_EQ(frame.labels, "__name__ up job a ");
    chunk_count += frame.chunk_count;
  }
  EXPECT_EQ(chunk_count, (400'000u + 119) / 120);
}

TEST(ReadResponseTest, SamplesAreSeriesOfAResult) {
  SampleColumns samples;
  samples.Append(5, 1.5);
  samples.Append(7, StaleNan());
  std::string result;
  AppendReadSeries(Labels(), samples, result);
  AppendReadSeries(Labels(), samples, result);
  std::string response;
  AppendQueryResult(result, response);
  AppendQueryResult("", response);
  std::string plain;
  const std::string block = SnappyBlock(response);
  ASSERT_TRUE(snappy::Uncompress(block.data(), block.size(), &plain));
  EXPECT_EQ(plain, response);
  // Result 0 has two series with two labels and two samples each; result 1 is empty.
  protozero::pbf_reader reader(plain);
  ASSERT_TRUE(reader.next(1));
  const std::string_view first = reader.get_view();
  EXPECT_EQ(first, result);
  ASSERT_TRUE(reader.next(1));
  EXPECT_TRUE(reader.get_view().empty());
  EXPECT_FALSE(reader.next());
  size_t series_count = 0;
  protozero::pbf_reader results(first);
  while (results.next(1)) {
    ++series_count;
    size_t label_count = 0;
    std::vector<uint64_t> values;
    protozero::pbf_reader series(results.get_view());
    while (series.next()) {
      if (series.tag() == 1) {
        ++label_count;
        series.skip();
      } else {
        protozero::pbf_reader sample(series.get_view());
        ASSERT_TRUE(sample.next(1));
        values.push_back(std::bit_cast<uint64_t>(sample.get_double()));
      }
    }
    EXPECT_EQ(label_count, 2u);
    EXPECT_EQ(values, (std::vector<uint64_t>{std::bit_cast<uint64_t>(1.5), kStaleNanBits}));
  }
  EXPECT_EQ(series_count, 2u);
}

}  // namespace
}  // namespace lockstep
