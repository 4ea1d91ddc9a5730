// Feeds messages: each answer is JSON of bounded size, and nothing is asked but the paths of tools.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/mcp/mcp_server.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::api;
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  McpSession session;
  const McpFetch fetch = [](const std::string& target) {
    LOCKSTEP_CHECK(target.starts_with("/api/v1/"));
    return McpFetched{200, R"({"status":"success","data":{"a":[1,{"b":null}]}})"};
  };
  const McpReply reply = AnswerMcp(message, session, {fetch, 1'700'000'000'000, "0"});
  if (reply.text.empty()) return 0;
  simdjson::dom::parser parser;
  LOCKSTEP_CHECK(parser.parse(reply.text.data(), reply.text.size()).error() == simdjson::SUCCESS);
  return 0;
}
