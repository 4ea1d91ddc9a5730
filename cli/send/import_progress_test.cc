#include "cli/send/import_progress.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::cli {
namespace {

using std::chrono::seconds;

TEST(ImportProgressTest, GroupsDigits) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1000), "1,000");
  EXPECT_EQ(WithThousands(1234567), "1,234,567");
}

importer::ImportReport Report(uint64_t series, uint64_t samples_each) {
  importer::ImportReport report;
  report.source = "run/x.csv";
  report.format = "csv";
  WriteRequest request;
  for (uint64_t i = 0; i < series; ++i) {
    request.series.push_back(
        {LabelSet::Of({{kMetricName, "a"}, {"i", std::to_string(i)}}), {}, {}});
    for (uint64_t j = 0; j < samples_each; ++j) {
      request.series.back().samples.push_back({static_cast<int64_t>(1000 * j), 1});
    }
  }
  report.counts.Add(request);
  return report;
}

TEST(ImportProgressTest, SaysHowFarItIs) {
  importer::ImportReport report = Report(1000, 1000);
  report.read_bytes = 25'000'000;
  report.file_bytes = 100'000'000;
  EXPECT_EQ(ProgressText(report, seconds(4)),
            "run/x.csv  1,000,000 samples  25.0 of 100.0 MB  250,000 samples/s  12 s left");
  report.file_bytes = 0;
  EXPECT_EQ(ProgressText(report, seconds(4)),
            "run/x.csv  1,000,000 samples  25.0 MB  250,000 samples/s");
}

TEST(ImportProgressTest, SaysWhatASourceHolds) {
  importer::ImportReport report = Report(2, 3);
  EXPECT_EQ(ReportText(report),
            "run/x.csv: csv: 6 samples of 2 series, 1970-01-01 00:00:00Z to 1970-01-01 00:00:02Z");
  WriteRequest steps;
  steps.series.push_back({LabelSet::Of({{kMetricName, "lockstep_step"}}), {{0, 1}}, {}});
  report.counts.Add(steps);
  report.done_before = 6;
  report.left_out = 4;
  report.refused = 5;
  report.remarks = {"a remark"};
  EXPECT_EQ(ReportText(report),
            "run/x.csv: csv: 7 samples of 3 series, 1 steps, 1970-01-01 00:00:00Z to 1970-01-01 "
            "00:00:02Z; 6 lines or series imported earlier; 4 malformed ones skipped; 5 requests "
            "partly accepted; a remark");
}

TEST(ImportProgressTest, SaysWhatTheServerStored) {
  importer::ImportReport report = Report(2, 3);
  report.AddFates(importer::SampleFates{1, 2, 0});
  report.AddFates(std::nullopt);
  report.AddFates(importer::SampleFates{1, 0, 2});
  EXPECT_EQ(ReportText(report),
            "run/x.csv: csv: 2 samples of 2 series, 1970-01-01 00:00:00Z to 1970-01-01 "
            "00:00:02Z; 2 already stored; 2 replaced a sample of the same series and time");
}

TEST(ImportProgressTest, SaysWhatBecameOfAll) {
  EXPECT_EQ(TotalsText({1, 2000, 500'000, 0, 0, 0, 0, 0}, false, seconds(2)),
            "imported 2,000 samples of 1 source (0.5 MB) in 2.0 s, 1,000 samples/s");
  EXPECT_EQ(TotalsText({3, 0, 0, 1, 1, 2, 4, 5}, true, seconds(2)),
            "read 0 samples of 3 sources (0.0 MB) in 2.0 s, 0 samples/s; 1 partly imported; 4 "
            "failed; 3 of unknown format; 5 folders with nothing to import");
}

TEST(ImportProgressTest, NoTimeHasNoRate) {
  importer::ImportReport report = Report(1, 10);
  EXPECT_EQ(ProgressText(report, seconds(0)), "run/x.csv  10 samples  0.0 MB  0 samples/s");
  // Nothing is known of what is left before the first bytes and after the last.
  report.file_bytes = 1'000'000;
  EXPECT_EQ(ProgressText(report, seconds(1)), "run/x.csv  10 samples  0.0 of 1.0 MB  10 samples/s");
  report.read_bytes = report.file_bytes;
  EXPECT_EQ(ProgressText(report, seconds(1)), "run/x.csv  10 samples  1.0 of 1.0 MB  10 samples/s");
}

TEST(ImportProgressTest, ASourceMayHoldNothing) {
  EXPECT_EQ(ReportText(Report(0, 0)), "run/x.csv: csv: 0 samples of 0 series");
}

}  // namespace
}  // namespace lockstep::cli
