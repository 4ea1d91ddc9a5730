#include "api/mcp/mcp_server.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/json_writer.h"
#include "api/mcp/cookbook.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::element;

// The latest one last.
constexpr std::array<std::string_view, 3> kVersions = {"2024-11-05", "2025-03-26", "2025-06-18"};
constexpr size_t kMaxBatch = 20;
constexpr std::string_view kCookbookUri = "lockstep://cookbook/";
constexpr std::string_view kInstructions =
    "lockstep stores metrics of GPU training jobs. Begin with list_jobs, then get_report or "
    "find_stragglers of a job. Times are Unix seconds. Before writing PromQL, look up the "
    "cookbook.";

// Error codes of JSON-RPC 2.0, and of the protocol.
enum class RpcError {
  kParse = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kResourceNotFound = -32002,
};

struct RpcFailure {
  RpcError code = RpcError::kInvalidRequest;
  std::string text;
};

// A JSON value, or why there is none.
struct RpcResult {
  std::string json;
  std::optional<RpcFailure> failure{};
};

RpcResult Fail(RpcError code, std::string_view text) {
  return {"", RpcFailure{code, std::string(text)}};
}

std::string RpcText(std::string_view id, const RpcResult& result) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("jsonrpc", "2.0");
  json.Key("id");
  json.Raw() += id;
  if (result.failure.has_value()) {
    json.Key("error");
    json.BeginObject();
    json.Field("code", static_cast<int>(result.failure->code));
    json.Field("message", result.failure->text);
    json.EndObject();
  } else {
    json.Key("result");
    json.Raw() += result.json;
  }
  json.EndObject();
  return out;
}

McpReply RefuseMessage(RpcError code, std::string_view text) {
  return {RpcText("null", Fail(code, text)), true};
}

std::string_view TextMember(const simdjson::dom::object& object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == SUCCESS ? text : std::string_view();
}

RpcResult Initialize(const simdjson::dom::object& params, McpSession& session,
                     const McpContext& context) {
  const std::string_view wanted = TextMember(params, "protocolVersion");
  if (wanted.empty()) return Fail(RpcError::kInvalidParams, "\"protocolVersion\" must be a string");
  session.version = IsMcpVersion(wanted) ? wanted : kVersions.back();
  RpcResult result;
  JsonWriter json(result.json);
  json.BeginObject();
  json.Field("protocolVersion", session.version);
  json.Key("capabilities");
  json.Raw() +=
      R"({"tools":{"listChanged":false},"resources":{"subscribe":false,"listChanged":false}})";
  json.Key("serverInfo");
  json.BeginObject();
  json.Field("name", "lockstep");
  json.Field("version", context.program_version);
  json.EndObject();
  json.Field("instructions", kInstructions);
  json.EndObject();
  return result;
}

RpcResult ListTools() {
  RpcResult result;
  JsonWriter json(result.json);
  json.BeginObject();
  json.Key("tools");
  json.BeginArray();
  for (const McpTool& tool : McpTools()) WriteMcpTool(json, tool);
  json.EndArray();
  json.EndObject();
  return result;
}

RpcResult CallTool(const simdjson::dom::object& params, const McpContext& context) {
  const std::string_view name = TextMember(params, "name");
  const McpTool* const tool = FindMcpTool(name);
  if (tool == nullptr) {
    return Fail(
        RpcError::kInvalidParams,
        absl::StrFormat("there is no tool \"%s\"; tools/list has them", name.substr(0, 100)));
  }
  simdjson::dom::parser parser;
  element arguments, empty;
  if (params["arguments"].get(arguments) != SUCCESS || arguments.is_null()) {
    if (parser.parse("{}", 2).get(empty) == SUCCESS) arguments = empty;
  }
  simdjson::dom::object object;
  if (arguments.get(object) != SUCCESS) {
    return Fail(RpcError::kInvalidParams, "\"arguments\" must be an object");
  }
  const auto called = CallMcpTool(*tool, object, context.fetch, context.now_ms);
  if (!called.ok()) return Fail(RpcError::kInvalidParams, Message(called.status()));
  RpcResult result;
  JsonWriter json(result.json);
  json.BeginObject();
  json.Key("content");
  json.BeginArray();
  json.BeginObject();
  json.Field("type", "text");
  json.Field("text", called->text);
  json.EndObject();
  json.EndArray();
  if (!called->structured.empty()) {
    json.Key("structuredContent");
    json.Raw() += called->structured;
  }
  json.Field("isError", called->is_error);
  json.EndObject();
  return result;
}

RpcResult ListResources() {
  RpcResult result;
  JsonWriter json(result.json);
  json.BeginObject();
  json.Key("resources");
  json.BeginArray();
  for (const CookbookSection& section : CookbookSections()) {
    json.BeginObject();
    json.Field("uri", absl::StrFormat("%s%s", kCookbookUri, section.slug));
    json.Field("name", section.slug);
    json.Field("title", section.title);
    json.Field("mimeType", "text/markdown");
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return result;
}

RpcResult ReadResource(const simdjson::dom::object& params) {
  const std::string_view uri = TextMember(params, "uri");
  if (uri.empty()) return Fail(RpcError::kInvalidParams, "\"uri\" must be a string");
  const CookbookSection* const section = uri.starts_with(kCookbookUri)
                                             ? FindCookbookSection(uri.substr(kCookbookUri.size()))
                                             : nullptr;
  if (section == nullptr) {
    return Fail(RpcError::kResourceNotFound,
                absl::StrFormat("there is no resource \"%s\"; resources/list has them",
                                uri.substr(0, 200)));
  }
  RpcResult result;
  JsonWriter json(result.json);
  json.BeginObject();
  json.Key("contents");
  json.BeginArray();
  json.BeginObject();
  json.Field("uri", uri);
  json.Field("mimeType", "text/markdown");
  json.Field("text", section->text);
  json.EndObject();
  json.EndArray();
  json.EndObject();
  return result;
}

RpcResult RunMethod(std::string_view method, const simdjson::dom::object& params,
                    McpSession& session, const McpContext& context) {
  if (method == "initialize") return Initialize(params, session, context);
  if (method == "ping") return {"{}"};
  if (method == "tools/list") return ListTools();
  if (method == "tools/call") return CallTool(params, context);
  if (method == "resources/list") return ListResources();
  if (method == "resources/templates/list") return {R"({"resourceTemplates":[]})"};
  if (method == "resources/read") return ReadResource(params);
  return Fail(RpcError::kMethodNotFound,
              absl::StrFormat("there is no method \"%s\"", method.substr(0, 100)));
}

bool IsId(element value) { return value.is_string() || value.is_int64() || value.is_uint64(); }

// "" for a notification, and for a response, of which this server expects none.
std::string AnswerOne(element message, McpSession& session, const McpContext& context) {
  simdjson::dom::object object;
  if (message.get(object) != SUCCESS) {
    return RpcText("null", Fail(RpcError::kInvalidRequest, "the message is not an object"));
  }
  element id_value, value;
  const bool has_id = object["id"].get(id_value) == SUCCESS;
  const std::string id = has_id && IsId(id_value) ? simdjson::minify(id_value) : "null";
  const std::string_view method = TextMember(object, "method");
  const bool is_response =
      object["result"].get(value) == SUCCESS || object["error"].get(value) == SUCCESS;
  if (method.empty() && is_response) return "";
  if (method.empty() || TextMember(object, "jsonrpc") != "2.0" || (has_id && id == "null")) {
    return RpcText(id,
                   Fail(RpcError::kInvalidRequest,
                        "a request needs \"jsonrpc\": \"2.0\", a \"method\", and an \"id\" that "
                        "is a string or an integer"));
  }
  if (!has_id) return "";
  simdjson::dom::parser parser;
  element params, empty;
  if (object["params"].get(params) != SUCCESS) {
    if (parser.parse("{}", 2).get(empty) == SUCCESS) params = empty;
  }
  simdjson::dom::object named;
  if (params.get(named) != SUCCESS) {
    return RpcText(id, Fail(RpcError::kInvalidParams, "\"params\" must be an object"));
  }
  return RpcText(id, RunMethod(method, named, session, context));
}

McpReply AnswerBatch(const simdjson::dom::array& batch, McpSession& session,
                     const McpContext& context) {
  if (session.version == kVersions.back()) {
    return RefuseMessage(RpcError::kInvalidRequest,
                         absl::StrFormat("version %s has no batches", session.version));
  }
  if (batch.size() == 0 || batch.size() > kMaxBatch) {
    return RefuseMessage(RpcError::kInvalidRequest,
                         absl::StrFormat("a batch must have 1 to %d messages", kMaxBatch));
  }
  std::string answers;
  for (const element message : batch) {
    const std::string answer = AnswerOne(message, session, context);
    if (answer.empty()) continue;
    answers += answers.empty() ? '[' : ',';
    answers += answer;
  }
  if (!answers.empty()) answers += ']';
  return {std::move(answers)};
}

}  // namespace

bool IsMcpVersion(std::string_view version) {
  return std::ranges::find(kVersions, version) != kVersions.end();
}

McpReply AnswerMcp(std::string_view message, McpSession& session, const McpContext& context) {
  if (message.size() > kMaxMcpMessageBytes) {
    return RefuseMessage(
        RpcError::kInvalidRequest,
        absl::StrFormat("a message may have at most %d bytes", kMaxMcpMessageBytes));
  }
  simdjson::dom::parser parser;
  element document;
  const simdjson::error_code error = parser.parse(message.data(), message.size()).get(document);
  if (error != SUCCESS) return RefuseMessage(RpcError::kParse, simdjson::error_message(error));
  simdjson::dom::array batch;
  if (document.get(batch) == SUCCESS) return AnswerBatch(batch, session, context);
  return {AnswerOne(document, session, context), !document.is_object()};
}

}  // namespace lockstep::api
