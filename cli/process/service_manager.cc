#include "cli/process/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::cli {

absl::Status TellServiceManager(std::string_view state) {
  const char* const text = std::getenv("NOTIFY_SOCKET");
  if (text == nullptr) return absl::OkStatus();
  const std::string_view name(text);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (name.size() < 2 || name.size() >= sizeof(address.sun_path) ||
      (name[0] != '/' && name[0] != '@')) {
    return absl::InvalidArgumentError(
        absl::StrFormat("NOTIFY_SOCKET=\"%s\" is not the address of a socket", name));
  }
  name.copy(address.sun_path, name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool is_sent =
      descriptor >= 0 && sendto(descriptor, state.data(), state.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address),
                                length) == static_cast<ssize_t>(state.size());
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (is_sent) return absl::OkStatus();
  return absl::UnavailableError(absl::StrFormat("cannot send \"%s\" to NOTIFY_SOCKET=\"%s\": %s",
                                                state, name, std::strerror(error)));
}

}  // namespace lockstep::cli
