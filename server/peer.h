// Peer: what is known of the other side of a connection before it says anything.
#pragma once

#include <memory>
#include <string>
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

}  // namespace lockstep::server
