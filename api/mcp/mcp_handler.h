// POST /mcp: the Model Context Protocol by its transport "streamable HTTP", without sessions and
// streams: each request has its whole answer as JSON. Safe from any thread; blocking: run it on the
// query pool.
#pragma once

#include "api/http/call.h"
#include "api/mcp/mcp_server.h"

namespace lockstep::api {

Response HandleMcp(const Call& call, const McpContext& context);

}  // namespace lockstep::api
