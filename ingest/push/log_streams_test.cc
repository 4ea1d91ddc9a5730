#include "ingest/push/log_streams.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace lockstep::push
