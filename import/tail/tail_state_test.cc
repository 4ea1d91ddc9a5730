#include "import/tail/tail_state.h"

#include <gtest/gtest.h>

#include "tests/support/test_folder.h"

namespace lockstep::tail {
namespace {

constexpr std::string_view kState =
    "lockstep-tail 1\n"
    "log 1 2 3 4 500 tail/host/1.2.3/a name.log\n"
    "+100 1700000000000\n"
    "+400 +1000\n"
    "log 1 3 0 0 0 x\n";

TEST(TailStateTest, ToTextAndBack) {
  const auto state = ParseTailState(kState);
  ASSERT_TRUE(state.ok()) << state.status();
  ASSERT_EQ(state->logs.size(), 2u);
  const TailedLogState& log = state->logs[0];
  EXPECT_EQ(log.stream, "tail/host/1.2.3/a name.log");
  EXPECT_EQ(log.offset, 500u);
  ASSERT_EQ(log.pushes.size(), 2u);
  EXPECT_EQ(log.pushes[1].end, 500u);
  EXPECT_EQ(log.pushes[1].arrival_ms, 1'700'000'001'000);
  EXPECT_EQ(ToText(*state), kState);
}

TEST(TailStateTest, WhatIsNone) {
  for (const std::string text :
       {"", "lockstep-tail 2\n", "lockstep-tail 1\n+1 1\n", "lockstep-tail 1\nlog 1 2 3 4 5\n",
        "lockstep-tail 1\nlog 1 2 3 4 5 s\n+1 +1\n",
        "lockstep-tail 1\nlog 1 2 3 4 5 s\n+1 1\n+1 1\n",
        "lockstep-tail 1\nlog 1 2 3 4 5 s\n+1 1 x\n"}) {
    EXPECT_FALSE(ParseTailState(text).ok()) << text;
  }
}

TEST(TailStateTest, Files) {
  const TestFolder folder;
  const std::string path = folder.path() + "/state";
  EXPECT_TRUE(ReadTailState(path)->logs.empty());
  ASSERT_TRUE(WriteTailState(path, kState).ok());
  EXPECT_EQ(ToText(*ReadTailState(path)), kState);
  folder.Write("state", "nothing");
  EXPECT_FALSE(ReadTailState(path).ok());
  EXPECT_FALSE(WriteTailState(folder.path() + "/none/state", kState).ok());
}

TEST(TailStateTest, PushesAreBounded) {
  TailedLogState log;
  for (uint64_t i = 1; i <= 3 * kMaxPushesKept; ++i) {
    log.AddPush(10 * i, static_cast<int64_t>(1000 * i));
  }
  EXPECT_LE(log.pushes.size(), kMaxPushesKept);
  EXPECT_EQ(log.offset, 30 * kMaxPushesKept);
  EXPECT_EQ(log.pushes.back().end, log.offset);
  // Times still increase with the bytes, starting from the first.
  EXPECT_EQ(log.pushes.front().arrival_ms, 1000);
  for (size_t i = 1; i < log.pushes.size(); ++i) {
    ASSERT_LT(log.pushes[i - 1].end, log.pushes[i].end);
    ASSERT_LT(log.pushes[i - 1].arrival_ms, log.pushes[i].arrival_ms);
  }
  log.AddPush(log.offset, 1);
  EXPECT_EQ(log.pushes.back().end, log.offset);
}

// "end@time ..." of all pushes.
std::string PushesOf(const TailedLogState& log) {
  std::string text;
  for (const PushedBytes& push : log.pushes) {
    text += std::to_string(push.end) + "@" + std::to_string(push.arrival_ms) + " ";
  }
  return text;
}

TEST(TailStateTest, PushesOfOneTimeAreOne) {
  TailedLogState log;
  log.AddPush(10, 1000);
  log.AddPush(20, 1000);
  log.AddPush(30, 2000);
  EXPECT_EQ(PushesOf(log), "20@1000 30@2000 ");
  EXPECT_EQ(log.offset, 30u);
  // What is pushed again changes nothing.
  log.AddPush(30, 3000);
  log.AddPush(5, 3000);
  EXPECT_EQ(PushesOf(log), "20@1000 30@2000 ");
  EXPECT_EQ(log.offset, 30u);
}

// Of two neighbours the later bytes are kept with the earlier time.
TEST(TailStateTest, PushesBeyondTheLimitAreJoined) {
  TailedLogState log;
  for (uint64_t i = 1; i <= kMaxPushesKept; ++i) log.AddPush(i, static_cast<int64_t>(i));
  EXPECT_EQ(log.pushes.size(), kMaxPushesKept);
  const uint64_t next = kMaxPushesKept + 1;
  log.AddPush(next, static_cast<int64_t>(next));
  ASSERT_EQ(log.pushes.size(), kMaxPushesKept / 2 + 1);
  EXPECT_EQ(log.pushes[0].end, 2u);
  EXPECT_EQ(log.pushes[0].arrival_ms, 1);
  EXPECT_EQ(log.pushes[1].end, 4u);
  EXPECT_EQ(log.pushes[1].arrival_ms, 3);
  EXPECT_EQ(log.pushes.back().end, next);
  EXPECT_EQ(log.pushes[kMaxPushesKept / 2 - 1].end, kMaxPushesKept);
}

TEST(TailStateTest, NumbersThatOverflowAreNone) {
  const std::string begin = "lockstep-tail 1\nlog 1 2 3 4 5 s\n+18446744073709551615 1\n";
  EXPECT_TRUE(ParseTailState(begin).ok());
  EXPECT_FALSE(ParseTailState(begin + "+1 +1\n").ok());
  EXPECT_FALSE(
      ParseTailState("lockstep-tail 1\nlog 1 2 3 4 5 s\n+1 9223372036854775807\n+1 +1\n").ok());
  EXPECT_FALSE(ParseTailState("lockstep-tail 1\nlog 1 2 3 x 5 s\n").ok());
  EXPECT_FALSE(ParseTailState("lockstep-tail 1\nlag 1 2 3 4 5 s\n").ok());
}

TEST(TailStateTest, ErrorsNameTheFile) {
  const TestFolder folder;
  const std::string path = folder.Write("state", "nothing");
  EXPECT_EQ(Message(ReadTailState(path).status()),
            "\"" + path +
                "\" (delete it to start over): it is not a progress file of `lockstep "
                "tail`");
  EXPECT_EQ(Message(WriteTailState(folder.path() + "/none/state", kState)),
            "cannot write \"" + folder.path() + "/none/state.new\"");
}

}  // namespace
}  // namespace lockstep::tail
