#include "ingest/push/log_streams.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "ingest/push/push_limits.h"
#include "ingest/write/ingest_testing.h"

namespace lockstep::push {
namespace {

TEST(LogStreamsTest, OnePushAtATime) {
  LogStreams streams(IngestLimits(), 8, nullptr);
  const auto first = streams.Lend("a", {});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(streams.Lend("a", {}).status().code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(streams.Lend("b", {}).ok());
  streams.Return("a");
  const auto again = streams.Lend("a", {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*first, *again);
}

TEST(LogStreamsTest, TheQuietestMakesWay) {
  LogStreams streams(IngestLimits(), 2, nullptr);
  for (const std::string_view name : {"a", "b", "a"}) {
    ASSERT_TRUE(streams.Lend(name, {}).ok());
    streams.Return(name);
  }
  const auto b = streams.Lend("b", {});
  ASSERT_TRUE(b.ok());
  ASSERT_TRUE((*b)->Begin({"x", 0}).ok());
  (*b)->End(true);
  streams.Return("b");
  ASSERT_TRUE(streams.Lend("c", {}).ok());  // evicts a
  EXPECT_EQ(streams.size(), 2u);
  const auto same_b = streams.Lend("b", {});
  ASSERT_TRUE(same_b.ok());
  EXPECT_EQ((*same_b)->next_offset(), 1u);
  EXPECT_EQ(streams.Lend("d", {}).status().code(), absl::StatusCode::kResourceExhausted);
}

// Pushes `bytes` at the stream's end.
uint64_t PushTo(LogStreams& streams, std::string_view name, std::string_view bytes) {
  const auto stream = streams.Lend(name, {});
  if (!stream.ok() || !(*stream)->Begin({bytes, std::nullopt}).ok()) return 0;
  const uint64_t offset = (*stream)->End(true).next_offset;
  streams.Keep(name);
  streams.Return(name);
  return offset;
}

TEST(LogStreamsTest, StreamsGoOnAfterARestart) {
  KeptRowsInMemory rows;
  {
    LogStreams streams(IngestLimits(), 2, &rows);
    EXPECT_EQ(PushTo(streams, "a", "{\"step\": 1}\n"), 12u);
    EXPECT_EQ(PushTo(streams, "b", "{\"step\": 1}\n{"), 13u);
    EXPECT_EQ(PushTo(streams, "c", "{}"), 2u);  // evicted a
  }
  {
    LogStreams streams(IngestLimits(), 2, &rows);
    EXPECT_EQ(streams.size(), 2u);
    EXPECT_EQ(PushTo(streams, "b", "}\n"), 15u);
    EXPECT_EQ(PushTo(streams, "a", "{"), 1u);  // starts over; evicted c
  }
  rows.Damage(KeptKind::kLogStreams, 0);
  LogStreams streams(IngestLimits(), 2, &rows);
  EXPECT_EQ(streams.size(), 1u);
  EXPECT_EQ(PushTo(streams, "b", "x") + PushTo(streams, "a", "x"), 16u + 1u);
}

TEST(LogStreamsTest, TheQuietestLeavesMemoryAndGoesOnFromItsRow) {
  KeptRowsInMemory rows;
  LogStreams streams(IngestLimits(), 8, &rows);
  EXPECT_EQ(PushTo(streams, "a", "{\"step\": 1}\n"), 12u);
  EXPECT_EQ(PushTo(streams, "b", "{\"step\": 1}\n"), 12u);
  ASSERT_TRUE(streams.Lend("b", {}).ok());
  EXPECT_TRUE(streams.DropQuietest());
  EXPECT_FALSE(streams.DropQuietest());  // b is lent
  streams.Return("b");
  EXPECT_EQ(streams.size(), 2u);
  EXPECT_EQ(PushTo(streams, "a", "{\"step\": 2}\n"), 24u);
}

TEST(LogStreamsTest, WhatNoRowKeepsIsForgotten) {
  LogStreams streams(IngestLimits(), 8, nullptr);
  EXPECT_EQ(PushTo(streams, "a", "{\"step\": 1}\n"), 12u);
  EXPECT_TRUE(streams.DropQuietest());
  EXPECT_EQ(streams.size(), 0u);
  EXPECT_EQ(PushTo(streams, "a", "{\"step\": 1}\n"), 12u);
}

TEST(LogStreamsTest, BadNamesAndFormats) {
  LogStreams streams(IngestLimits(), 2, nullptr);
  logs::LogHints hints;
  EXPECT_FALSE(streams.Lend("", hints).ok());
  EXPECT_FALSE(streams.Lend(std::string(kMaxStreamNameBytes + 1, 'x'), hints).ok());
  hints.format = "cobol";
  EXPECT_FALSE(streams.Lend("a", hints).ok());
  EXPECT_EQ(streams.size(), 0u);
}

TEST(LogStreamsTest, RowsHaveTheLowestFreeNumbers) {
  KeptRowsInMemory rows;
  LogStreams streams(IngestLimits(), 3, &rows);
  const auto numbers = [&rows] {
    std::string text;
    const auto kept = rows.ReadKept(KeptKind::kLogStreams);
    for (const KeptRow& row : kept.value()) {
      text += std::to_string(row.number) + row.bytes.substr(2, 1) + " ";
    }
    return text;
  };
  PushTo(streams, "a", "x\n");
  PushTo(streams, "b", "x\n");
  EXPECT_EQ(numbers(), "0a 1b ");
  ASSERT_TRUE(streams.Lend("a", {}).ok());
  streams.Forget("a");
  EXPECT_EQ(numbers(), "1b ");
  PushTo(streams, "c", "x\n");
  EXPECT_EQ(numbers(), "0c 1b ");
  PushTo(streams, "d", "x\n");
  EXPECT_EQ(numbers(), "0c 1b 2d ");
  PushTo(streams, "e", "x\n");  // in place of b
  EXPECT_EQ(numbers(), "0c 1e 2d ");
}

TEST(LogStreamsTest, KeptNumbersAreTaken) {
  KeptRowsInMemory rows;
  {
    LogStreams streams(IngestLimits(), 3, &rows);
    PushTo(streams, "a", "x\n");
    PushTo(streams, "b", "x\n");
  }
  LogStreams streams(IngestLimits(), 3, &rows);
  EXPECT_EQ(PushTo(streams, "c", "x\n"), 2u);
  EXPECT_EQ(rows.ReadKept(KeptKind::kLogStreams)->size(), 3u);
  EXPECT_EQ(PushTo(streams, "a", "x\n"), 4u);
  // Rows of a larger table are left alone.
  LogStreams fewer(IngestLimits(), 1, &rows);
  EXPECT_EQ(fewer.size(), 1u);
}

TEST(LogStreamsTest, AStreamWhoseRowIsDamagedStartsOver) {
  KeptRowsInMemory rows;
  LogStreams streams(IngestLimits(), 8, &rows);
  PushTo(streams, "a", "{\"step\": 1}\n");
  EXPECT_TRUE(streams.DropQuietest());
  rows.Damage(KeptKind::kLogStreams, 0);
  EXPECT_EQ(PushTo(streams, "a", "x\n"), 2u);
}

TEST(LogStreamsTest, WhatCannotBeKeptNowHasNoRow) {
  KeptRowsInMemory rows;
  LogStreams streams(IngestLimits(), 8, &rows);
  PushTo(streams, "a", "x\n");
  EXPECT_EQ(rows.ReadKept(KeptKind::kLogStreams)->size(), 1u);
  // Inside a document.
  PushTo(streams, "b", "{\n\"log_history\": [\n");
  EXPECT_EQ(rows.ReadKept(KeptKind::kLogStreams)->size(), 1u);
  // So it does not leave memory, only the table.
  EXPECT_TRUE(streams.DropQuietest());
  EXPECT_EQ(streams.size(), 2u);
  EXPECT_TRUE(streams.DropQuietest());
  EXPECT_EQ(streams.size(), 1u);
  EXPECT_FALSE(streams.DropQuietest());
}

TEST(LogStreamsTest, WhatChangedSinceItWasKeptIsForgotten) {
  KeptRowsInMemory rows;
  LogStreams streams(IngestLimits(), 8, &rows);
  PushTo(streams, "a", "x\n");
  const auto stream = streams.Lend("a", {});
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE((*stream)->Begin({"y\n", std::nullopt}).ok());
  (*stream)->End(true);
  streams.Return("a");
  EXPECT_TRUE(streams.DropQuietest());
  EXPECT_EQ(streams.size(), 0u);
  EXPECT_EQ(rows.ReadKept(KeptKind::kLogStreams)->size(), 0u);
}

TEST(LogStreamsTest, ErrorsNameTheLimits) {
  LogStreams streams(IngestLimits(), 1, nullptr);
  EXPECT_EQ(Message(streams.Lend("", {}).status()),
            "a stream name must have 1 to 512 bytes, not 0");
  EXPECT_TRUE(streams.Lend(std::string(kMaxStreamNameBytes, 'x'), {}).ok());
  EXPECT_EQ(Message(streams.Lend("a", {}).status()),
            "1 streams have a push in progress, which is the limit");
}

}  // namespace
}  // namespace lockstep::push
