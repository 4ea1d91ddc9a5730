#include "cli/settings/host_port.h"

#include <charconv>

#include "absl/strings/str_format.h"

namespace lockstep::cli {

absl::StatusOr<HostPort> ParseHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  HostPort address;
  bool port_is_number = false;
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    port_is_number = error == std::errc() && end == port.data() + port.size();
  }
  if (!port_is_number) {
    return absl::InvalidArgumentError(
        absl::StrFormat("\"%s\" is not an address like 127.0.0.1:9009", text));
  }
  std::string_view host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (host.empty()) host = "0.0.0.0";
  if (host == "localhost") host = "127.0.0.1";
  address.host = std::string(host);
  return address;
}

}  // namespace lockstep::cli
