// Peer: what is known of the other side of a connection before it says anything.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::server {

// The names in a client's certificate.
struct CertificateNames {
  std::string subject;            // as RFC 2253 has it: "CN=agent,O=Example"
  std::vector<std::string> sans;  // DNS names, e-mail addresses, URIs, IP addresses
};

struct Peer {
  std::string address;  // with the port
  // Of a certificate that was verified; null: there is none.
  std::shared_ptr<const CertificateNames> certificate{};
};

// "10.0.0.1" of "10.0.0.1:4242"; "::1" of "[::1]:4242".
std::string HostOfAddress(std::string_view address);

// Whom work is counted for: an IPv4 address, or the /64 of an IPv6 one, which one customer has to himself.
std::string NetworkOfAddress(std::string_view address);

}  // namespace lockstep::server
