#include "cli/send/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_format.h"
#include "cli/client/fake_server_testing.h"
#include "cli/process/ran_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kWritePath = "/api/v1/write";
constexpr const char* kTwoSamples = "# TYPE a gauge\na 1 1\na 2 2\n# EOF\n";

class ImportTest : public ::testing::Test {
 protected:
  ImportTest() {
    flags_.server = server_.options();
    server_.Prepare(
        kWritePath,
        FakeServer::Reply{"", 204, {{"X-Lockstep-Samples", "new=2, duplicate=0, overwritten=0"}}});
  }

  Ran Run(const std::vector<std::string>& paths) {
    flags_.paths = paths;
    return RunCaptured([this] { return Import(flags_); });
  }

  const TestFolder folder_;
  FakeServer server_;
  ImportFlags flags_;
};

TEST_F(ImportTest, SendsAFileAndSaysWhatItHeld) {
  const std::string path = folder_.Write("a.txt", kTwoSamples);
  const Ran ran = Run({path});
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_THAT(ran.out, StartsWith(path + ": openmetrics: 2 samples of 1 series, 1970-01-01 "
                                         "00:00:01Z to 1970-01-01 00:00:02Z\n"
                                         "imported 2 samples of 1 source (0.0 MB) in "));
  EXPECT_EQ(ran.errors, "");
  EXPECT_EQ(server_.asked().size(), 1u);
}

TEST_F(ImportTest, ADryRunSendsNothing) {
  flags_.dry_run = true;
  const Ran ran = Run({folder_.Write("a.txt", kTwoSamples)});
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  EXPECT_THAT(ran.out, HasSubstr("\nread 2 samples of 1 source (0.0 MB) in "));
  EXPECT_THAT(server_.asked(), IsEmpty());
}

TEST_F(ImportTest, NeedsEitherFilesOrAPrometheus) {
  const std::string error =
      "lockstep: import needs either files and folders or --from-prometheus URL\n";
  Ran ran = Run({});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.errors, error);
  flags_.prometheus.url = "http://127.0.0.1:1";
  ran = Run({folder_.path()});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.errors, error);
}

TEST_F(ImportTest, ThePrometheusMustBeDescribedWell) {
  flags_.prometheus.url = server_.url();
  flags_.prometheus.start = "soon";
  Ran ran = Run({});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.errors, "lockstep: --start: cannot parse \"soon\" to a valid timestamp\n");
  {
    const FakeServer gone;
    flags_.prometheus.url = gone.url();
  }
  flags_.prometheus.start = "";
  ran = Run({});
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_THAT(ran.errors, StartsWith("lockstep: no answer from " + flags_.prometheus.url));
  EXPECT_EQ(ran.out, "");
}

TEST_F(ImportTest, APrometheusThatRefusesIsAFailure) {
  FakeServer prometheus;
  prometheus.Prepare("/api/v1/read", FakeServer::Reply{"no remote read", 404});
  flags_.prometheus.url = prometheus.url();
  flags_.prometheus.start = "1";
  flags_.prometheus.end = "2";
  const Ran ran = Run({});
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_THAT(ran.errors, HasSubstr("no remote read"));
  EXPECT_THAT(ran.out, ContainsRegex("^imported 0 samples of 0 sources .*; 1 failed\n$"));
  EXPECT_THAT(server_.asked(), IsEmpty());
}

TEST_F(ImportTest, TheFormatMustBeKnown) {
  flags_.format = "parquet";
  const Ran ran = Run({folder_.Write("a.txt", kTwoSamples)});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_THAT(ran.errors, StartsWith("lockstep: unknown format \"parquet\"; the formats are "));
}

TEST_F(ImportTest, AFormatCanBeSet) {
  flags_.format = "prometheus";
  const std::string path = folder_.Write("a.txt", "a 1 1000\n");
  EXPECT_THAT(Run({path}).out, StartsWith(path + ": prometheus: 2 samples of 1 series, 1970-01-01 "
                                                 "00:00:01Z to "));
}

TEST_F(ImportTest, ANamedFileOfUnknownFormatIsAMistake) {
  const std::string unknown = folder_.Write("x.bin", "\x01\x02");
  Ran ran = Run({unknown});
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_THAT(ran.errors,
              StartsWith("lockstep: " + unknown + ": its first 2 bytes match no known format ("));
  EXPECT_THAT(ran.out,
              ContainsRegex("^imported 0 samples of 0 sources .*; 1 of unknown format\n$"));
  ran = Run({unknown, folder_.Write("a.txt", kTwoSamples)});
  EXPECT_EQ(ran.code, kPartial);
}

TEST_F(ImportTest, OtherFilesOfAFolderAreNone) {
  const std::string unknown = folder_.Write("logs/x.bin", "\x01\x02");
  folder_.Write("logs/a.txt", kTwoSamples);
  const Ran ran = Run({folder_.path() + "/logs"});
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.errors, "lockstep: " + unknown + ": unknown format\n");
  EXPECT_THAT(ran.out, EndsWith("; 1 of unknown format\n"));
}

TEST_F(ImportTest, AFolderWithNothingToImportIsAMistake) {
  const std::string folder = folder_.path() + "/logs";
  const std::string unknown = folder_.Write("logs/x.bin", "\x01\x02");
  Ran ran = Run({folder});
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_THAT(ran.errors, HasSubstr("lockstep: " + folder +
                                    ": nothing to import: none of its 1 files is complete and of "
                                    "a known format\n"));
  std::filesystem::remove(unknown);
  ran = Run({folder, folder_.Write("a.txt", kTwoSamples)});
  EXPECT_EQ(ran.code, kPartial);
  EXPECT_EQ(ran.errors, "lockstep: " + folder + ": nothing to import: the folder has no files\n");
  EXPECT_THAT(ran.out, EndsWith("; 1 folder with nothing to import\n"));
}

TEST_F(ImportTest, ShowsTheFirstTwentyComplaintsOfAFile) {
  flags_.format = "openmetrics";
  std::string text = "a 1 1\n";
  for (int i = 0; i < 20; ++i) text += "} bad\n";
  const std::string path = folder_.Write("a.txt", text + "# EOF\n");
  Ran ran = Run({path});
  EXPECT_EQ(ran.code, kPartial);
  EXPECT_EQ(std::ranges::count(ran.errors, '\n'), 20);
  EXPECT_THAT(ran.errors, StartsWith("lockstep: " + path + ": line 2: "));
  EXPECT_THAT(ran.out, HasSubstr("; 1 partly imported\n"));
  folder_.Write("a.txt", text + "} bad\n} bad\n# EOF\n");
  // Each file has its own twenty.
  ran = Run({path, folder_.Write("b.txt", "} bad\n# EOF\n")});
  EXPECT_EQ(std::ranges::count(ran.errors, '\n'), 22);
  EXPECT_THAT(ran.errors, HasSubstr("lockstep: " + path + ": ... and 2 more errors\n"));
  EXPECT_THAT(ran.errors, HasSubstr("b.txt: line 1: "));
}

TEST_F(ImportTest, StopsIfTheServerRefuses) {
  FakeServer server;
  server.Prepare(kWritePath, FakeServer::Reply{"read-only\n", 403});
  flags_.server = server.options();
  const std::string path = folder_.Write("a.txt", kTwoSamples);
  const Ran ran = Run({path, folder_.Write("b.txt", kTwoSamples)});
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors, "lockstep: " + path + ": the server answered 403: read-only\n");
  EXPECT_THAT(ran.out, ContainsRegex("^imported 2 samples of 0 sources .*; 1 failed\n$|"
                                     "^imported 0 samples of 0 sources .*; 1 failed\n$"));
  EXPECT_EQ(server.asked().size(), 1u);
}

TEST_F(ImportTest, GoesOnAfterAFileThatCannotBeRead) {
  const std::string absent = folder_.path() + "/absent";
  const Ran ran = Run({absent, folder_.Write("b.txt", kTwoSamples)});
  EXPECT_EQ(ran.code, kPartial);
  EXPECT_THAT(ran.errors, StartsWith("lockstep: " + absent + ": "));
  EXPECT_THAT(ran.out, HasSubstr("imported 2 samples of 1 source "));
  EXPECT_THAT(ran.out, EndsWith("; 1 failed\n"));
}

TEST_F(ImportTest, AServerThatIsAbsentIsAFailure) {
  {
    const FakeServer gone;
    flags_.server = gone.options();
  }
  const Ran ran = Run({folder_.Write("a.txt", kTwoSamples)});
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_THAT(ran.errors, HasSubstr("no answer from "));
}

TEST_F(ImportTest, TheTokenFileMustBeReadable) {
  flags_.server.token_file = "/does/not/exist";
  const Ran ran = Run({folder_.Write("a.txt", kTwoSamples)});
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_EQ(ran.errors, "lockstep: cannot read \"/does/not/exist\"\n");
}

TEST_F(ImportTest, HintsApplyToLogs) {
  server_.Prepare("/api/v1/push/steps",
                  R"({"next_offset":0,"refused_samples":0,"new_samples":1,"duplicate_samples":0,)"
                  R"("overwritten_samples":0})");
  const std::string bytes = "{\"step\":1,\"loss\":2.5}\n";
  server_.Prepare("/api/v1/push/steps",
                  absl::StrFormat(R"({"next_offset":%d,"refused_samples":0})", bytes.size()));
  flags_.hints.job = "mine";
  const Ran ran = Run({folder_.Write("steps.jsonl", bytes)});
  EXPECT_EQ(ran.code, kSuccess) << ran.errors;
  ASSERT_FALSE(server_.asked().empty());
  EXPECT_THAT(server_.asked()[0], HasSubstr("&job=mine"));
}

}  // namespace
}  // namespace lockstep::cli
