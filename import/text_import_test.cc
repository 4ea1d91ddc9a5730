#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_format.h"
#include "import/delivery/resume_point.h"
#include "import/importers.h"
#include "ingest/remote_write/remote_write.h"
#include "tests/support/test_folder.h"

namespace lockstep::importer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TextImportTest : public testing::Test {
 protected:
  void WriteFile(const std::string& text) { std::ofstream(path_) << text; }
  void WriteGzip(const std::string& text) {
    const gzFile file = gzopen(path_.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  }

  absl::Status Run() {
    Delivery delivery([this](const Outgoing& request) { return Take(request.body); },
                      [](std::chrono::milliseconds) { return true; },
                      {std::chrono::milliseconds(0)});
    SampleTimes times;
    const ImportSession session{delivery,
                                times,
                                is_dry_run_,
                                resumes_,
                                [](const ImportReport&) {},
                                [this](const ImportReport&, const std::string& message) {
                                  complaints_.push_back(message);
                                }};
    report_ = ImportReport();
    LOCKSTEP_ASSIGN_OR_RETURN(const auto source, ByteSource::Open(path_));
    return ImportText(*source, exposition::TextFormat::kOpenMetrics, session, report_,
                      max_batch_samples_);
  }
  // The number of lines done, 0 without a resume file.
  uint64_t Done() {
    const auto point =
        ResumePoint::Open(path_, std::filesystem::file_size(path_), ResumePoint::Use::kRead);
    EXPECT_TRUE(point.ok()) << point.status();
    return point->done();
  }

  // The fake server: records "series value@time" of all samples, and the number of samples per
  // request.
  absl::StatusOr<Reply> Take(std::string_view body) {
    if (answer_after_ >= 0 && static_cast<int>(batch_sizes_.size()) >= answer_after_) {
      return Reply{answer_, "", "told so"};
    }
    std::string message;
    EXPECT_TRUE(snappy::Uncompress(body.data(), body.size(), &message));
    auto decoded = DecodeRemoteWrite(message, {});
    EXPECT_TRUE(decoded.ok()) << decoded.status();
    size_t count = 0;
    for (const SeriesWrite& series : decoded->request.series) {
      for (const Sample& sample : series.samples) {
        samples_.push_back(absl::StrFormat("%s %g@%d", series.labels.ToString(), sample.value,
                                           sample.timestamp_ms));
        ++count;
      }
    }
    batch_sizes_.push_back(count);
    return Reply{204, "", ""};
  }

  const TestFolder folder_;
  const std::string path_ = folder_.path() + "/samples.txt";
  bool resumes_ = false;
  bool is_dry_run_ = false;
  size_t max_batch_samples_ = kMaxRequestSamples;
  ImportReport report_;
  std::vector<std::string> samples_;
  std::vector<size_t> batch_sizes_;
  std::vector<std::string> complaints_;
  int answer_after_ = -1;  // accepts this many requests, then returns `answer_`
  int answer_ = 0;
};

constexpr const char* kText =
    "# TYPE a gauge\n"
    "a{x=\"1\"} 1 1\n"
    "a{x=\"1\"} 2 2\n"
    "a{x=\"2\"} 3 1\n"
    "b 4 1 # {t=\"u\"} 1\n"
    "# EOF\n";

TEST_F(TextImportTest, DeliversEverySample) {
  WriteFile(kText);
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(samples_, ElementsAre("a{x=\"1\"} 1@1000", "a{x=\"1\"} 2@2000", "a{x=\"2\"} 3@1000",
                                    "b 4@1000"));
  EXPECT_EQ(report_.counts.samples(), 4u);
  EXPECT_EQ(report_.counts.series(), 3u);
  EXPECT_THAT(report_.remarks, ElementsAre("1 exemplars were left out"));
  EXPECT_TRUE(report_.is_whole());
  EXPECT_THAT(complaints_, IsEmpty());
}

TEST_F(TextImportTest, ReadsGzipAndCutsBatches) {
  WriteGzip(kText);
  max_batch_samples_ = 3;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(batch_sizes_, ElementsAre(3, 1));
  EXPECT_EQ(samples_.size(), 4u);
}

TEST_F(TextImportTest, ReportsBadLinesAndGoesOn) {
  WriteFile("a 1 1\nnonsense\na 2\na 3 3\n# EOF\na 4 4\n");
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(samples_, ElementsAre("a 1@1000", "a 3@3000"));
  EXPECT_THAT(complaints_,
              ElementsAre("line 2: the value is missing", "line 3: the sample has no time",
                          "line 6: there is text after \"# EOF\""));
  EXPECT_EQ(report_.left_out, 3u);
}

TEST_F(TextImportTest, ACutGzipFileIsAnError) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) absl::StrAppendFormat(&text, "a %d %d\n", i * 7919 % 10'007, i);
  WriteGzip(text);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  EXPECT_FALSE(Run().ok());
}

TEST_F(TextImportTest, ADryRunSendsNothing) {
  WriteFile(kText);
  is_dry_run_ = true;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(batch_sizes_, IsEmpty());
  EXPECT_EQ(report_.counts.samples(), 4u);
}

TEST_F(TextImportTest, SaysWhichLinesWereTakenInPart) {
  WriteFile(kText);
  max_batch_samples_ = 2;
  answer_after_ = 1;
  answer_ = 400;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(complaints_, ElementsAre("lines 4 to 5: the server answered 400: told so"));
  EXPECT_EQ(report_.refused, 1u);
}

TEST_F(TextImportTest, ResumesWhereItWasInterrupted) {
  WriteFile(kText);
  resumes_ = true;
  max_batch_samples_ = 2;
  answer_after_ = 1;
  answer_ = 403;
  EXPECT_FALSE(Run().ok());
  EXPECT_EQ(Done(), 3u);

  answer_after_ = -1;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(samples_, ElementsAre("a{x=\"1\"} 1@1000", "a{x=\"1\"} 2@2000", "a{x=\"2\"} 3@1000",
                                    "b 4@1000"));
  EXPECT_EQ(report_.done_before, 3u);
  EXPECT_FALSE(std::filesystem::exists(ResumePath(path_)));
}

TEST_F(TextImportTest, DoesNotResumeAnotherFile) {
  WriteFile(kText);
  resumes_ = true;
  std::ofstream(ResumePath(path_)) << "lockstep-import 1\nidentity 1\ndone 1\n";
  EXPECT_FALSE(Run().ok());
  std::ofstream(ResumePath(path_)) << "something else";
  EXPECT_FALSE(Run().ok());
  EXPECT_THAT(samples_, IsEmpty());
}

}  // namespace
}  // namespace lockstep::importer
