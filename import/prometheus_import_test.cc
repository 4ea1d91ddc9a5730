#include "import/prometheus_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>

#include <filesystem>

#include "absl/strings/str_format.h"
#include "export/read_request.h"
#include "export/read_response.h"
#include "import/delivery/session_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kHourMs = 3'600'000;
constexpr std::string_view kStreamed =
    "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse";

// Runs in a folder of its own, where the resume point is.
class PrometheusImportTest : public testing::Test {
 protected:
  PrometheusImportTest() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_.path());
    source_.url = "http://user@prom:9090/x";
    source_.selectors = {{Matcher::Equal("job", "a")}};
    source_.range = {0, 1000};
  }
  ~PrometheusImportTest() override { std::filesystem::current_path(before_); }

  absl::Status Run() {
    const ImportSession session = test_.session();
    report_ = {};
    return PrometheusImport(
               source_,
               [this](const Outgoing& request, const PrometheusImport::TakeBody& take) {
                 return Read(request, take);
               },
               [](std::chrono::milliseconds) { return false; }, {std::chrono::milliseconds(0)},
               session, report_)
        .Run();
  }
  // Records the question and gives the prepared answer.
  absl::StatusOr<Reply> Read(const Outgoing& request, const PrometheusImport::TakeBody& take) {
    std::string message;
    EXPECT_TRUE(snappy::Uncompress(request.body.data(), request.body.size(), &message));
    const auto read = ParseReadRequest(message);
    EXPECT_TRUE(read.ok()) << read.status();
    path_ = request.path;
    headers_ = request.headers;
    questions_.push_back(
        absl::StrFormat("%s from %d to %d", read->queries[0].matchers[0].ToString(),
                        read->queries[0].range.min_ms, read->queries[0].range.max_ms));
    if (questions_.size() == fails_at_) return Reply{503, "", "busy"};
    if (status_ != 200) return Reply{status_, "", "no"};
    std::string_view rest = body_;
    while (!rest.empty()) {
      const std::string_view piece = rest.substr(0, 7);
      rest.remove_prefix(piece.size());
      if (!take(type_, piece)) return absl::CancelledError("stopped");
    }
    return Reply{200, "", ""};
  }
  // A series with a value at each of the times.
  void PrepareFrames(const std::vector<int64_t>& times_ms) {
    SampleColumns samples;
    for (const int64_t time_ms : times_ms) samples.Append(time_ms, 1);
    body_.clear();
    AppendSeriesFrames(LabelSet::Of({{kMetricName, "a"}}), samples, 0, body_);
    type_ = kStreamed;
  }

  const TestFolder folder_;
  const std::filesystem::path before_;
  PrometheusSource source_;
  TestSession test_;
  ImportReport report_;
  std::string body_;
  std::string_view type_ = kStreamed;
  int status_ = 200;
  size_t fails_at_ = 0;
  std::string path_;
  std::vector<std::string> headers_;
  std::vector<std::string> questions_;
};

TEST_F(PrometheusImportTest, WritesWhatItReads) {
  PrepareFrames({5, 1000});
  const absl::Status status = Run();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(path_, "/api/v1/read");
  EXPECT_THAT(headers_,
              ElementsAre("Content-Type: application/x-protobuf", "Content-Encoding: snappy",
                          "X-Prometheus-Remote-Read-Version: 0.1.0"));
  EXPECT_THAT(questions_, ElementsAre("job=\"a\" from 0 to 1000"));
  EXPECT_THAT(test_.samples(), ElementsAre("a 1@5", "a 1@1000"));
  EXPECT_EQ(report_.source, "http://user@prom:9090/x");
  EXPECT_EQ(report_.format, "remote read");
  EXPECT_EQ(report_.read_bytes, body_.size());
  // One for the write and one for the slice.
  EXPECT_EQ(test_.progress_count, 2);
}

TEST_F(PrometheusImportTest, UnderstandsAServerThatDoesNotStream) {
  SampleColumns samples;
  samples.Append(5, 2);
  std::string result, response;
  AppendReadSeries(LabelSet::Of({{kMetricName, "a"}}), samples, result);
  AppendQueryResult(result, response);
  body_ = SnappyBlock(response);
  type_ = "application/x-protobuf";
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(test_.samples(), ElementsAre("a 2@5"));
}

// A server returns whole chunks.
TEST_F(PrometheusImportTest, LeavesOutWhatIsOutsideTheSlice) {
  source_.range = {10, 20};
  PrepareFrames({9, 10, 20, 21});
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(test_.samples(), ElementsAre("a 1@10", "a 1@20"));
}

TEST_F(PrometheusImportTest, SlicesEndOnTheHour) {
  source_.range = {kHourMs / 2, 2 * kHourMs};
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(questions_,
              ElementsAre("job=\"a\" from 1800000 to 3599999", "job=\"a\" from 3600000 to 7199999",
                          "job=\"a\" from 7200000 to 7200000"));
}

TEST_F(PrometheusImportTest, AnEmptyRangeAsksNothing) {
  source_.range = {10, 9};
  EXPECT_TRUE(Run().ok());
  EXPECT_THAT(questions_, IsEmpty());
}

TEST_F(PrometheusImportTest, AsksForEachSelectorOfASlice) {
  source_.selectors.push_back({Matcher::Equal("job", "b")});
  source_.range = {0, kHourMs};
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(questions_, ElementsAre("job=\"a\" from 0 to 3599999", "job=\"b\" from 0 to 3599999",
                                      "job=\"a\" from 3600000 to 3600000",
                                      "job=\"b\" from 3600000 to 3600000"));
}

TEST_F(PrometheusImportTest, GoesOnWithTheSliceThatFailed) {
  source_.range = {0, 3 * kHourMs};
  test_.resumes = true;
  fails_at_ = 3;
  EXPECT_TRUE(absl::IsUnavailable(Run()));
  const std::string point = "prometheus-prom_9090_x.lockstep-offset";
  EXPECT_TRUE(std::filesystem::exists(point));
  fails_at_ = 0;
  questions_.clear();
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(questions_.front(), "job=\"a\" from 7200000 to 10799999");
  EXPECT_FALSE(std::filesystem::exists(point));
}

TEST_F(PrometheusImportTest, ResumesTheSameQuestionOnly) {
  source_.range = {0, 3 * kHourMs};
  test_.resumes = true;
  fails_at_ = 2;
  EXPECT_FALSE(Run().ok());
  fails_at_ = 0;
  source_.range.min_ms = 1;
  EXPECT_TRUE(absl::IsFailedPrecondition(Run()));
  source_.range.min_ms = 0;
  source_.selectors = {{Matcher::Equal("job", "b")}};
  EXPECT_TRUE(absl::IsFailedPrecondition(Run()));
  source_.selectors = {{Matcher::Make(MatchType::kNotEqual, "job", "a").value()}};
  EXPECT_TRUE(absl::IsFailedPrecondition(Run()));
  source_.selectors = {{Matcher::Equal("job", "a")}};
  // The end may be another.
  source_.range.max_ms = 2 * kHourMs;
  EXPECT_TRUE(Run().ok());
}

TEST_F(PrometheusImportTest, ARefusalIsInTheSourcesWords) {
  status_ = 404;
  const absl::Status status = Run();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(Message(status),
            "cannot read from http://user@prom:9090/x: the server answered 404: no");
}

TEST_F(PrometheusImportTest, ADamagedResponseIsNotAskedForAgain) {
  PrepareFrames({5});
  body_[body_.size() / 2] ^= 0x40;
  EXPECT_TRUE(absl::IsDataLoss(Run()));
  EXPECT_EQ(questions_.size(), 1u);
  PrepareFrames({5});
  body_.pop_back();
  const absl::Status cut = Run();
  EXPECT_TRUE(absl::IsDataLoss(cut));
  EXPECT_EQ(Message(cut), "the remote read response ends within a frame");
}

TEST_F(PrometheusImportTest, StopsIfTheServerRefuses) {
  PrepareFrames({5});
  test_.answer = [](const TestSession::Request&) { return Reply{403, "", "read-only"}; };
  const absl::Status status = Run();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(Message(status), "the server answered 403: read-only");
}

}  // namespace
}  // namespace lockstep::importer
