#include <cstdio>
#include <memory>
#include <string>

#include "api/mcp/mcp_server.h"
#include "base/clock.h"
#include "cli/help/version.h"
#include "cli/questions/questions.h"
#include "cli/terminal/visible_text.h"

namespace lockstep::cli {
namespace {

// Reads up to the end of the line. Of a line that is too long it keeps a byte more than the limit.
// False at the end of the input.
bool ReadLine(std::string& line) {
  line.clear();
  int c = 0;
  while ((c = std::getc(stdin)) != EOF && c != '\n') {
    if (line.size() <= api::kMaxMcpMessageBytes) line += static_cast<char>(c);
  }
  return c != EOF || !line.empty();
}

bool IsBlank(const std::string& line) {
  return line.size() <= api::kMaxMcpMessageBytes &&
         line.find_first_not_of(" \t\r") == std::string::npos;
}

api::McpFetched Fetch(HttpClient& client, const std::string& target) {
  absl::StatusOr<HttpReply> reply = client.Get(target);
  if (!reply.ok()) return {0, std::string(Message(reply.status()))};
  return {reply->status, std::move(reply->body)};
}

}  // namespace

ExitCode ServeMcp(const McpFlags& flags) {
  const absl::StatusOr<std::unique_ptr<HttpClient>> client = HttpClient::Make(flags.server);
  if (!client.ok()) {
    std::fprintf(stderr, "lockstep: %s\n", VisibleText(Message(client.status())).c_str());
    return kFailure;
  }
  const std::string version = Version();
  api::McpContext context{[&client](const std::string& target) { return Fetch(**client, target); },
                          0, version};
  api::McpSession session;
  std::string line;
  while (ReadLine(line)) {
    if (IsBlank(line)) continue;
    context.now_ms = SystemTimeMs();
    const api::McpReply reply = api::AnswerMcp(line, session, context);
    if (reply.text.empty()) continue;
    std::fwrite(reply.text.data(), 1, reply.text.size(), stdout);
    std::fputc('\n', stdout);
    if (std::fflush(stdout) != 0) return kFailure;
  }
  return kSuccess;
}

}  // namespace lockstep::cli
