#include "storage/db/retention/retention_clock.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

class RetentionClockTest : public ::testing::Test {
 protected:
  static constexpr int64_t kSecond = 1000;
  static constexpr int64_t kMinute = 60 * kSecond;
  static constexpr int64_t kHour = 60 * kMinute;
  static constexpr int64_t kDay = 24 * kHour;
  static constexpr int64_t kYear = 365 * kDay;
  static constexpr int64_t kStart = 1'700'000'000'000;
  static constexpr int64_t kKeep = 15 * kDay;

  // The clock of a store's process: each opening has a new one, often after a reboot.
  void Open(const std::optional<ClockRecord>& record,
            std::optional<int64_t> newest_sample_ms = std::nullopt, int64_t keep_ms = kKeep) {
    monotonic_ms_ = 12345;
    clock_.emplace([this] { return wall_ms_; }, [this] { return monotonic_ms_; }, keep_ms);
    clock_->Begin(record, newest_sample_ms);
  }
  void PassAtOnce(int64_t ms) {
    wall_ms_ += ms;
    monotonic_ms_ += ms;
  }
  // Time passes while the store is open.
  void Pass(int64_t ms) {
    for (; ms > 0; ms -= kMinute) {
      PassAtOnce(std::min(ms, kMinute));
      (void)clock_->Now();
    }
  }
  void Leap(int64_t ms) { wall_ms_ += ms; }
  bool IsTrusted() { return clock_->Now().is_trusted; }
  void ExpectTrusted() {
    const StoreTime now = clock_->Now();
    EXPECT_TRUE(now.is_trusted);
    EXPECT_EQ(now.wall_ms, wall_ms_);
    EXPECT_EQ(now.believed_ms, wall_ms_);
    EXPECT_EQ(now.expiry_ms, wall_ms_);
  }

  int64_t wall_ms_ = kStart;
  int64_t monotonic_ms_ = 0;
  std::optional<RetentionClock> clock_;
};

TEST_F(RetentionClockTest, StepsOfUpToAnHourAreTaken) {
  Open(std::nullopt);
  for (const int64_t step : {kSecond, -kSecond, 10 * kMinute, -50 * kMinute, 50 * kMinute}) {
    Leap(step);
    ExpectTrusted();
    EXPECT_EQ(clock_->Now().latest_ms, wall_ms_);
    Pass(kDay);
    ExpectTrusted();
  }
  Leap(kHour);
  ExpectTrusted();
  Leap(1);
  EXPECT_FALSE(IsTrusted());
}

TEST_F(RetentionClockTest, ALeapForTwoSecondsExpiresNothing) {
  Open(std::nullopt);
  for (const int64_t leap : {30 * kDay, -30 * kDay, -20 * kYear, 50 * kYear}) {
    Leap(leap);
    for (int i = 0; i < 4; ++i) {
      const StoreTime now = clock_->Now();
      EXPECT_FALSE(now.is_trusted);
      EXPECT_EQ(now.wall_ms, wall_ms_);
      EXPECT_EQ(now.believed_ms, wall_ms_ - leap);
      EXPECT_LE(now.expiry_ms, wall_ms_ - leap);
      // A sender whose clock is right is neither too old nor too new.
      EXPECT_GE(now.latest_ms, wall_ms_ - leap);
      PassAtOnce(kSecond / 2);
    }
    Leap(-leap);
    ExpectTrusted();
    EXPECT_EQ(clock_->Now().latest_ms, wall_ms_);
  }
  EXPECT_EQ(clock_->HighestExpiryMs(), wall_ms_);
}

TEST_F(RetentionClockTest, FromLeapToLeapNothingExpires) {
  Open(std::nullopt);
  const int64_t begin_ms = monotonic_ms_;
  const auto expect_at_most_the_truth = [&] {
    EXPECT_FALSE(IsTrusted());
    EXPECT_EQ(clock_->Now().believed_ms, kStart + monotonic_ms_ - begin_ms);
    EXPECT_LE(clock_->Now().expiry_ms, clock_->Now().believed_ms);
  };
  Leap(30 * kDay);
  expect_at_most_the_truth();
  EXPECT_EQ(clock_->Now().expiry_ms, clock_->Now().believed_ms);
  Leap(-60 * kDay);
  Pass(kHour);
  expect_at_most_the_truth();
  EXPECT_EQ(clock_->Now().expiry_ms, wall_ms_);
  // If the clock was right before this jump, what expires now had not expired then.
  const int64_t lowest_ms = wall_ms_;
  Leap(45 * kDay);
  expect_at_most_the_truth();
  EXPECT_EQ(clock_->Now().expiry_ms, lowest_ms);
}

TEST_F(RetentionClockTest, ALeapForGoodIsBelievedAfterADay) {
  Open(std::nullopt);
  Leap(30 * kDay);
  EXPECT_FALSE(IsTrusted());
  Pass(kDay - kMinute);
  EXPECT_EQ(clock_->Now().expiry_ms, kStart + kDay - kMinute);
  Pass(kMinute);
  ExpectTrusted();
  EXPECT_EQ(clock_->HighestExpiryMs(), wall_ms_);
  Pass(kDay);
  ExpectTrusted();
}

TEST_F(RetentionClockTest, AnotherLeapBeginsTheDayAnew) {
  Open(std::nullopt);
  Leap(30 * kDay);
  (void)clock_->Now();
  Pass(kDay - kMinute);
  Leap(2 * kHour);
  EXPECT_FALSE(IsTrusted());
  Pass(kDay - kMinute);
  EXPECT_FALSE(IsTrusted());
  Pass(kMinute);
  ExpectTrusted();
}

TEST_F(RetentionClockTest, AClockThatWasSetBackIsBelievedAfterADayToo) {
  Open(std::nullopt);
  Leap(-30 * kDay);
  // Whichever time is right: no sample expires because of it, and samples of both times are
  // accepted.
  EXPECT_FALSE(IsTrusted());
  EXPECT_EQ(clock_->Now().expiry_ms, kStart - 30 * kDay);
  EXPECT_EQ(clock_->Now().latest_ms, kStart);
  Pass(kDay);
  ExpectTrusted();
  EXPECT_EQ(clock_->Now().latest_ms, wall_ms_ + 30 * kDay);
  // The clock was wrong and is corrected.
  Leap(30 * kDay);
  EXPECT_FALSE(IsTrusted());
  EXPECT_EQ(clock_->Now().latest_ms, wall_ms_);
  Pass(kDay);
  ExpectTrusted();
}

TEST_F(RetentionClockTest, ASenderThatHasTheBelievedTimeContradicts) {
  for (const int64_t leap : {30 * kDay, -20 * kYear, 2 * kHour}) {
    Open(std::nullopt);
    Leap(leap);
    EXPECT_FALSE(IsTrusted());
    for (int day = 0; day < 7; ++day) {
      Pass(kDay - kHour);
      clock_->HearSender(wall_ms_ - leap - kMinute);
      Pass(kHour - kMinute);
      EXPECT_FALSE(IsTrusted());
      EXPECT_EQ(clock_->Now().believed_ms, wall_ms_ - leap);
    }
    Leap(-leap);
    ExpectTrusted();
  }
}

TEST_F(RetentionClockTest, SamplesOfTheDoubtedTimeAndOfOthersSayNothing) {
  Open(std::nullopt);
  Leap(30 * kDay);
  EXPECT_FALSE(IsTrusted());
  for (int hour = 1; hour <= 24; ++hour) {
    EXPECT_FALSE(IsTrusted()) << hour;
    Pass(kHour);
    for (const int64_t sample_ms :
         {wall_ms_, wall_ms_ - 10 * kDay, wall_ms_ - 60 * kDay, INT64_MIN, INT64_MAX}) {
      clock_->HearSender(sample_ms);
    }
  }
  ExpectTrusted();
}

TEST_F(RetentionClockTest, SlowDriftIsFollowed) {
  for (const int64_t share : {100, -100}) {  // a hundred times the highest slew rate of NTP
    Open(std::nullopt);
    for (int hour = 0; hour < 60 * 24; ++hour) {
      Pass(kHour);
      Leap(kHour / share);
      ASSERT_TRUE(IsTrusted()) << hour;
    }
    ExpectTrusted();
  }
}

TEST_F(RetentionClockTest, AClockThatRunsIsALeap) {
  Open(std::nullopt);
  int hours = 0;
  for (; hours < 100 && IsTrusted(); ++hours) {
    Pass(kHour);
    Leap(kHour / 10);
  }
  EXPECT_LT(hours, 13);
}

TEST_F(RetentionClockTest, ASuspendedMachineHasItsTimeAndAPausedOneHasNot) {
  Open(std::nullopt);
  PassAtOnce(9 * kHour);  // suspended: the monotonic clock includes it
  ExpectTrusted();
  PassAtOnce(90 * kDay);
  ExpectTrusted();
  Leap(20 * kMinute);  // a paused virtual machine has no clock that includes it
  ExpectTrusted();
  Leap(5 * kHour);
  EXPECT_FALSE(IsTrusted());
}

TEST_F(RetentionClockTest, TimeThatNobodySawIsNoPartOfTheDay) {
  Open(std::nullopt);
  Leap(30 * kDay);
  EXPECT_FALSE(IsTrusted());
  PassAtOnce(3 * kDay);
  EXPECT_FALSE(IsTrusted());
  Pass(kDay - 2 * kMinute);
  EXPECT_FALSE(IsTrusted());
  Pass(kMinute);
  ExpectTrusted();
}

TEST_F(RetentionClockTest, AStopOfUpToADayIsTaken) {
  Open(std::nullopt);
  for (const int64_t stop : {int64_t{0}, kMinute, 16 * kHour, kDay, -10 * kMinute, -kHour}) {
    const ClockRecord record = clock_->Record();
    Leap(stop);
    Open(record);
    ExpectTrusted();
    EXPECT_EQ(clock_->Now().latest_ms, wall_ms_);
  }
}

TEST_F(RetentionClockTest, AStartAheadExpiresNothing) {
  Open(std::nullopt);
  Pass(kHour);
  const int64_t stopped_ms = wall_ms_;
  const ClockRecord stopped = clock_->Record();
  Leap(30 * kDay);
  Open(stopped);
  Pass(kMinute);
  EXPECT_FALSE(IsTrusted());
  EXPECT_EQ(clock_->Now().expiry_ms, stopped_ms + kMinute);
  EXPECT_EQ(clock_->HighestExpiryMs(), stopped_ms + kMinute);
  const ClockRecord wrong = clock_->Record();
  Leap(-30 * kDay);
  Open(wrong);
  ExpectTrusted();
}

TEST_F(RetentionClockTest, AfterMonthsItIsBelievedAfterADayOfRunning) {
  Open(std::nullopt);
  const ClockRecord stopped = clock_->Record();
  Leap(182 * kDay);
  Open(stopped);
  EXPECT_FALSE(IsTrusted());
  EXPECT_EQ(clock_->Now().expiry_ms, kStart);
  EXPECT_EQ(clock_->Now().latest_ms, wall_ms_);
  Pass(kDay);
  ExpectTrusted();
}

TEST_F(RetentionClockTest, TheDayGoesOnOverStops) {
  Open(std::nullopt);
  ClockRecord record = clock_->Record();
  Leap(60 * kHour);  // a laptop's weekend, then three days of eight hours
  for (int day = 0; day < 3; ++day) {
    Open(record);
    EXPECT_FALSE(IsTrusted()) << day;
    Pass(8 * kHour);
    EXPECT_EQ(IsTrusted(), day == 2);
    record = clock_->Record();
    Leap(16 * kHour);
  }
  Open(record);
  ExpectTrusted();
}

TEST_F(RetentionClockTest, TheDayBeginsAnewIfTheClockLeapsWhileTheStoreIsClosed) {
  Open(std::nullopt);
  ClockRecord record = clock_->Record();
  for (const int64_t leap : {30 * kDay, 30 * kDay, -20 * kDay}) {
    Leap(leap);
    Open(record);
    Pass(kDay - kMinute);
    EXPECT_FALSE(IsTrusted());
    record = clock_->Record();
  }
}

TEST_F(RetentionClockTest, WithoutARecordTheNewestSampleCounts) {
  Open(std::nullopt, kStart - kHour);
  ExpectTrusted();
  Open(std::nullopt, kStart - kDay);
  ExpectTrusted();
  Open(std::nullopt, kStart + kMaxFutureMs);
  ExpectTrusted();
  Open(std::nullopt, kStart - 30 * kDay);
  EXPECT_FALSE(IsTrusted());
  EXPECT_EQ(clock_->Now().expiry_ms, kStart - 30 * kDay);
  Pass(kDay);
  ExpectTrusted();
  // Samples from far in the future, as a wrong clock left them.
  wall_ms_ = kStart;
  Open(std::nullopt, kStart + 30 * kDay);
  EXPECT_FALSE(IsTrusted());
  EXPECT_EQ(clock_->Now().expiry_ms, kStart);
}

TEST_F(RetentionClockTest, ALeapNeverCostsMoreThanAQuarterOfWhatIsKept) {
  Open(std::nullopt, std::nullopt, 2 * kHour);
  const ClockRecord record = clock_->Record();
  Leap(30 * kMinute);
  ExpectTrusted();
  Leap(1);
  EXPECT_FALSE(IsTrusted());
  wall_ms_ = kStart + 30 * kMinute;
  Open(record, std::nullopt, 2 * kHour);
  ExpectTrusted();
  wall_ms_ += 1;
  Open(record, std::nullopt, 2 * kHour);
  EXPECT_FALSE(IsTrusted());
  // But a delay between two readings on a busy machine is not a jump.
  wall_ms_ = kStart;
  Open(std::nullopt, std::nullopt, 1);
  Leap(kMinute);
  ExpectTrusted();
}

TEST_F(RetentionClockTest, ARecordIsDueEachMinuteAndWithEachChange) {
  Open(std::nullopt);
  EXPECT_EQ(clock_->TakeRecordIfDue(), (ClockRecord{kStart, kStart, std::nullopt}));
  EXPECT_EQ(clock_->TakeRecordIfDue(), std::nullopt);
  PassAtOnce(kMinute - 1);
  EXPECT_EQ(clock_->TakeRecordIfDue(), std::nullopt);
  PassAtOnce(1);
  EXPECT_EQ(clock_->TakeRecordIfDue()->believed_ms, kStart + kMinute);
  Leap(30 * kDay);
  EXPECT_EQ(clock_->TakeRecordIfDue(),
            (ClockRecord{kStart + kMinute, kStart + kMinute, {{wall_ms_, 0}}}));
  EXPECT_EQ(clock_->TakeRecordIfDue(), std::nullopt);
  Leap(-30 * kDay);
  EXPECT_EQ(clock_->TakeRecordIfDue(),
            (ClockRecord{kStart + kMinute, kStart + kMinute, std::nullopt}));
}

}  // namespace
}  // namespace lockstep
