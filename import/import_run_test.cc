#include "import/import_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_format.h"
#include "import/resume_point.h"
#include "ingest/remote_write.h"

namespace lockstep::importer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ImportRunTest : public testing::Test {
 protected:
  ImportRunTest() {
    std::string folder = testing::TempDir() + "import_run_XXXXXX";
    folder_ = mkdtemp(folder.data());
    options_.path = folder_ + "/samples.txt";
  }
  ~ImportRunTest() override { std::filesystem::remove_all(folder_); }

  void WriteFile(const std::string& text) { std::ofstream(options_.path) << text; }
  void WriteGzip(const std::string& text) {
    const gzFile file = gzopen(options_.path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  }

  absl::Status Run() {
    Delivery delivery([this](std::string_view body) { return Take(body); },
                      [](std::chrono::milliseconds) {}, std::chrono::milliseconds(0));
    ImportRun run(
        options_, delivery, [](const ImportTotals&) {},
        [this](const std::string& message) { complaints_.push_back(message); });
    absl::Status status = run.Run();
    totals_ = run.totals();
    return status;
  }

  // The server: remembers "series value@time" of all samples, and each request's number of them.
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

  std::string folder_;
  ImportOptions options_;
  ImportTotals totals_;
  std::vector<std::string> samples_;
  std::vector<size_t> batch_sizes_;
  std::vector<std::string> complaints_;
  int answer_after_ = -1;  // so many requests are taken, then `answer_` is given
  int answer_ = 0;
};

constexpr const char* kText =
    "# TYPE a gauge\n"
    "a{x=\"1\"} 1 1\n"
    "a{x=\"1\"} 2 2\n"
    "a{x=\"2\"} 3 1\n"
    "b 4 1 # {t=\"u\"} 1\n"
    "# EOF\n";

TEST_F(ImportRunTest, DeliversEverySample) {
  WriteFile(kText);
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(samples_, ElementsAre("a{x=\"1\"} 1@1000", "a{x=\"1\"} 2@2000", "a{x=\"2\"} 3@1000",
                                    "b 4@1000"));
  EXPECT_EQ(totals_.samples, 4u);
  EXPECT_EQ(totals_.lines, 6u);
  EXPECT_EQ(totals_.exemplars, 1u);
  EXPECT_TRUE(totals_.has_end);
  EXPECT_THAT(complaints_, IsEmpty());
}

TEST_F(ImportRunTest, ReadsGzipAndCutsBatches) {
  WriteGzip(kText);
  options_.max_batch_samples = 3;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(batch_sizes_, ElementsAre(3, 1));
  EXPECT_EQ(samples_.size(), 4u);
}

TEST_F(ImportRunTest, ReportsBadLinesAndGoesOn) {
  WriteFile("a 1 1\nnonsense\na 2\na 3 3\n# EOF\na 4 4\n");
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(samples_, ElementsAre("a 1@1000", "a 3@3000"));
  EXPECT_THAT(complaints_,
              ElementsAre("line 2: the value is missing", "line 3: the sample has no time",
                          "line 6: there is text after \"# EOF\""));
  EXPECT_EQ(totals_.bad_lines, 3u);
}

TEST_F(ImportRunTest, ACutGzipFileIsAnError) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) absl::StrAppendFormat(&text, "a %d %d\n", i * 7919 % 10'007, i);
  WriteGzip(text);
  std::filesystem::resize_file(options_.path, std::filesystem::file_size(options_.path) / 2);
  EXPECT_FALSE(Run().ok());
}

TEST_F(ImportRunTest, ADryRunSendsNothing) {
  WriteFile(kText);
  options_.dry_run = true;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(batch_sizes_, IsEmpty());
  EXPECT_EQ(totals_.samples, 4u);
}

TEST_F(ImportRunTest, SaysWhichLinesWereTakenInPart) {
  WriteFile(kText);
  options_.max_batch_samples = 2;
  answer_after_ = 1;
  answer_ = 400;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(complaints_, ElementsAre("lines 4 to 5: told so"));
  EXPECT_EQ(totals_.partly_taken_batches, 1u);
}

TEST_F(ImportRunTest, ResumesWhereItWasInterrupted) {
  WriteFile(kText);
  options_.resume = true;
  options_.max_batch_samples = 2;
  answer_after_ = 1;
  answer_ = 403;
  EXPECT_FALSE(Run().ok());
  EXPECT_EQ(ReadResumePoint(ResumePath(options_.path))->done_lines, 3u);

  answer_after_ = -1;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(samples_, ElementsAre("a{x=\"1\"} 1@1000", "a{x=\"1\"} 2@2000", "a{x=\"2\"} 3@1000",
                                    "b 4@1000"));
  EXPECT_EQ(totals_.skipped_lines, 3u);
  EXPECT_FALSE(std::filesystem::exists(ResumePath(options_.path)));
}

TEST_F(ImportRunTest, DoesNotResumeAnotherFile) {
  WriteFile(kText);
  options_.resume = true;
  ASSERT_TRUE(WriteResumePoint(ResumePath(options_.path), {1, 1}).ok());
  EXPECT_FALSE(Run().ok());
  std::ofstream(ResumePath(options_.path)) << "something else";
  EXPECT_FALSE(Run().ok());
  EXPECT_THAT(samples_, IsEmpty());
}

}  // namespace
}  // namespace lockstep::importer
