#include "base/budget/client_id.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace lockstep {
namespace {

constexpr size_t kNetworkBytes = 8;
constexpr std::string_view kMappedIpv4 = "::ffff:";

}  // namespace

std::string HostOfAddress(std::string_view address) {
  if (const size_t colon = address.rfind(':'); colon != std::string_view::npos) {
    address = address.substr(0, colon);
  }
  if (address.starts_with('[')) address.remove_prefix(1);
  if (address.ends_with(']')) address.remove_suffix(1);
  return std::string(address.substr(0, address.find('%')));
}

std::string NetworkOfAddress(std::string_view address) {
  std::string host = HostOfAddress(address);
  if (host.starts_with(kMappedIpv4)) return host.substr(kMappedIpv4.size());
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET6, host.c_str(), bytes.data()) != 1) return host;
  std::fill(bytes.begin() + kNetworkBytes, bytes.end(), 0);
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

}  // namespace lockstep
