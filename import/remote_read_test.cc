#include "import/remote_read.h"

#include <gtest/gtest.h>
#include <snappy.h>

#include <limits>

#include "absl/strings/str_format.h"
#include "export/read_request.h"
#include "export/read_response.h"

namespace lockstep::importer {
namespace {

SampleColumns Rising(int64_t count, double first) {
  SampleColumns samples;
  for (int64_t i = 0; i < count; ++i) samples.Append(1000 * i, first + static_cast<double>(i));
  return samples;
}

const LabelSet kFirst = LabelSet::Of({{kMetricName, "a"}, {"rank", "0"}});
const LabelSet kSecond = LabelSet::Of({{kMetricName, "b"}});

// "labels: count, sum" for each series or part of one, fed in pieces of `piece_bytes`.
std::string ReadBack(std::string_view body, bool is_streamed, size_t piece_bytes) {
  std::string text;
  RemoteReadAnswer answer([&](const LabelSet& labels, const SampleColumns& samples) {
    double sum = 0;
    for (const double value : samples.values) sum += value;
    absl::StrAppendFormat(&text, "%s: %d, %g; ", labels.ToString(), samples.values.size(), sum);
    return absl::OkStatus();
  });
  absl::Status status;
  while (!body.empty() && status.ok()) {
    const std::string_view piece = body.substr(0, piece_bytes);
    body.remove_prefix(piece.size());
    status = answer.Feed(piece, is_streamed);
  }
  if (status.ok()) status = answer.Finish(is_streamed);
  return status.ok() ? text : "error";
}

std::string Frames() {
  std::string frames;
  AppendSeriesFrames(kFirst, Rising(300, 0), 0, frames);
  AppendSeriesFrames(kSecond, Rising(2, 7), 0, frames);
  return frames;
}

std::string SamplesBody() {
  std::string result;
  AppendReadSeries(kFirst, Rising(300, 0), result);
  AppendReadSeries(kSecond, Rising(2, 7), result);
  std::string response;
  AppendQueryResult(result, response);
  return SnappyBlock(response);
}

// 0 + 1 + ... + 299 and 7 + 8.
constexpr std::string_view kBoth = "a{rank=\"0\"}: 300, 44850; b: 2, 15; ";

TEST(RemoteReadAnswerTest, InBothForms) {
  for (const size_t piece_bytes : {size_t{1}, size_t{7}, std::numeric_limits<size_t>::max()}) {
    EXPECT_EQ(ReadBack(Frames(), true, piece_bytes), kBoth);
    EXPECT_EQ(ReadBack(SamplesBody(), false, piece_bytes), kBoth);
  }
  EXPECT_EQ(ReadBack("", true, 1), "");
}

TEST(RemoteReadAnswerTest, WhatIsDamagedIsAnError) {
  const std::string frames = Frames();
  const std::string samples = SamplesBody();
  for (size_t size = 1; size < samples.size(); ++size) {
    EXPECT_EQ(ReadBack(samples.substr(0, size), false, 1000), "error") << size;
  }
  for (size_t i = 0; i < frames.size(); ++i) {
    std::string bad = frames;
    bad[i] ^= 0x10;
    EXPECT_EQ(ReadBack(bad, true, 1000), "error") << i;
  }
  EXPECT_EQ(ReadBack(frames.substr(0, frames.size() - 1), true, 1000), "error");
}

TEST(RemoteReadRequestTest, SaysWhatIsAsked) {
  const std::vector<Matcher> matchers = {
      Matcher::Equal("job", "a"), Matcher::Make(MatchType::kNotRegex, "rank", "1|2").value()};
  const std::string body = EncodeReadRequest(matchers, {-5, 1000});
  std::string message;
  ASSERT_TRUE(snappy::Uncompress(body.data(), body.size(), &message));
  const auto read = ParseReadRequest(message);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->response_type, ReadResponseType::kStreamedChunks);
  ASSERT_EQ(read->queries.size(), 1u);
  EXPECT_EQ(read->queries[0].range.min_ms, -5);
  EXPECT_EQ(read->queries[0].range.max_ms, 1000);
  EXPECT_EQ(read->queries[0].matchers, matchers);
}

}  // namespace
}  // namespace lockstep::importer
