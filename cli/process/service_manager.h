// Notifies the service manager that started this process (systemd's sd_notify protocol).
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace lockstep::cli {

// Sends `state`, such as "READY=1", to the datagram socket in NOTIFY_SOCKET: a path, or '@' and the
// name of an abstract socket. Does nothing if NOTIFY_SOCKET is not set. Never blocks. Fails with
// kInvalidArgument if NOTIFY_SOCKET is not a valid address, and with kUnavailable if nobody
// receives the message.
absl::Status TellServiceManager(std::string_view state);

}  // namespace lockstep::cli
