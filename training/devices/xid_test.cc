#include "training/devices/xid.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

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

}  // namespace
}  // namespace lockstep::training
