// NCCL's debug log, nccl-tests, and the JSON lines of its inspector.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ingest/logs/log_parser_testing.h"

namespace lockstep::logs {
namespace {

std::string NcclRecords(std::string_view format, std::string_view log) {
  const ParsedLog parsed = ParseLogAs(format, log);
  EXPECT_EQ(parsed.rejections, "") << log;
  return parsed.records;
}

std::string CallOf(std::string_view process) {
  return absl::StrFormat(
      "%s [1] NCCL INFO Broadcast: opCount f sendbuff 0x7 count 8 datatype 9 comm 0x5 [n=4]\n",
      process);
}

TEST(NcclDebugTest, ACallIsOfTheRankInItsProcessFirstCommunicator) {
  EXPECT_EQ(NcclRecords("nccl",
                        "n0:42:43 [1] NCCL INFO comm 0x5 rank 3 nRanks 4\n"
                        "n0:42:43 [1] NCCL INFO comm 0x6 rank 1 nRanks 2\n"
                        "n0:52:53 [1] NCCL INFO comm 0x5 rank x nRanks 4\n" +
                            CallOf("n0:42:99") + CallOf("n0:52:53") + CallOf("n1:42:43")),
            "measurement rank=3 coll=Broadcast comm=0x5 nccl_op_count=15 nccl_elements=8\n"
            "measurement coll=Broadcast comm=0x5 nccl_op_count=15 nccl_elements=8\n"
            "measurement coll=Broadcast comm=0x5 nccl_op_count=15 nccl_elements=8\n");
}

TEST(NcclDebugTest, OtherLinesAreIgnored) {
  for (const std::string_view line :
       {"", "hello", "n0:42:43 [1] NCCL INFO Using network IB", "n0:42:43 [1] NCCL TRACE comm 0x5",
        "n0 [1] NCCL INFO comm 0x5 rank 3 nRanks 4",
        "n0 [1] NCCL INFO Broadcast: opCount f count 8 datatype 9 comm 0x5 ",
        "n0:42:43 [1] NCCL INFO comm 0x5 nRanks 4"}) {
    const ParsedLog parsed = ParseLogAs("nccl", std::string(line) + "\n");
    EXPECT_EQ(parsed.counts.ignored, 1u) << line;
    EXPECT_EQ(parsed.records, "") << line;
  }
  EXPECT_EQ(ParseLogAs("nccl", "n0:42:43 [1] NCCL INFO comm 0x5 rank 3 n\n").counts.ignored, 0u);
}

TEST(NcclDebugTest, ACallWithoutItsCountsIsRejected) {
  for (const std::string_view call :
       {"Broadcast: opCount x count 8 datatype", "Broadcast: opCount 2ax count 8 datatype",
        "Broadcast: opCount 2a datatype 9", "Broadcast: opCount 2a count x datatype"}) {
    EXPECT_EQ(ParseLogAs("nccl", absl::StrFormat("n0:42:43 [1] NCCL INFO %s\n", call)).rejections,
              "1 @0: a collective without its opCount and count\n")
        << call;
  }
}

constexpr std::string_view kNumbersOfRow = " 2.0 4.0 8.0 0 1.0 8.0 16.0 1";

std::string RowRecords(std::string_view words) {
  return NcclRecords("nccl_tests", absl::StrFormat("%s\n", words));
}

TEST(NcclTestsTest, ARowHasFromThreeToFiveWordsBeforeItsNumbers) {
  const auto records = [](std::string_view type) {
    return absl::StrFormat(
        "measurement message_bytes=64 place=out_of_place type=%s nccl_test_seconds=2e-06 "
        "nccl_test_algorithm_bandwidth_bytes_per_second=4e+09 "
        "nccl_test_bus_bandwidth_bytes_per_second=8e+09 nccl_test_wrong_values=0\n"
        "measurement message_bytes=64 place=in_place type=%s nccl_test_seconds=1e-06 "
        "nccl_test_algorithm_bandwidth_bytes_per_second=8e+09 "
        "nccl_test_bus_bandwidth_bytes_per_second=1.6e+10 nccl_test_wrong_values=1\n",
        type, type);
  };
  const std::string numbers(kNumbersOfRow);
  EXPECT_EQ(RowRecords("64 16 float" + numbers), records("float"));
  EXPECT_EQ(RowRecords("64 16 float sum" + numbers), records("float sum"));
  EXPECT_EQ(RowRecords("64 16 float none -1" + numbers), records("float"));
  EXPECT_EQ(RowRecords("64 16" + numbers), "");
  EXPECT_EQ(RowRecords("64 16 float none -1 x" + numbers), "");
  EXPECT_EQ(RowRecords("64 16 float none -1 x x x" + numbers), "");
  EXPECT_EQ(RowRecords("x 16 float" + numbers), "");
  EXPECT_EQ(RowRecords("64 x float" + numbers), "");
}

TEST(NcclTestsTest, APlaceThatWasNotMeasuredHasNoRecord) {
  EXPECT_EQ(RowRecords("64 16 float sum -1 2.0 4.0 8.0 N/A N/A N/A N/A N/A"),
            "measurement message_bytes=64 place=out_of_place type=float sum "
            "nccl_test_seconds=2e-06 nccl_test_algorithm_bandwidth_bytes_per_second=4e+09 "
            "nccl_test_bus_bandwidth_bytes_per_second=8e+09\n");
}

TEST(NcclTestsTest, TheProgramNamesTheCollective) {
  const auto collective = [](std::string_view program) {
    return NcclRecords("nccl_tests", absl::StrFormat("# Collective test starting: %s\n"
                                                     "# Out of bounds values : 3 FAILED\n",
                                                     program));
  };
  EXPECT_EQ(collective("alltoall_perf"),
            "measurement collective=all_to_all nccl_test_out_of_bounds_values=3\n");
  EXPECT_EQ(collective("sendrecv"),
            "measurement collective=sendrecv nccl_test_out_of_bounds_values=3\n");
  const std::string longest(256, 'x');
  EXPECT_EQ(collective(longest),
            "measurement collective=" + longest + " nccl_test_out_of_bounds_values=3\n");
  EXPECT_EQ(ParseLogAs("nccl_tests", "# Collective test starting: " + longest + "x\n").rejections,
            "1 @0: a program name that is too long\n");
}

TEST(NcclTestsTest, SummariesAreNumbers) {
  for (const std::string_view line :
       {"# Avg bus bandwidth    : x", "# Avg bus bandwidth", "# Out of bounds values : OK"}) {
    EXPECT_EQ(ParseLogAs("nccl_tests", std::string(line) + "\n").rejections,
              "1 @0: a summary that is not a number\n");
  }
}

TEST(NcclTestsTest, OtherCommentsAreIgnored) {
  const auto ignored = [](std::string_view line) {
    return ParseLogAs("nccl_tests", std::string(line) + "\n").counts.ignored;
  };
  EXPECT_EQ(ignored("# nThread 1 nGpus 1"), 1u);
  EXPECT_EQ(ignored("# size count type time algbw busbw #wrong"), 0u);
  EXPECT_EQ(ignored("# Collective test starting: all_reduce_perf"), 0u);
}

}  // namespace
}  // namespace lockstep::logs
