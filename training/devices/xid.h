// What the driver's XID codes mean for a job and its node.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::training {

enum class XidAction {
  kNone,  // caused by the program itself
  kWatch,
  kWatchThenDrain,
  kResetWhenIdle,
  kReadRecoveryAction,  // the device reports what it needs
  kDrain,
};

struct XidMeaning {
  int64_t code;
  std::string_view kind;
  XidAction action;
  std::string_view words;
};

// The meaning of a code; static. nullptr for a code with no known meaning for the device's health.
const XidMeaning* MeaningOfXid(int64_t code);

std::string_view Name(XidAction action);

}  // namespace lockstep::training
