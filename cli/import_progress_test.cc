#include "cli/import_progress.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using std::chrono::seconds;

TEST(ImportProgressTest, GroupsDigits) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1000), "1,000");
  EXPECT_EQ(WithThousands(1234567), "1,234,567");
}

TEST(ImportProgressTest, SaysHowFarItIs) {
  importer::ImportTotals totals;
  totals.samples = 1'000'000;
  totals.read_bytes = 25'000'000;
  totals.file_bytes = 100'000'000;
  EXPECT_EQ(ProgressText(totals, seconds(4)),
            "1,000,000 samples  25.0 of 100.0 MB  250,000 samples/s  12 s left");
  totals.file_bytes = 0;
  EXPECT_EQ(ProgressText(totals, seconds(4)), "1,000,000 samples  25.0 MB  250,000 samples/s");
  EXPECT_EQ(ProgressText({}, seconds(0)), "0 samples  0.0 MB  0 samples/s");
}

TEST(ImportProgressTest, SaysWhatBecameOfIt) {
  importer::ImportTotals totals;
  totals.samples = 2000;
  totals.lines = 2100;
  totals.read_bytes = 500'000;
  totals.has_end = true;
  importer::ImportOptions options;
  EXPECT_EQ(TotalsText(totals, options, seconds(2)),
            "imported 2,000 samples from 2,100 lines (0.5 MB) in 2.0 s, 1,000 samples/s");
  totals.exemplars = 3;
  totals.bad_lines = 4;
  totals.partly_taken_batches = 5;
  totals.skipped_lines = 6;
  totals.has_end = false;
  options.dry_run = true;
  EXPECT_EQ(
      TotalsText(totals, options, seconds(2)),
      "read 2,000 samples from 2,100 lines (0.5 MB) in 2.0 s, 1,000 samples/s; 6 lines were "
      "done before; 3 exemplars left out; 4 bad lines left out; 5 batches taken only in part; "
      "the file lacks its \"# EOF\" and may be cut short");
}

}  // namespace
}  // namespace lockstep::cli
