#include "import/tail/tail_state.h"

#include <gtest/gtest.h>

#include "import/files/importing_testing.h"

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
  const importer::TestFolder folder;
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

}  // namespace
}  // namespace lockstep::tail
