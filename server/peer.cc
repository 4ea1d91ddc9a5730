#include "server/peer.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace lockstep::server {
namespace {

constexpr size_t kNetworkBytes = 8;
constexpr std::string_view kMappedIpv4 = "::ffff:";

}  // namespace

std::string HostOfAddress(std::string_view address) {
  for (const std::string_view scheme : {"ipv4:", "ipv6:"}) {
    if (address.starts_with(scheme)) address.remove_prefix(scheme.size());
  }
  if (const size_t colon = address.rfind(':'); colon != std::string_view::npos) {
    address = address.substr(0, colon);
  }
  for (const std::string_view bracket : {"[", "%5B"}) {
    if (address.starts_with(bracket)) address.remove_prefix(bracket.size());
  }
  for (const std::string_view bracket : {"]", "%5D"}) {
    if (address.ends_with(bracket)) address.remove_suffix(bracket.size());
  }
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

}  // namespace lockstep::server
