// The two real Transports: a TCP socket, and TLS over one. For the socket files of this module
// only.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>

#include "server/tls_context.h"
#include "server/transport.h"

namespace lockstep::server {

// With the port; "unknown" if the other side has gone.
std::string AddressOf(const boost::asio::ip::tcp::socket& socket);

std::unique_ptr<Transport> MakeTcpTransport(boost::asio::ip::tcp::socket socket);
std::unique_ptr<Transport> MakeTlsTransport(boost::asio::ip::tcp::socket socket,
                                            std::shared_ptr<TlsContext> tls);

}  // namespace lockstep::server
