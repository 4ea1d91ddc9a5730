// Questions that a request asks of other routes as part of its own answer.
#pragma once

#include <string>

#include "api/http/call.h"
#include "api/mcp/mcp_tools.h"
#include "api/services.h"

namespace lockstep::api {

// GET of `target`, with the rights, the data and the budget of `call`. Blocking. Precondition: a
// pooled route for readers of some jobs has the path.
McpFetched AskWithin(Services& services, const Call& call, const Permit& permit,
                     const std::string& target);

}  // namespace lockstep::api
