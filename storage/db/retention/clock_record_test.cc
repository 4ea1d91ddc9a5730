#include "storage/db/retention/clock_record.h"

#include <gtest/gtest.h>

#include "storage/chunk/codec_testing.h"
#include "storage/db/rows/window.h"
#include "tests/support/format_page.h"

namespace lockstep {
namespace {

constexpr ClockRecord kTrustedRecord{1'700'000'000'000, 1'700'000'000'001, std::nullopt};
constexpr ClockRecord kDoubtedRecord{1'700'000'000'000, 1'700'000'000'000,
                                     ClockRecord::Doubt{1'702'592'000'000, 60'000}};

absl::Status StatusOfRecord(std::string_view row) {
  ClockRecord record;
  if (DecodeClockRecord(row, record)) return absl::OkStatus();
  return absl::DataLossError("malformed");
}

TEST(ClockRecordTest, WorkedExamples) {
  EXPECT_EQ(EncodeClockRecord(kTrustedRecord), FormatPageExample("kept.md", "clock-trusted"));
  EXPECT_EQ(EncodeClockRecord(kDoubtedRecord), FormatPageExample("kept.md", "clock-doubted"));
}

TEST(ClockRecordTest, ReadsWhatItWrote) {
  for (const ClockRecord& record :
       {kTrustedRecord, kDoubtedRecord, ClockRecord{}, ClockRecord{-5, -4, {{-3, 0}}},
        ClockRecord{kStorableTimes.min_ms, kStorableTimes.max_ms, std::nullopt}}) {
    ClockRecord read{7, 7, {{7, 7}}};
    ASSERT_TRUE(DecodeClockRecord(EncodeClockRecord(record), read));
    EXPECT_EQ(read, record);
  }
}

TEST(ClockRecordTest, NothingElseIsRead) {
  for (const ClockRecord& record : {kTrustedRecord, kDoubtedRecord}) {
    const std::string row = EncodeClockRecord(record);
    ExpectEveryTruncationFails(row, StatusOfRecord);
    ExpectDamageIsSurvived(row, StatusOfRecord);
    EXPECT_FALSE(StatusOfRecord(row + '\0').ok());
  }
  for (const ClockRecord& record :
       {ClockRecord{INT64_MAX, 0, std::nullopt}, ClockRecord{0, INT64_MIN, std::nullopt},
        ClockRecord{0, 0, {{INT64_MAX, 0}}}, ClockRecord{0, 0, {{0, -1}}}}) {
    EXPECT_FALSE(StatusOfRecord(EncodeClockRecord(record)).ok());
  }
}

}  // namespace
}  // namespace lockstep
