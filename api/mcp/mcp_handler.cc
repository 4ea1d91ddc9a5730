#include "api/mcp/mcp_handler.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/reply.h"

namespace lockstep::api {

Response HandleMcp(const Call& call, const McpContext& context) {
  McpSession session;
  const std::string_view version = call.request.header("MCP-Protocol-Version");
  if (!version.empty()) {
    if (!IsMcpVersion(version)) {
      return TextReply(
          400, absl::StrFormat("unsupported MCP-Protocol-Version \"%s\"", version.substr(0, 40)));
    }
    session.version = version;
  }
  McpReply reply = AnswerMcp(call.request.body, session, context);
  Response response;
  // The protocol's status for what needs no answer.
  response.status = reply.text.empty() ? 202 : reply.is_refusal ? 400 : 200;
  if (call.request.body.size() > kMaxMcpMessageBytes) response.status = 413;
  if (!reply.text.empty()) response.content_type = "application/json";
  response.body = std::move(reply.text);
  return response;
}

}  // namespace lockstep::api
