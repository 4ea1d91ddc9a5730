// Messages to the service manager that started this process (systemd's sd_notify protocol).
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace lockstep::cli {

// Sends `state`, such as "READY=1", to the datagram socket that NOTIFY_SOCKET names: a path, or '@' and
// the name of an abstract socket. Does nothing where NOTIFY_SOCKET is not set. Never blocks. Errors are
// InvalidArgument (NOTIFY_SOCKET is no such address) and Unavailable (nobody took the message).
absl::Status TellServiceManager(std::string_view state);

}  // namespace lockstep::cli
