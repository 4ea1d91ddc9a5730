#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <utility>

#include "absl/strings/str_format.h"
#include "import/delivery/session_testing.h"
#include "import/importers.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string ParameterOf(const std::string& path, const std::string& name) {
  const size_t begin = path.find(name + "=");
  if (begin == std::string::npos) return "";
  const size_t value = begin + name.size() + 1;
  return path.substr(value, path.find('&', value) - value);
}

// A server that keeps one log, and has some of it from the start.
class LogImportTest : public testing::Test {
 protected:
  LogImportTest() {
    test_.answer = [this](const TestSession::Request& request) { return Take(request); };
  }

  absl::Status Run(PushedLog::Route route = PushedLog::Route::kSteps) {
    const std::string path = folder_.Write("steps.jsonl", bytes_);
    auto source = ByteSource::Open(path);
    EXPECT_TRUE(source.ok());
    modified_ms_ = (*source)->modified_ms();
    logs::LogHints hints = hints_;
    hints.format = "jsonl";
    const ImportSession session = test_.session();
    return ImportLog(*std::move(source), route, hints, session, report_);
  }
  Reply Take(const TestSession::Request& request) {
    uint64_t offset = 0;
    const std::string number = ParameterOf(request.path, "offset");
    std::from_chars(number.data(), number.data() + number.size(), offset);
    if (offset > stored_.size()) {
      return Reply{409, "", absl::StrFormat(R"({"expected_offset":%d})", stored_.size())};
    }
    stored_.resize(offset);
    stored_ += request.body;
    return Reply{200, "", absl::StrFormat(R"({"next_offset":%d,%s})", stored_.size(), counts_)};
  }

  const TestFolder folder_;
  TestSession test_;
  logs::LogHints hints_;
  std::string bytes_ = "{\"step\":1,\"loss\":2}\n{\"step\":2,\"loss\":3}\n";
  std::string stored_;
  std::string counts_ = R"("refused_samples":0)";
  int64_t modified_ms_ = 0;
  ImportReport report_;
};

TEST_F(LogImportTest, SendsAFileFromTheStartAndEndsIt) {
  hints_.job = "j";
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(stored_, bytes_);
  ASSERT_EQ(test_.requests.size(), 3u);
  // The first one asks where to begin.
  EXPECT_EQ(test_.requests[0].body, "");
  for (const TestSession::Request& request : test_.requests) {
    EXPECT_THAT(request.path, StartsWith("/api/v1/push/steps?stream=import%2F"));
    EXPECT_THAT(request.path, HasSubstr("&job=j"));
    EXPECT_EQ(ParameterOf(request.path, "arrival_ms"), absl::StrFormat("%d", modified_ms_));
  }
  EXPECT_EQ(ParameterOf(test_.requests[1].path, "last"), "");
  EXPECT_EQ(ParameterOf(test_.requests[2].path, "last"), "true");
  EXPECT_EQ(ParameterOf(test_.requests[2].path, "offset"), absl::StrFormat("%d", bytes_.size()));
  EXPECT_EQ(report_.counts.steps(), 2u);
  EXPECT_EQ(report_.read_bytes, bytes_.size());
  EXPECT_EQ(test_.progress_count, 2);
  EXPECT_TRUE(report_.is_whole());
}

TEST_F(LogImportTest, LogsHaveTheirOwnRouteAndTellTheirFormat) {
  ASSERT_TRUE(Run(PushedLog::Route::kLog).ok());
  EXPECT_THAT(test_.requests[0].path, StartsWith("/api/v1/push/log?stream=import%2F"));
  EXPECT_EQ(report_.format, "jsonl");
}

TEST_F(LogImportTest, TheStreamIsTheSameForTheSameFileAndHints) {
  ASSERT_TRUE(Run().ok());
  const std::string stream = ParameterOf(test_.requests[0].path, "stream");
  EXPECT_THAT(stream, testing::EndsWith("%2Fsteps.jsonl"));
  const auto stream_with = [this](const logs::LogHints& hints) {
    hints_ = hints;
    test_.requests.clear();
    stored_.clear();
    const std::string path = folder_.path() + "/steps.jsonl";
    auto source = ByteSource::Open(path);
    const ImportSession session = test_.session();
    EXPECT_TRUE(
        ImportLog(*std::move(source), PushedLog::Route::kSteps, hints, session, report_).ok());
    return ParameterOf(test_.requests[0].path, "stream");
  };
  logs::LogHints hints;
  hints.format = "jsonl";
  EXPECT_EQ(stream_with(hints), stream);
  hints.rank = 0;
  const std::string of_rank = stream_with(hints);
  EXPECT_NE(of_rank, stream);
  hints.rank = std::nullopt;
  hints.job = "j";
  EXPECT_NE(stream_with(hints), stream);
}

TEST_F(LogImportTest, SendsOnlyWhatTheServerLacks) {
  stored_ = bytes_.substr(0, 20);
  // The server answers a question for its offset with what it has.
  test_.answer = [this](const TestSession::Request& request) {
    if (request.body.empty() && ParameterOf(request.path, "last").empty()) {
      return Reply{200, "",
                   absl::StrFormat(R"({"next_offset":%d,"refused_samples":0})", stored_.size())};
    }
    return Take(request);
  };
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(stored_, bytes_);
  ASSERT_EQ(test_.requests.size(), 3u);
  EXPECT_EQ(test_.requests[1].body, bytes_.substr(20));
  EXPECT_EQ(ParameterOf(test_.requests[1].path, "offset"), "20");
  EXPECT_EQ(report_.counts.steps(), 2u);
}

TEST_F(LogImportTest, SamplesThatTheServerHadAreDuplicates) {
  counts_ = R"("refused_samples":1,"refused":"old","new_samples":1,"duplicate_samples":0,)"
            R"("overwritten_samples":0)";
  ASSERT_TRUE(Run().ok());
  // Four samples: two losses and two steps. Three answers told of one new and one refused each.
  ASSERT_TRUE(report_.fates.has_value());
  EXPECT_EQ(report_.counts.samples(), 4u);
  EXPECT_EQ(report_.fates->stored, 3u);
  EXPECT_EQ(report_.fates->duplicate, 0u);
  counts_ = R"("refused_samples":0,"new_samples":0,"duplicate_samples":0,"overwritten_samples":1)";
  report_ = {};
  stored_.clear();
  test_.requests.clear();
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(report_.fates->overwritten, 3u);
  EXPECT_EQ(report_.fates->duplicate, 1u);
}

TEST_F(LogImportTest, RefusedSamplesAreReported) {
  counts_ = R"("refused_samples":7,"refused":"too many series")";
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(report_.refused, 3u);
  ASSERT_EQ(test_.complaints.size(), 3u);
  EXPECT_EQ(test_.complaints[1], absl::StrFormat("bytes 0 to %d: 7 samples were refused: too many "
                                                 "series",
                                                 bytes_.size()));
}

TEST_F(LogImportTest, MalformedLinesAreReported) {
  bytes_ = "{\"step\":1,\"loss\":2}\n{\"step\":\n{\"step\":2,\"loss\":3}\n";
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(report_.left_out, 1u);
  ASSERT_EQ(test_.complaints.size(), 1u);
  EXPECT_THAT(test_.complaints[0], StartsWith("line 2: "));
  EXPECT_THAT(test_.complaints[0], testing::EndsWith(": {\"step\":"));
  EXPECT_EQ(report_.counts.steps(), 2u);
}

TEST_F(LogImportTest, ADryRunSendsNothing) {
  test_.is_dry_run = true;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(test_.requests, IsEmpty());
  EXPECT_EQ(report_.counts.steps(), 2u);
  EXPECT_EQ(test_.progress_count, 2);
}

TEST_F(LogImportTest, BeginsAgainIfTheServerLosesTheStream) {
  test_.answer = [this, is_lost = false](const TestSession::Request& request) mutable {
    if (ParameterOf(request.path, "last") == "true" && !std::exchange(is_lost, true)) {
      stored_.clear();
      return Reply{409, "", R"({"expected_offset":0})"};
    }
    return Take(request);
  };
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(stored_, bytes_);
  EXPECT_EQ(test_.requests.size(), 6u);
  // Nothing is counted twice.
  EXPECT_EQ(report_.counts.steps(), 2u);
}

TEST_F(LogImportTest, GivesUpIfTheServerLosesTheStreamAgainAndAgain) {
  test_.answer = [this](const TestSession::Request& request) {
    if (ParameterOf(request.path, "last") == "true") {
      stored_.clear();
      return Reply{409, "", R"({"expected_offset":0})"};
    }
    return Take(request);
  };
  const absl::Status status = Run();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(Message(status), "the server lost the stream 20 times");
  EXPECT_EQ(test_.requests.size(), 60u);
}

TEST_F(LogImportTest, AStreamThatHasEndedAcceptsNothing) {
  test_.answer = [](const TestSession::Request&) {
    return Reply{409, "", R"({"expected_offset":33})"};
  };
  const absl::Status status = Run();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(Message(status), "the server accepts nothing after byte 33");
}

TEST_F(LogImportTest, TheServerCannotHaveMoreThanTheFile) {
  test_.answer = [](const TestSession::Request&) {
    return Reply{200, "", R"({"next_offset":1000,"refused_samples":0})"};
  };
  const absl::Status status = Run();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(Message(status), absl::StrFormat("the server has 1000 bytes of the file, but the file "
                                             "has only %d",
                                             bytes_.size()));
}

TEST_F(LogImportTest, AnotherAnswerEndsIt) {
  test_.answer = [](const TestSession::Request&) { return Reply{403, "", "read-only"}; };
  const absl::Status status = Run();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(Message(status), "the server answered 403: read-only");
}

}  // namespace
}  // namespace lockstep::importer
