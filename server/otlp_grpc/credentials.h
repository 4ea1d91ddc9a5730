// The credentials of a gRPC server from the web configuration. Reads the files that it names.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "base/status.h"
#include "server/web_config.h"

namespace lockstep::server {

// Insecure ones without TLS. kInvalidArgument: gRPC has not what the configuration asks for; the message names it.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> CredentialsOf(const WebConfig& web);

}  // namespace lockstep::server
