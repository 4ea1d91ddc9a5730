// Tests what the audit log says of requests, where credentials may be, and which headers are added
// to responses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "server/auth/audit_log.h"
#include "server/http_server_fixture.h"
#include "tests/support/test_folder.h"

namespace lockstep::server {
namespace {

using testing::HasSubstr;
using testing::Not;

class HttpServerAuditTest : public HttpServerTest {
 protected:
  HttpServerAuditTest() {
    auto log = AuditLog::Open(folder_.path() + "/audit.log");
    EXPECT_TRUE(log.ok()) << log.status();
    log_ = *std::move(log);
    options_.audit = log_.get();
    options_.web.has_roles = true;
    options_.web.tokens = {TokenOf("writer", {api::Role::kWrite}),
                           TokenOf("reader", {api::Role::kRead}),
                           TokenOf("admin", {api::Role::kAdmin})};
  }
  ~HttpServerAuditTest() override { server_.reset(); }

  // "WHO METHOD ROUTE TENANT STATUS" of each line that was added since the last call.
  std::string Logged() {
    std::ifstream file(folder_.path() + "/audit.log");
    std::string lines;
    std::string line;
    for (size_t number = 0; std::getline(file, line); ++number) {
      if (number < seen_) continue;
      ++seen_;
      EXPECT_THAT(line, HasSubstr(R"("from":"127.0.0.1:)"));
      lines += lines.empty() ? "" : "\n";
      for (const char* key : {"who", "method", "route", "tenant"}) {
        const std::string begin = absl::StrFormat(R"("%s":")", key);
        const size_t at = line.find(begin);
        const size_t value = at + begin.size();
        lines += at == line.npos ? "-" : line.substr(value, line.find('"', value) - value);
        lines += ' ';
      }
      lines += line.substr(line.find(R"("status":)") + 9, 3);
    }
    return lines;
  }

  int StatusOf(std::string_view method, std::string_view path, std::string_view token) {
    return Ask(WithToken(method, path, token)).status;
  }

  const TestFolder folder_;
  std::unique_ptr<AuditLog> log_;
  size_t seen_ = 0;
};

TEST_F(HttpServerAuditTest, ChangesAreLoggedAndReadsAreNot) {
  Start();
  EXPECT_EQ(StatusOf("POST", "/write?x=y", "writer"), 200);
  EXPECT_EQ(Logged(), "writer POST /write - 200");
  EXPECT_EQ(StatusOf("GET", "/write", "writer"), 200);
  EXPECT_EQ(StatusOf("OPTIONS", "/write", "writer"), 204);
  // A query may be posted.
  EXPECT_EQ(StatusOf("POST", "/echo", "reader"), 200);
  EXPECT_EQ(Logged(), "");
  EXPECT_EQ(StatusOf("DELETE", "/write", "admin"), 200);
  EXPECT_EQ(Logged(), "admin DELETE /write - 200");
}

TEST_F(HttpServerAuditTest, RefusalsAreLogged) {
  Start();
  EXPECT_EQ(StatusOf("GET", "/write", ""), 401);
  EXPECT_EQ(Logged(), " GET /write - 401");
  EXPECT_EQ(StatusOf("GET", "/echo?x=y", "writer"), 403);
  EXPECT_EQ(Logged(), "writer GET /echo - 403");
  EXPECT_EQ(server_->stats().denied_requests, 2u);
  EXPECT_EQ(StatusOf("GET", "/health", ""), 200);
  EXPECT_EQ(Logged(), "");
}

TEST_F(HttpServerAuditTest, TheTenantIsLogged) {
  options_.web.tokens[0].grant.tenants = std::vector<std::string>{"mine"};
  Start();
  const auto ask = [this](const std::string& token, const std::string& tenant) {
    return Ask("POST /write HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
               "\r\nX-Scope-OrgID: " + tenant + "\r\n\r\n")
        .status;
  };
  EXPECT_EQ(ask("admin", "team"), 200);
  EXPECT_EQ(Logged(), "admin POST /write team 200");
  EXPECT_EQ(ask("admin", "default"), 200);
  EXPECT_EQ(Logged(), "admin POST /write - 200");
  EXPECT_EQ(ask("reader", "team"), 403);
  EXPECT_EQ(Logged(), "reader POST /write team 403");
  EXPECT_EQ(StatusOf("POST", "/write", "writer"), 200);
  EXPECT_EQ(Logged(), "writer POST /write mine 200");
}

TEST_F(HttpServerAuditTest, WhatTheGuardRefusesIsLogged) {
  options_.browsers.allowed_hosts = std::vector<std::string>{"good.example"};
  Start();
  const RawResponse refused =
      Ask("GET /echo HTTP/1.1\r\nHost: bad.example\r\nAuthorization: Bearer admin\r\n\r\n");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.body,
            "Forbidden: \"bad.example\" is not a known name of this server; add it to "
            "web.allowed-hosts.\n");
  EXPECT_EQ(Logged(), " GET /echo - 403");
}

TEST_F(HttpServerAuditTest, ARoleThatIsMissingIsNamed) {
  Start();
  const RawResponse refused = Ask(WithToken("POST", "/write", "reader"));
  EXPECT_EQ(refused.body,
            "Forbidden: \"reader\" does not have the role write, which this path requires.\n");
  const RawResponse unknown = Ask(WithToken("POST", "/write", "nobody"));
  EXPECT_EQ(unknown.status, 401);
  EXPECT_EQ(unknown.body, "Unauthorized\n");
  EXPECT_THAT(unknown.head, HasSubstr("WWW-Authenticate: Bearer\r\n"));
}

// Datadog's agents send their key as they are used to.
TEST_F(HttpServerAuditTest, AKeyOfDatadogIsAToken) {
  Start();
  EXPECT_EQ(Ask("POST /write HTTP/1.1\r\nHost: x\r\nDD-API-KEY: writer\r\n\r\n").status, 200);
  EXPECT_EQ(Ask("POST /write HTTP/1.1\r\nHost: x\r\nDD-API-KEY: other\r\n\r\n").status, 401);
  // The other header counts first.
  EXPECT_EQ(Ask("POST /write HTTP/1.1\r\nHost: x\r\nDD-API-KEY: writer\r\n"
                "Authorization: Bearer other\r\n\r\n")
                .status,
            401);
  EXPECT_EQ(StatusOf("GET", "/datadog/api/v1/validate?api_key=reader", ""), 200);
  EXPECT_EQ(StatusOf("GET", "/datadog/api/v1/validate?api_key=other", ""), 401);
  EXPECT_EQ(StatusOf("GET", "/echo?api_key=reader", ""), 401);
}

class HttpServerHeadersTest : public HttpServerTest {
 protected:
  // The response to a request for a body of `size` bytes.
  RawResponse AskForBytes(size_t size, const std::string& headers) {
    const std::string body(size - std::string_view("POST /echo ").size(), 'x');
    return Ask(absl::StrFormat("POST /echo HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s",
                               headers, body.size(), body));
  }
};

TEST_F(HttpServerHeadersTest, ShortBodiesAreNotCompressed) {
  Start();
  const std::string takes_gzip = "Accept-Encoding: gzip\r\n";
  const RawResponse small = AskForBytes(1023, takes_gzip);
  EXPECT_EQ(small.body.size(), 1023u);
  EXPECT_THAT(small.head, Not(HasSubstr("Content-Encoding")));
  EXPECT_THAT(small.head, Not(HasSubstr("Vary")));
  const RawResponse large = AskForBytes(1024, takes_gzip);
  EXPECT_LT(large.body.size(), 200u);
  EXPECT_THAT(large.head, HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_THAT(large.head, HasSubstr("Vary: Accept-Encoding\r\n"));
  const RawResponse plain = AskForBytes(1024, "");
  EXPECT_EQ(plain.body.size(), 1024u);
  EXPECT_THAT(plain.head, HasSubstr("Vary: Accept-Encoding\r\n"));
  EXPECT_THAT(plain.head, Not(HasSubstr("Content-Encoding")));
}

TEST_F(HttpServerHeadersTest, BrowsersDoNotGuessTypes) {
  Start();
  EXPECT_THAT(AskForBytes(20, "").head, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  WebConfig web;
  web.headers = {{"X-Content-Type-Options", "none"}};
  ASSERT_TRUE(server_->Reload(web).ok());
  const std::string head = AskForBytes(20, "").head;
  EXPECT_THAT(head, HasSubstr("X-Content-Type-Options: none\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("nosniff")));
}

TEST_F(HttpServerHeadersTest, RequestsAreCounted) {
  Start();
  const RawResponse response = AskForBytes(100, "");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(Ask("nonsense\r\n\r\n").status, 400);
  const HttpStats stats = server_->stats();
  EXPECT_EQ(stats.accepted_connections, 2u);
  EXPECT_EQ(stats.refused_connections, 0u);
  EXPECT_EQ(stats.displaced_connections, 0u);
  EXPECT_EQ(stats.requests, 1u);
  EXPECT_EQ(stats.malformed_requests, 1u);
  EXPECT_EQ(stats.timed_out_requests, 0u);
  EXPECT_EQ(stats.denied_requests, 0u);
  EXPECT_EQ(stats.overload_refusals, 0u);
  EXPECT_EQ(stats.abandoned_requests, 0u);
  EXPECT_EQ(stats.running_requests, 0u);
  EXPECT_EQ(stats.body_bytes_held, 0u);
  EXPECT_GT(stats.received_bytes, 100u);
  EXPECT_GE(stats.sent_bytes, response.head.size() + response.body.size());
}

}  // namespace
}  // namespace lockstep::server
