// XID codes that indicate more than an internal driver fault.
#include <algorithm>

#include "training/devices/xid.h"

namespace lockstep::training {
namespace {

constexpr std::string_view kProgramFault =
    "usually a bad kernel or memory access of the user program; suspect hardware only when the "
    "same GPU repeats it across jobs";
constexpr std::string_view kNvlinkFault =
    "NVLink fault: compare the peer GPU and the NVSwitch port";
constexpr std::string_view kUncorrectable =
    "uncorrectable memory error: results since the last checkpoint are suspect";
constexpr std::string_view kRemapRecorded =
    "row remap / retirement recorded: takes effect at the next GPU reset";

// clang-format off
constexpr XidMeaning kMeanings[] = {
    {8, "application_or_driver", XidAction::kWatch, "channel or context timeout"},
    {13, "application", XidAction::kNone, kProgramFault},
    {31, "application", XidAction::kNone, kProgramFault},
    {43, "application", XidAction::kNone, kProgramFault},
    {44, "application_or_driver", XidAction::kWatch, "channel or context timeout"},
    {45, "application", XidAction::kNone, kProgramFault},
    {46, "application_or_driver", XidAction::kWatch, "channel or context timeout"},
    {48, "memory_uncorrectable", XidAction::kDrain, kUncorrectable},
    {54, "power", XidAction::kDrain, "board power cable"},
    {57, "memory_interface", XidAction::kDrain, "memory interface training"},
    {58, "memory_interface", XidAction::kDrain, "memory interface training"},
    {61, "microcontroller", XidAction::kDrain, "PMU halt"},
    {62, "microcontroller", XidAction::kDrain, "PMU halt"},
    {63, "memory_remap_event", XidAction::kResetWhenIdle, kRemapRecorded},
    {64, "memory_remap_failure", XidAction::kDrain, "remap or retirement could not be recorded"},
    {69, "application", XidAction::kNone, kProgramFault},
    {74, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {79, "bus", XidAction::kDrain, "GPU fell off the PCIe bus: power, seating, thermal"},
    {92, "memory_correctable_rate", XidAction::kWatch, "high single-bit rate"},
    {94, "memory_contained", XidAction::kResetWhenIdle,
     "contained: only the process that touched it dies"},
    {95, "memory_uncontained", XidAction::kDrain,
     "uncontained: every process on the GPU dies, reset needed"},
    {109, "application_or_driver", XidAction::kWatch, "channel or context timeout"},
    {119, "gsp", XidAction::kDrain, "GSP firmware timeout: GPU reset or node reboot"},
    {120, "gsp", XidAction::kDrain, "GSP firmware timeout: GPU reset or node reboot"},
    {121, "c2c", XidAction::kWatch, "C2C link (Grace)"},
    {136, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {137, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {140, "memory_uncorrectable", XidAction::kDrain, kUncorrectable},
    {143, "bus_or_init", XidAction::kDrain, "initialisation or PCIe fatal timeout"},
    {144, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {145, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {146, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {147, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {148, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {149, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {150, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {154, "recovery_action", XidAction::kReadRecoveryAction,
     "the GPU requests an action: see DCGM_FI_DEV_GPU_RECOVERY_ACTION"},
    {155, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {156, "memory_remap_event", XidAction::kResetWhenIdle, kRemapRecorded},
    {157, "memory_remap_failure", XidAction::kDrain, "remap or retirement could not be recorded"},
    {158, "bus_or_init", XidAction::kDrain, "initialisation or PCIe fatal timeout"},
    {160, "memory_remap_event", XidAction::kResetWhenIdle, kRemapRecorded},
    {161, "memory_remap_failure", XidAction::kDrain, "remap or retirement could not be recorded"},
    {162, "power_smoothing", XidAction::kWatch, "Blackwell power smoothing hardware"},
    {163, "power_smoothing", XidAction::kWatch, "Blackwell power smoothing hardware"},
    {164, "power_smoothing", XidAction::kWatch, "Blackwell power smoothing hardware"},
    {165, "power_smoothing", XidAction::kWatch, "Blackwell power smoothing hardware"},
    {166, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {167, "bus_or_init", XidAction::kDrain, "initialisation or PCIe fatal timeout"},
    {169, "microcontroller", XidAction::kDrain, "PMU halt"},
    {170, "nvlink", XidAction::kWatchThenDrain, kNvlinkFault},
    {171, "memory_uncorrectable", XidAction::kDrain, kUncorrectable},
    {172, "memory_uncorrectable", XidAction::kDrain, kUncorrectable},
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
