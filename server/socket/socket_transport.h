// The two real Transports: a TCP socket, and TLS over one. Only for this module's socket files.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>

#include "server/socket/tls_context.h"
#include "server/socket/transport.h"

namespace lockstep::server {

// Includes the port; "unknown" if the other side has disconnected.
std::string AddressOf(const boost::asio::ip::tcp::socket& socket);

std::unique_ptr<Transport> MakeTcpTransport(boost::asio::ip::tcp::socket socket);
std::unique_ptr<Transport> MakeTlsTransport(boost::asio::ip::tcp::socket socket,
                                            std::shared_ptr<TlsContext> tls);

}  // namespace lockstep::server
