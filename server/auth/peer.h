// Peer: what is known about the other side of a connection before it sends anything.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace lockstep::server {

// The names in a client's certificate.
struct CertificateNames {
  std::string subject;            // as in RFC 2253: "CN=agent,O=Example"
  std::vector<std::string> sans;  // DNS names, e-mail addresses, URIs, IP addresses
};

struct Peer {
  std::string address;  // including the port
  // The verified client certificate; null if there is none.
  std::shared_ptr<const CertificateNames> certificate{};
};

}  // namespace lockstep::server
