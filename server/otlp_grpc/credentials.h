// The credentials of a gRPC server from the web configuration. Reads the files that it names.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "server/web_config.h"

namespace lockstep::server {

// Insecure ones without TLS. kInvalidArgument: gRPC has not what the configuration asks for; the message names it.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> CredentialsOf(const WebConfig& web);

// What of the web configuration CredentialsOf() makes them from, as bytes, to tell whether it has changed; "" without TLS or if
// a file cannot be read.
std::string CredentialBytesOf(const WebConfig& web);

}  // namespace lockstep::server
