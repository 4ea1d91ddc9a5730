// What the driver's XID codes mean for a job and its node.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::training {

enum class XidEffect { kContinues, kSlows, kFailsOrSlows, kFails };
enum class XidAction {
  kNone,  // the program's own fault
  kWatch,
  kWatchThenDrain,
  kResetWhenIdle,
  kReadRecoveryAction,  // the device says itself what it needs
  kDrain,
};

struct XidMeaning {
  int64_t code;
  std::string_view kind;
  XidEffect effect;
  XidAction action;
  std::string_view words;
};

// nullptr for a code that says nothing known about the device's health. Lives as long as the program.
const XidMeaning* MeaningOfXid(int64_t code);

std::string_view Name(XidAction action);

}  // namespace lockstep::training
