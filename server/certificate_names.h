// The names in an X.509 certificate.
#pragma once

#include <openssl/ssl.h>

#include <memory>

#include "server/peer.h"

namespace lockstep::server {

// Of the certificate that the client of a finished handshake showed; null if it showed none.
std::shared_ptr<const CertificateNames> NamesOfClient(SSL* connection);

}  // namespace lockstep::server
