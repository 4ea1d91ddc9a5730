// The tools that the server offers by the Model Context Protocol. Each asks the HTTP API one
// question, read-only. Constant; safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/http/json_writer.h"
#include "simdjson.h"

namespace lockstep::api {

struct McpFetched {
  int status = 0;  // of HTTP; 0: no response, and `body` says why
  std::string body;
};
// GET of a path with parameters, such as "/api/v1/query?query=up".
using McpFetch = std::function<McpFetched(const std::string& target)>;

enum class McpArgumentKind { kText, kTime, kNumber };

struct McpArgument {
  std::string_view name;
  McpArgumentKind kind = McpArgumentKind::kText;
  bool is_required = false;
  std::string_view description;
};

// Whether to fetch JSON, text, or PromQL over time, or to look into the cookbook.
enum class McpAction { kFetch, kFetchText, kRange, kCookbook };

struct McpTool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  McpAction action = McpAction::kFetch;
  std::string_view target;  // with the parameters that are always the same
  std::span<const McpArgument> arguments;
};

std::span<const McpTool> McpTools();
// Null if there is none.
const McpTool* FindMcpTool(std::string_view name);
// Writes the object of tools/list.
void WriteMcpTool(JsonWriter& json, const McpTool& tool);

// The result of a tool. Both are bounded, and say so if they are cut.
struct McpToolResult {
  std::string text;
  std::string structured;  // a JSON object
  bool is_error = false;   // of the question, told to whoever asked it
};
// kInvalidArgument if the arguments are not those of the tool.
absl::StatusOr<McpToolResult> CallMcpTool(const McpTool& tool, simdjson::dom::object arguments,
                                          const McpFetch& fetch, int64_t now_ms);

}  // namespace lockstep::api
