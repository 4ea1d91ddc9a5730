#include "base/status.h"

namespace lockstep {

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  std::string message(context);
  message += ": ";
  message += Message(status);
  return absl::Status(status.code(), message);
}

}  // namespace lockstep
