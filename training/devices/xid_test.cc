#include "training/devices/xid.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace lockstep::training {
namespace {

TEST(Xid, CodesMeanSomething) {
  const std::pair<int64_t, XidAction> cases[] = {{79, XidAction::kDrain},
                                                 {48, XidAction::kDrain},
                                                 {13, XidAction::kNone},
                                                 {63, XidAction::kResetWhenIdle},
                                                 {74, XidAction::kWatchThenDrain}};
  for (const auto& [code, action] : cases) {
    const XidMeaning* meaning = MeaningOfXid(code);
    ASSERT_NE(meaning, nullptr) << code;
    EXPECT_EQ(Name(meaning->action), Name(action)) << code;
    EXPECT_FALSE(meaning->words.empty());
  }
  EXPECT_EQ(MeaningOfXid(1), nullptr);
}

// Each code is written down a second time, here by action, so that a slip in the table shows.
TEST(Xid, EachCodeHasItsAction) {
  const std::map<XidAction, std::set<int64_t>> codes = {
      {XidAction::kNone, {13, 31, 43, 45, 69}},
      {XidAction::kWatch, {8, 44, 46, 92, 109, 121, 162, 163, 164, 165}},
      {XidAction::kWatchThenDrain,
       {74, 136, 137, 144, 145, 146, 147, 148, 149, 150, 155, 166, 170}},
      {XidAction::kResetWhenIdle, {63, 94, 156, 160}},
      {XidAction::kReadRecoveryAction, {154}},
      {XidAction::kDrain,
       {48, 54, 57, 58, 61, 62, 64, 79, 95, 119, 120, 140, 143, 157, 158, 161, 167, 169, 171, 172}},
  };
  for (int64_t code = 0; code <= 200; ++code) {
    std::string expected = "-";
    for (const auto& [action, all] : codes) {
      if (all.contains(code)) expected = Name(action);
    }
    const XidMeaning* const meaning = MeaningOfXid(code);
    EXPECT_EQ(meaning == nullptr ? "-" : std::string(Name(meaning->action)), expected) << code;
  }
}

}  // namespace
}  // namespace lockstep::training
