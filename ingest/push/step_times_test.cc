#include "ingest/push/step_times.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::push {
namespace {

logs::LogRecord RecordOf(std::optional<int64_t> step) {
  logs::LogRecord record;
  record.step = step;
  return record;
}

TEST(StepClockTest, ALoggedTimeIsTheRecordsOwn) {
  StepClock clock;
  clock.set_arrival_ms(1000);
  logs::LogRecord record = RecordOf(1);
  record.time_ms = 77;
  EXPECT_EQ(clock.TimeOf(record), 77);
  EXPECT_EQ(clock.TimeOf(RecordOf(1)), 1000);
}

TEST(StepClockTest, StepsAreAMillisecondApart) {
  StepClock clock;
  clock.set_arrival_ms(1000);
  EXPECT_EQ(clock.TimeOf(RecordOf(1)), 1000);
  EXPECT_EQ(clock.TimeOf(RecordOf(1)), 1000);
  EXPECT_EQ(clock.TimeOf(RecordOf(2)), 1001);
  // Another attempt is another step.
  logs::LogRecord again = RecordOf(2);
  again.attempt = 1;
  EXPECT_EQ(clock.TimeOf(again), 1002);
  EXPECT_EQ(clock.TimeOf(again), 1002);
  EXPECT_EQ(clock.TimeOf(RecordOf(std::nullopt)), 1003);
  EXPECT_EQ(clock.TimeOf(RecordOf(std::nullopt)), 1004);
  clock.set_arrival_ms(1004);
  EXPECT_EQ(clock.TimeOf(RecordOf(3)), 1005);
  clock.set_arrival_ms(2000);
  EXPECT_EQ(clock.TimeOf(RecordOf(3)), 1005);
  EXPECT_EQ(clock.TimeOf(RecordOf(4)), 2000);
}

TEST(StepClockTest, EventsAndContinuationsHaveTheTimeBeforeThem) {
  logs::LogRecord event;
  event.kind = logs::RecordKind::kEvent;
  logs::LogRecord continuation;
  continuation.is_continuation = true;
  for (const logs::LogRecord& record : {event, continuation}) {
    StepClock clock;
    clock.set_arrival_ms(1000);
    EXPECT_EQ(clock.TimeOf(record), 1000);
    EXPECT_EQ(clock.TimeOf(RecordOf(1)), 1001);
    clock.set_arrival_ms(3000);
    EXPECT_EQ(clock.TimeOf(record), 1001);
    EXPECT_EQ(clock.TimeOf(RecordOf(1)), 1001);
  }
}

TEST(StepClockTest, StateGoesOn) {
  StepClock clock;
  clock.set_arrival_ms(1000);
  logs::LogRecord record = RecordOf(7);
  record.attempt = 3;
  clock.TimeOf(record);
  std::string state;
  clock.AppendState(state);
  StepClock loaded;
  std::string_view in = state;
  ASSERT_TRUE(loaded.LoadState(in));
  EXPECT_EQ(in, "");
  EXPECT_EQ(loaded.TimeOf(record), 1000);
  EXPECT_EQ(loaded.TimeOf(RecordOf(7)), 1001);
  for (size_t size = 0; size < state.size(); ++size) {
    in = std::string_view(state).substr(0, size);
    EXPECT_FALSE(StepClock().LoadState(in)) << size;
  }
}

TEST(StepClockTest, StateLeavesRoomToCountOn) {
  constexpr int64_t kLatestMs = std::numeric_limits<int64_t>::max() / 2;
  for (const int64_t last_ms : {kLatestMs, kLatestMs + 1}) {
    std::string state;
    PutVarintSigned64(state, last_ms);
    state.append("\x00\x00", 2);
    std::string_view in = state;
    EXPECT_EQ(StepClock().LoadState(in), last_ms == kLatestMs);
  }
}

TEST(StepSpacingTest, ALittleBackIsAnAdjustedClock) {
  StepSpacing spacing;
  EXPECT_EQ(spacing.TimeOf(1, 20'000), 20'000);
  EXPECT_EQ(spacing.TimeOf(2, 10'000), 20'001);
  EXPECT_EQ(spacing.TimeOf(3, 10'001), 20'002);
  // Ten seconds behind the last time is a little; more is not.
  EXPECT_EQ(spacing.TimeOf(4, 10'002 - 1), 20'003);
  EXPECT_EQ(spacing.TimeOf(5, 10'000), 10'000);
}

TEST(StepSpacingTest, TheLatestTimeHasNoneBehindIt) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  StepSpacing spacing;
  EXPECT_EQ(spacing.TimeOf(1, kMax), kMax);
  EXPECT_EQ(spacing.TimeOf(2, kMax), kMax);
}

TEST(StepSpacingTest, StateGoesOn) {
  StepSpacing spacing;
  spacing.TimeOf(1, 1000);
  spacing.TimeOf(2, 1000);
  std::string state;
  spacing.AppendState(state);
  StepSpacing loaded;
  std::string_view in = state;
  ASSERT_TRUE(loaded.LoadState(in));
  EXPECT_EQ(loaded.TimeOf(2, 1000), 1001);
  EXPECT_EQ(loaded.TimeOf(3, 1000), 1002);
}

}  // namespace
}  // namespace lockstep::push
