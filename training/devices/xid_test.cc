#include "training/devices/xid.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"

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

// As NVIDIA's catalogue of XID errors groups them; a code that it calls harmless or does not have
// says nothing.
TEST(Xid, CodesAreThoseOfTheCatalogue) {
  std::map<std::string, std::string> codes;
  for (int64_t code = 0; code <= 400; ++code) {
    const XidMeaning* meaning = MeaningOfXid(code);
    if (meaning == nullptr) continue;
    EXPECT_EQ(meaning->code, code);
    codes[std::string(meaning->kind)] += absl::StrFormat("%d ", code);
  }
  const std::map<std::string, std::string> expected = {
      {"application", "13 31 43 45 69 "},
      {"application_or_driver", "8 44 46 109 "},
      {"bus", "79 "},
      {"bus_or_init", "143 158 167 "},
      {"c2c", "121 "},
      {"gsp", "119 120 "},
      {"memory_contained", "94 "},
      {"memory_correctable_rate", "92 "},
      {"memory_interface", "57 58 "},
      {"memory_remap_event", "63 156 160 "},
      {"memory_remap_failure", "64 157 161 "},
      {"memory_uncontained", "95 "},
      {"memory_uncorrectable", "48 140 171 172 "},
      {"microcontroller", "61 62 169 "},
      {"nvlink", "74 136 137 144 145 146 147 148 149 150 155 166 170 "},
      {"power", "54 "},
      {"power_smoothing", "162 163 164 165 "},
      {"recovery_action", "154 "}};
  EXPECT_EQ(codes, expected);
}

}  // namespace
}  // namespace lockstep::training
