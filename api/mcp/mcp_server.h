// The Model Context Protocol: answers one message, whichever transport brought it.
//
// Source: https://modelcontextprotocol.io/specification, versions 2024-11-05, 2025-03-26 and
// 2025-06-18. JSON-RPC 2.0 with the methods initialize, ping, tools/list, tools/call,
// resources/list, resources/templates/list and resources/read. Nothing is kept between messages but
// the version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/mcp/mcp_tools.h"

namespace lockstep::api {

inline constexpr size_t kMaxMcpMessageBytes = 1 << 20;
// Of a client that has not said which one it speaks.
inline constexpr std::string_view kDefaultMcpVersion = "2025-03-26";

bool IsMcpVersion(std::string_view version);

// Of one client; not thread-safe.
struct McpSession {
  std::string version = std::string(kDefaultMcpVersion);
};

struct McpContext {
  McpFetch fetch;
  int64_t now_ms = 0;
  std::string_view program_version;
};

struct McpReply {
  std::string text;         // "" if the message needs no answer
  bool is_refusal = false;  // the message as a whole is not one of the protocol
};

McpReply AnswerMcp(std::string_view message, McpSession& session, const McpContext& context);

}  // namespace lockstep::api
