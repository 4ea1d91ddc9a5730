// `lockstep query`: one instant query to a server, its answer as a table.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/exit_code.h"
#include "cli/http_client.h"

namespace lockstep::cli {

struct QueryFlags {
  HttpClientOptions server;
  std::string time;  // Unix seconds or RFC 3339; "" is now
  std::string expression;
};

ExitCode Query(const QueryFlags& flags);

// The table of an answer of /api/v1/query. kFailedPrecondition with the server's words for an
// answer that is an error, kDataLoss for one that is none of the API's.
absl::StatusOr<std::string> AnswerText(std::string_view json);

}  // namespace lockstep::cli
