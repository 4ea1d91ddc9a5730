// XID codes that mean more than a driver's internal fault.
#include <algorithm>

#include "training/xid.h"

namespace lockstep::training {
namespace {

// clang-format off
constexpr XidMeaning kMeanings[] = {
    {8, "application_or_driver", XidEffect::kFails, XidAction::kWatch, "channel or context timeout"},
    {13, "application", XidEffect::kFails, XidAction::kNone, "usually a bad kernel or memory access of the user program; suspect hardware only when the same GPU repeats it across jobs"},
    {31, "application", XidEffect::kFails, XidAction::kNone, "usually a bad kernel or memory access of the user program; suspect hardware only when the same GPU repeats it across jobs"},
    {43, "application", XidEffect::kFails, XidAction::kNone, "usually a bad kernel or memory access of the user program; suspect hardware only when the same GPU repeats it across jobs"},
    {44, "application_or_driver", XidEffect::kFails, XidAction::kWatch, "channel or context timeout"},
    {45, "application", XidEffect::kFails, XidAction::kNone, "usually a bad kernel or memory access of the user program; suspect hardware only when the same GPU repeats it across jobs"},
    {46, "application_or_driver", XidEffect::kFails, XidAction::kWatch, "channel or context timeout"},
    {48, "memory_uncorrectable", XidEffect::kFails, XidAction::kDrain, "uncorrectable memory error: results since the last checkpoint are suspect"},
    {54, "power", XidEffect::kFails, XidAction::kDrain, "board power cable"},
    {57, "memory_interface", XidEffect::kFails, XidAction::kDrain, "memory interface training"},
    {58, "memory_interface", XidEffect::kFails, XidAction::kDrain, "memory interface training"},
    {61, "microcontroller", XidEffect::kFails, XidAction::kDrain, "PMU halt"},
    {62, "microcontroller", XidEffect::kFails, XidAction::kDrain, "PMU halt"},
    {63, "memory_remap_event", XidEffect::kContinues, XidAction::kResetWhenIdle, "row remap / retirement recorded: takes effect at the next GPU reset"},
    {64, "memory_remap_failure", XidEffect::kFails, XidAction::kDrain, "remap or retirement could not be recorded"},
    {69, "application", XidEffect::kFails, XidAction::kNone, "usually a bad kernel or memory access of the user program; suspect hardware only when the same GPU repeats it across jobs"},
    {74, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {79, "bus", XidEffect::kFails, XidAction::kDrain, "GPU fell off the PCIe bus: power, seating, thermal"},
    {92, "memory_correctable_rate", XidEffect::kContinues, XidAction::kWatch, "high single-bit rate"},
    {94, "memory_contained", XidEffect::kFails, XidAction::kResetWhenIdle, "contained: only the process that touched it dies"},
    {95, "memory_uncontained", XidEffect::kFails, XidAction::kDrain, "uncontained: every process on the GPU dies, reset needed"},
    {109, "application_or_driver", XidEffect::kFails, XidAction::kWatch, "channel or context timeout"},
    {119, "gsp", XidEffect::kFails, XidAction::kDrain, "GSP firmware timeout: GPU reset or node reboot"},
    {120, "gsp", XidEffect::kFails, XidAction::kDrain, "GSP firmware timeout: GPU reset or node reboot"},
    {121, "c2c", XidEffect::kSlows, XidAction::kWatch, "C2C link (Grace)"},
    {136, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {137, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {140, "memory_uncorrectable", XidEffect::kFails, XidAction::kDrain, "uncorrectable memory error: results since the last checkpoint are suspect"},
    {143, "bus_or_init", XidEffect::kFails, XidAction::kDrain, "initialisation or PCIe fatal timeout"},
    {144, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {145, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {146, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {147, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {148, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {149, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {150, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {154, "recovery_action", XidEffect::kContinues, XidAction::kReadRecoveryAction, "the GPU asks for an action: DCGM_FI_DEV_GPU_RECOVERY_ACTION"},
    {155, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {156, "memory_remap_event", XidEffect::kContinues, XidAction::kResetWhenIdle, "row remap / retirement recorded: takes effect at the next GPU reset"},
    {157, "memory_remap_failure", XidEffect::kFails, XidAction::kDrain, "remap or retirement could not be recorded"},
    {158, "bus_or_init", XidEffect::kFails, XidAction::kDrain, "initialisation or PCIe fatal timeout"},
    {160, "memory_remap_event", XidEffect::kContinues, XidAction::kResetWhenIdle, "row remap / retirement recorded: takes effect at the next GPU reset"},
    {161, "memory_remap_failure", XidEffect::kFails, XidAction::kDrain, "remap or retirement could not be recorded"},
    {162, "power_smoothing", XidEffect::kContinues, XidAction::kWatch, "Blackwell power smoothing hardware"},
    {163, "power_smoothing", XidEffect::kContinues, XidAction::kWatch, "Blackwell power smoothing hardware"},
    {164, "power_smoothing", XidEffect::kContinues, XidAction::kWatch, "Blackwell power smoothing hardware"},
    {165, "power_smoothing", XidEffect::kContinues, XidAction::kWatch, "Blackwell power smoothing hardware"},
    {166, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {167, "bus_or_init", XidEffect::kFails, XidAction::kDrain, "initialisation or PCIe fatal timeout"},
    {169, "microcontroller", XidEffect::kFails, XidAction::kDrain, "PMU halt"},
    {170, "nvlink", XidEffect::kFailsOrSlows, XidAction::kWatchThenDrain, "NVLink fault: compare the peer GPU and the NVSwitch port"},
    {171, "memory_uncorrectable", XidEffect::kFails, XidAction::kDrain, "uncorrectable memory error: results since the last checkpoint are suspect"},
    {172, "memory_uncorrectable", XidEffect::kFails, XidAction::kDrain, "uncorrectable memory error: results since the last checkpoint are suspect"},
};
// clang-format on

}  // namespace

const XidMeaning* MeaningOfXid(int64_t code) {
  const auto* found = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                   [code](const XidMeaning& xid) { return xid.code == code; });
  return found == std::end(kMeanings) ? nullptr : found;
}

std::string_view Name(XidAction action) {
  switch (action) {
    case XidAction::kDrain:
      return "drain";
    case XidAction::kWatchThenDrain:
      return "watch_then_drain";
    case XidAction::kWatch:
      return "watch";
    case XidAction::kResetWhenIdle:
      return "reset_when_idle";
    case XidAction::kReadRecoveryAction:
      return "read_recovery_action";
    case XidAction::kNone:
      break;
  }
  return "none";
}

}  // namespace lockstep::training
