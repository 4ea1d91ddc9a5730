#include "ingest/push/log_streams.h"

#include <gtest/gtest.h>

#include <string>

#include "ingest/push/push_limits.h"

namespace lockstep::push {
namespace {

TEST(LogStreamsTest, OnePushAtATime) {
  LogStreams streams(IngestLimits(), 8);
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
  LogStreams streams(IngestLimits(), 2);
  for (const std::string_view name : {"a", "b", "a"}) {
    ASSERT_TRUE(streams.Lend(name, {}).ok());
    streams.Return(name);
  }
  const auto b = streams.Lend("b", {});
  ASSERT_TRUE(b.ok());
  ASSERT_TRUE((*b)->Begin({"x", 0}).ok());
  (*b)->End(true);
  streams.Return("b");
  ASSERT_TRUE(streams.Lend("c", {}).ok());  // a went
  EXPECT_EQ(streams.size(), 2u);
  const auto same_b = streams.Lend("b", {});
  ASSERT_TRUE(same_b.ok());
  EXPECT_EQ((*same_b)->next_offset(), 1u);
  EXPECT_EQ(streams.Lend("d", {}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(LogStreamsTest, BadNamesAndFormats) {
  LogStreams streams(IngestLimits(), 2);
  logs::LogHints hints;
  EXPECT_FALSE(streams.Lend("", hints).ok());
  EXPECT_FALSE(streams.Lend(std::string(kMaxStreamNameBytes + 1, 'x'), hints).ok());
  hints.format = "cobol";
  EXPECT_FALSE(streams.Lend("a", hints).ok());
  EXPECT_EQ(streams.size(), 0u);
}

}  // namespace
}  // namespace lockstep::push
