#include "ingest/push/log_pusher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "base/status.h"
#include "ingest/write/ingest_testing.h"

namespace lockstep::push {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr std::string_view kOneStep = "{\"step\": 1, \"loss\": 2, \"ts_ms\": 1000000000000}\n";
constexpr std::string_view kNextStep = "{\"step\": 2, \"loss\": 3, \"ts_ms\": 1000000001000}\n";

// Answers when it is told to.
class LateStorage : public FakeStorage {
 public:
  void Write(WriteRequest request, WriteCallback committed) override {
    last_request = std::move(request);
    waiting = std::move(committed);
  }
  WriteCallback waiting;
};

class LogPusherTest : public testing::Test {
 protected:
  PushResult Push(const std::string& stream, const LogPush& push,
                  const logs::LogHints& hints = {}) {
    std::optional<PushResult> result;
    pusher_.Push(stream, hints, push, [&result](PushResult pushed) {
      EXPECT_FALSE(result.has_value());
      result = std::move(pushed);
    });
    EXPECT_TRUE(result.has_value());
    return *std::move(result);
  }
  PushResult Push(const std::string& stream, std::string_view bytes) {
    return Push(stream, {.bytes = bytes, .offset = std::nullopt, .arrival_ms = 5});
  }
  size_t row_count() const { return rows_.ReadKept(KeptKind::kLogStreams)->size(); }

  FakeStorage storage_;
  Ingester ingester_{storage_, {}};
  KeptRowsInMemory rows_;
  LogPusher pusher_{ingester_, {}, &rows_};
};

TEST_F(LogPusherTest, WithoutANameTheBytesAreAWholeLog) {
  const std::string log(kOneStep.substr(0, kOneStep.size() - 1));
  const PushResult result = Push("", log);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.answer.next_offset, log.size());
  EXPECT_EQ(result.answer.lines, 1u);
  EXPECT_EQ(result.answer.records, 1u);
  EXPECT_EQ(result.answer.values, 1u);
  EXPECT_THAT(storage_.last_request.series, SizeIs(2));
  // The next one is another.
  EXPECT_EQ(Push("", log).answer.next_offset, log.size());
  const PushStats stats = pusher_.stats();
  EXPECT_EQ(stats.pushes, 2u);
  EXPECT_EQ(stats.failed_pushes, 0u);
  EXPECT_EQ(stats.bytes, 2 * log.size());
  EXPECT_EQ(stats.lines, 2u);
  EXPECT_EQ(stats.records, 2u);
  EXPECT_EQ(stats.values, 2u);
  EXPECT_EQ(stats.streams, 0u);
  EXPECT_EQ(row_count(), 0u);
}

TEST_F(LogPusherTest, AStreamGoesOnWhereItEnded) {
  EXPECT_EQ(Push("s", kOneStep).answer.next_offset, kOneStep.size());
  EXPECT_EQ(row_count(), 1u);
  const PushResult next = Push("s", std::string(kNextStep) + "broken\n{");
  ASSERT_TRUE(next.status.ok()) << next.status;
  EXPECT_EQ(next.answer.next_offset, kOneStep.size() + kNextStep.size() + 8);
  EXPECT_EQ(next.answer.lines, 2u);
  const PushStats stats = pusher_.stats();
  EXPECT_EQ(stats.streams, 1u);
  EXPECT_EQ(stats.bytes, next.answer.next_offset);
  EXPECT_EQ(stats.rejected_lines, 1u);
  // Only the last push of a named stream ends it.
  const PushResult last =
      Push("s", {.bytes = "\"step\": 3}", .offset = std::nullopt, .is_last = true});
  EXPECT_EQ(last.answer.lines, 1u);
  EXPECT_TRUE(absl::IsFailedPrecondition(Push("s", "x").status));
}

TEST_F(LogPusherTest, AfterAnErrorTheOffsetToGoOnFromIsTold) {
  Push("s", kOneStep);
  const PushResult gap = Push("s", {.bytes = "x", .offset = kOneStep.size() + 1});
  EXPECT_TRUE(absl::IsOutOfRange(gap.status));
  EXPECT_EQ(gap.answer.next_offset, kOneStep.size());
  EXPECT_EQ(pusher_.stats().failed_pushes, 1u);
  EXPECT_EQ(pusher_.stats().pushes, 2u);
  EXPECT_EQ(pusher_.stats().bytes, kOneStep.size());
  // The stream is free again.
  EXPECT_TRUE(Push("s", kNextStep).status.ok());
}

TEST_F(LogPusherTest, AnUnknownFormatMakesNoStream) {
  logs::LogHints hints;
  hints.format = "cobol";
  for (const std::string name : {"", "s"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(
        Push(name, {.bytes = kOneStep, .offset = std::nullopt}, hints).status));
  }
  EXPECT_EQ(pusher_.stats().failed_pushes, 2u);
  EXPECT_EQ(pusher_.stats().streams, 0u);
}

TEST_F(LogPusherTest, WhatWasNotStoredComesWithTheNextPush) {
  storage_.answer = absl::UnavailableError("the disk is full");
  const PushResult failed = Push("s", kOneStep);
  EXPECT_EQ(failed.status, absl::UnavailableError("the disk is full"));
  EXPECT_EQ(failed.answer.next_offset, 0u);
  EXPECT_EQ(failed.answer.lines, 0u);
  EXPECT_EQ(pusher_.stats().lines, 0u);
  EXPECT_EQ(row_count(), 0u);
  storage_.answer = WriteOutcome();
  const PushResult again = Push("s", std::string(kOneStep) + std::string(kNextStep));
  EXPECT_EQ(again.answer.lines, 2u);
  EXPECT_EQ(again.answer.next_offset, kOneStep.size() + kNextStep.size());
  // Two series of each push.
  EXPECT_THAT(storage_.last_request.series, SizeIs(4));
}

TEST_F(LogPusherTest, TheAnswerTellsWhatBecameOfTheSamples) {
  WriteOutcome outcome;
  outcome.written_count = 5;
  outcome.duplicate_count = 6;
  outcome.overwritten_count = 7;
  outcome.rejected.push_back({.series_index = 0, .sample_count = 1, .reason = "too old"});
  storage_.answer = outcome;
  const PushResult result = Push("s", kOneStep);
  EXPECT_EQ(result.answer.new_samples, 5u);
  EXPECT_EQ(result.answer.duplicate_samples, 6u);
  EXPECT_EQ(result.answer.overwritten_samples, 7u);
  EXPECT_THAT(result.answer.refusals.ToString(), HasSubstr("too old"));
  EXPECT_EQ(pusher_.stats().rejected_samples, 1u);
}

TEST_F(LogPusherTest, ARefusedCheckForgetsTheStream) {
  const auto refuse = [](const WriteRequest& request) {
    EXPECT_THAT(request.series, SizeIs(2));
    return absl::PermissionDeniedError("not this job");
  };
  const PushResult refused =
      Push("s", {.bytes = kOneStep, .offset = std::nullopt, .check = refuse});
  EXPECT_EQ(refused.status, absl::PermissionDeniedError("not this job"));
  EXPECT_EQ(storage_.write_count, 0);
  EXPECT_EQ(pusher_.stats().streams, 0u);
  const auto allow = [](const WriteRequest&) { return absl::OkStatus(); };
  const PushResult allowed = Push("s", {.bytes = kOneStep, .offset = std::nullopt, .check = allow});
  EXPECT_TRUE(allowed.status.ok());
  EXPECT_EQ(allowed.answer.lines, 1u);
}

TEST_F(LogPusherTest, AStreamThatGotNothingIsForgotten) {
  EXPECT_TRUE(Push("s", "").status.ok());
  EXPECT_EQ(pusher_.stats().streams, 0u);
  EXPECT_EQ(row_count(), 0u);
  Push("s", kOneStep);
  EXPECT_TRUE(Push("s", "").status.ok());
  EXPECT_EQ(pusher_.stats().streams, 1u);
}

TEST(LogPusherAtWorkTest, OnePushAtATime) {
  LateStorage storage;
  Ingester ingester(storage, {});
  LogPusher pusher(ingester, {}, nullptr);
  std::optional<absl::Status> first, second;
  pusher.Push("s", {}, {.bytes = kOneStep, .offset = std::nullopt},
              [&first](const PushResult& result) { first = result.status; });
  pusher.Push("s", {}, {.bytes = kOneStep, .offset = std::nullopt},
              [&second](const PushResult& result) { second = result.status; });
  EXPECT_FALSE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(Message(*second), "another push to the stream \"s\" is in progress");
  storage.waiting(WriteOutcome());
  ASSERT_TRUE(first.has_value());
  EXPECT_TRUE(first->ok());
  EXPECT_EQ(pusher.stats().pushes, 2u);
  EXPECT_EQ(pusher.stats().failed_pushes, 1u);
}

TEST(LogPusherAtWorkTest, TheRateOfTheIngesterHolds) {
  FakeStorage storage;
  Ingester ingester(storage, {.max_samples_per_second = 1});
  LogPusher pusher(ingester, {}, nullptr);
  const auto push = [&pusher](std::string_view bytes) {
    absl::Status status;
    pusher.Push("s", {}, {.bytes = bytes, .offset = std::nullopt},
                [&status](const PushResult& result) { status = result.status; });
    return status;
  };
  std::string steps;
  for (int i = 0; i < 100; ++i) steps += kOneStep;
  EXPECT_TRUE(push(steps).ok());
  // A hundred seconds' worth was taken at once.
  EXPECT_TRUE(absl::IsResourceExhausted(push(kNextStep)));
  EXPECT_EQ(ingester.stats().series, 2u);
}

}  // namespace
}  // namespace lockstep::push
