#include "scrape/http_fetch.h"

#include <curl/curl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/budget/memory_budget.h"
#include "tests/scripted_server.h"
#include "tests/support/answering_server.h"

namespace lockstep::scrape {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

uint64_t HeldByScrapes() {
  const MemoryBudgetStats stats = MemoryBudget::OfProcess().stats();
  return stats.accounts[static_cast<size_t>(MemoryAccount::kScrapes)].held_bytes;
}

class HttpFetchTest : public testing::Test {
 protected:
  void SetAnswers(std::vector<std::string> answers) { server_.SetAnswers(std::move(answers)); }
  std::vector<std::string> requests() const { return server_.requests(); }

  FetchOptions Options(const std::string& path = "/") const {
    FetchOptions options;
    options.url = server_.url() + path;
    options.timeout = milliseconds(30'000);
    return options;
  }

  // Sends one request that gets `page`; what the server was sent.
  std::string Sent(const FetchOptions& options, const std::string& page = Ok("")) {
    SetAnswers({page});
    HttpFetch fetch;
    const absl::Status status = fetch.Send(options);
    EXPECT_TRUE(status.ok()) << status;
    return requests().empty() ? "" : requests().front();
  }

  static std::string Ok(std::string_view body) { return ScriptedServer::Ok(body); }

  static std::string Redirect(std::string_view location) {
    return absl::StrFormat(
        "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        location);
  }

  ScriptedServer server_;
};

TEST_F(HttpFetchTest, SendsWhatIsAskedFor) {
  FetchOptions options = Options("/metrics?a=b");
  options.headers = {"Accept: text/plain", "X-Own: 7"};
  const std::string sent = Sent(options);
  EXPECT_THAT(sent, StartsWith("GET /metrics?a=b HTTP/1.1\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nUser-Agent: lockstep\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nAccept: text/plain\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nX-Own: 7\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nAccept-Encoding: gzip\r\n"));
  EXPECT_THAT(sent, Not(HasSubstr("Authorization")));
  options.method = "PUT";
  options.enable_compression = false;
  const std::string put = Sent(options);
  EXPECT_THAT(put, StartsWith("PUT /metrics?a=b HTTP/1.1\r\n"));
  EXPECT_THAT(put, Not(HasSubstr("Accept-Encoding")));
}

TEST_F(HttpFetchTest, SendsABodyWithAnyBytes) {
  FetchOptions options = Options();
  options.post_body = std::string("a\0b=%", 5);
  const std::string sent = Sent(options);
  EXPECT_THAT(sent, StartsWith("POST / HTTP/1.1\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nContent-Length: 5\r\n"));
  EXPECT_EQ(AnsweringServer::BodyOf(sent), *options.post_body);
}

TEST_F(HttpFetchTest, KeepsTheBodyAndItsType) {
  SetAnswers({AnsweringServer::Page("200 OK", "a 1\n", "text/plain; version=0.0.4"),
              "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"});
  HttpFetch fetch;
  ASSERT_TRUE(fetch.Send(Options()).ok());
  EXPECT_EQ(fetch.body(), "a 1\n");
  EXPECT_EQ(fetch.content_type(), "text/plain; version=0.0.4");
  EXPECT_EQ(fetch.StatusText(), "server returned HTTP status 200");
  ASSERT_TRUE(fetch.Send(Options()).ok());
  EXPECT_EQ(fetch.body(), "");
  EXPECT_EQ(fetch.content_type(), "");
}

TEST_F(HttpFetchTest, UnpacksABodyAndLimitsWhatComesOut) {
  // gzip of "hello, hello, hello".
  const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                  0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0xc8, 0x40, 0xa2,
                                  0x00, 0x9f, 0xa1, 0xca, 0x09, 0x13, 0x00, 0x00, 0x00};
  const std::string body(reinterpret_cast<const char*>(packed), sizeof(packed));
  SetAnswers(
      {absl::StrFormat("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n"
                       "Connection: close\r\n\r\n%s",
                       body.size(), body)});
  FetchOptions options = Options();
  options.max_body_bytes = 20;
  HttpFetch fetch;
  ASSERT_TRUE(fetch.Send(options).ok());
  EXPECT_EQ(fetch.body(), "hello, hello, hello");
  options.max_body_bytes = 19;
  EXPECT_EQ(fetch.Send(options).code(), absl::StatusCode::kOutOfRange);
}

TEST_F(HttpFetchTest, ABodyIsSmallerThanItsLimit) {
  SetAnswers({Ok("0123456789")});
  FetchOptions options = Options();
  options.max_body_bytes = 10;
  HttpFetch fetch;
  const absl::Status status = fetch.Send(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Message(status), "the body reaches the limit of 10 bytes");
  // The next request begins anew.
  options.max_body_bytes = 11;
  ASSERT_TRUE(fetch.Send(options).ok());
  EXPECT_EQ(fetch.body(), "0123456789");
  options.max_body_bytes = 0;
  EXPECT_TRUE(fetch.Send(options).ok());
}

TEST_F(HttpFetchTest, ABodyIsChargedUntilItIsDropped) {
  SetAnswers({Ok(std::string(100'000, 'x'))});
  const uint64_t before = HeldByScrapes();
  HttpFetch fetch;
  ASSERT_TRUE(fetch.Send(Options()).ok());
  EXPECT_GE(HeldByScrapes(), before + 100'000);
  fetch.DropBody();
  EXPECT_EQ(fetch.body(), "");
  EXPECT_EQ(HeldByScrapes(), before);
}

TEST_F(HttpFetchTest, ABodyWithoutMemoryIsRefused) {
  SetAnswers({Ok(std::string(4 << 20, 'x')), Ok("small")});
  HttpFetch fetch;
  MemoryBudget::OfProcess().set_max_bytes(8 << 20);
  const absl::Status status = fetch.Send(Options());
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  // The next request begins anew.
  ASSERT_TRUE(fetch.Send(Options()).ok());
  EXPECT_EQ(fetch.body(), "small");
}

TEST_F(HttpFetchTest, SaysWhatTheServerAnswered) {
  HttpFetch fetch;
  for (const auto& [status, words] :
       std::vector<std::pair<std::string, std::string>>{{"204 No Content", "204"},
                                                        {"304 x", "304"},
                                                        {"400 x", "400 Bad Request"},
                                                        {"401 x", "401 Unauthorized"},
                                                        {"403 x", "403 Forbidden"},
                                                        {"404 x", "404 Not Found"},
                                                        {"410 x", "410 Gone"},
                                                        {"418 x", "418"},
                                                        {"500 x", "500 Internal Server Error"},
                                                        {"502 x", "502 Bad Gateway"},
                                                        {"503 x", "503 Service Unavailable"}}) {
    SetAnswers({AnsweringServer::Page(status, "")});
    const absl::Status got = fetch.Send(Options());
    EXPECT_EQ(got.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_EQ(Message(got), "server returned HTTP status " + words);
    EXPECT_EQ(fetch.StatusText(), "server returned HTTP status " + words);
  }
}

TEST_F(HttpFetchTest, OfAPostEverySuccessCountsAndARefusalIsFinal) {
  HttpFetch fetch;
  FetchOptions options = Options();
  options.post_body = "x";
  const auto outcome = [&](const std::string& status, const std::string& body = "") {
    SetAnswers({AnsweringServer::Page(status, body)});
    return fetch.Send(options);
  };
  for (const char* status : {"200 OK", "202 Accepted", "204 No Content", "299 x"}) {
    EXPECT_TRUE(outcome(status).ok()) << status;
  }
  for (const char* status : {"304 x", "429 x", "500 x", "599 x"}) {
    EXPECT_EQ(outcome(status).code(), absl::StatusCode::kUnavailable) << status;
  }
  for (const char* status : {"400 x", "428 x", "430 x", "499 x"}) {
    EXPECT_EQ(outcome(status).code(), absl::StatusCode::kInvalidArgument) << status;
  }
  EXPECT_EQ(Message(outcome("400 x", std::string(201, 'y'))),
            "server returned HTTP status 400 Bad Request: " + std::string(200, 'y'));
}

TEST_F(HttpFetchTest, AnAnswerThatDoesNotComeIsAnError) {
  SetAnswers({""});
  HttpFetch fetch;
  const absl::Status status = fetch.Send(Options());
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("Empty reply"));
  EXPECT_EQ(fetch.StatusText(), "");
}

// libcurl says more about most errors than what its codes stand for.
TEST_F(HttpFetchTest, AnErrorHasTheBestWordsThereAre) {
  uint16_t port = 0;
  {
    const AnsweringServer closed([](std::string_view) { return ""; });
    port =
        static_cast<uint16_t>(std::stoi(closed.address().substr(closed.address().find(':') + 1)));
  }
  FetchOptions options = Options();
  options.url = absl::StrFormat("http://127.0.0.1:%d/", port);
  HttpFetch fetch;
  EXPECT_THAT(std::string(Message(fetch.Send(options))),
              HasSubstr(absl::StrFormat("127.0.0.1 port %d", port)));
  ASSERT_TRUE(fetch.Prepare(options).ok());
  EXPECT_EQ(Message(fetch.Outcome(CURLE_SEND_ERROR)), curl_easy_strerror(CURLE_SEND_ERROR));
}

TEST_F(HttpFetchTest, FollowsAtMostTenRedirects) {
  SetAnswers({Redirect("/elsewhere"), Ok("there")});
  HttpFetch fetch;
  ASSERT_TRUE(fetch.Send(Options()).ok());
  EXPECT_EQ(fetch.body(), "there");
  ASSERT_EQ(requests().size(), 2u);
  EXPECT_THAT(requests()[1], StartsWith("GET /elsewhere "));

  SetAnswers({Redirect("/again")});
  EXPECT_EQ(fetch.Send(Options()).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(requests().size(), 11u);
}

TEST_F(HttpFetchTest, MayNotFollowRedirects) {
  SetAnswers({Redirect("/elsewhere"), Ok("there")});
  FetchOptions options = Options();
  options.http.follow_redirects = false;
  HttpFetch fetch;
  EXPECT_EQ(Message(fetch.Send(options)), "server returned HTTP status 302");
  EXPECT_EQ(requests().size(), 1u);
}

TEST_F(HttpFetchTest, OnlyHttpIsSpoken) {
  HttpFetch fetch;
  FetchOptions options = Options();
  options.url = "file:///etc/hostname";
  EXPECT_THAT(std::string(Message(fetch.Send(options))), HasSubstr("Protocol \"file\""));
  SetAnswers({Redirect("ftp://127.0.0.1:1/x")});
  EXPECT_THAT(std::string(Message(fetch.Send(Options()))), HasSubstr("Protocol \"ftp\""));
}

TEST_F(HttpFetchTest, ShowsAUserWithAPassword) {
  FetchOptions options = Options();
  options.http.user = "me";
  options.http.password.text = "secret";
  // base64("me:secret")
  EXPECT_THAT(Sent(options), HasSubstr("\r\nAuthorization: Basic bWU6c2VjcmV0\r\n"));
}

TEST_F(HttpFetchTest, ReadsASecretFromItsFileEachTime) {
  const std::string path = testing::TempDir() + "http_fetch_secret";
  FetchOptions options = Options();
  options.http.credentials.file = path;
  std::ofstream(path) << " first \n";
  EXPECT_THAT(Sent(options), HasSubstr("\r\nAuthorization: Bearer first\r\n"));
  std::ofstream(path) << "second";
  options.http.authorization_type = "Token";
  EXPECT_THAT(Sent(options), HasSubstr("\r\nAuthorization: Token second\r\n"));
  std::remove(path.c_str());
  HttpFetch fetch;
  SetAnswers({Ok("")});
  const absl::Status status = fetch.Send(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(status), absl::StrFormat("cannot read \"%s\"", path));
  EXPECT_THAT(requests(), testing::IsEmpty());
  options.http.user = "me";
  options.http.password.file = path;
  EXPECT_EQ(fetch.Send(options).code(), absl::StatusCode::kNotFound);
}

// The header's form: AWS, "Signature Version 4", "Authentication methods".
TEST_F(HttpFetchTest, SignsForAws) {
  FetchOptions options = Options();
  options.http.user = "me";
  options.aws_signing = AwsSigning{"eu-west-1", "ec2", "AKID", "secret", ""};
  const std::string sent = Sent(options);
  EXPECT_THAT(sent, HasSubstr("Authorization: AWS4-HMAC-SHA256 Credential=AKID/"));
  EXPECT_THAT(sent, HasSubstr("/eu-west-1/ec2/aws4_request"));
  EXPECT_THAT(sent, Not(HasSubstr("X-Amz-Security-Token")));
  EXPECT_THAT(sent, Not(HasSubstr("Basic")));
  EXPECT_THAT(sent, Not(HasSubstr("secret")));
  options.aws_signing->session_token = "of-session";
  EXPECT_THAT(Sent(options), HasSubstr("\r\nX-Amz-Security-Token: of-session\r\n"));
}

TEST_F(HttpFetchTest, ASignedRequestGoesNowhereElse) {
  SetAnswers({Redirect("/elsewhere"), Ok("there")});
  FetchOptions options = Options();
  options.aws_signing = AwsSigning{"eu-west-1", "ec2", "AKID", "secret", ""};
  HttpFetch fetch;
  EXPECT_EQ(Message(fetch.Send(options)), "server returned HTTP status 302");
}

TEST_F(HttpFetchTest, UsesTheProxyOfTheConfigurationAndNoOther) {
  FetchOptions options = Options();
  options.http.proxy_url = "http://" + server_.address();
  options.url = "http://far.example/x";
  EXPECT_THAT(Sent(options), StartsWith("GET http://far.example/x HTTP/1.1\r\n"));
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  EXPECT_THAT(Sent(Options("/direct")), StartsWith("GET /direct HTTP/1.1\r\n"));
  unsetenv("http_proxy");
}

// A certificate that cannot be read matters only if the server's is to be checked.
TEST_F(HttpFetchTest, MayTrustAnyServer) {
  SetAnswers({""});
  FetchOptions options = Options();
  options.url = "https://" + server_.address() + "/";
  options.http.tls.ca_file = "no-such-authority";
  HttpFetch fetch;
  EXPECT_THAT(std::string(Message(fetch.Send(options))), HasSubstr("no-such-authority"));
  options.http.tls.insecure_skip_verify = true;
  EXPECT_THAT(std::string(Message(fetch.Send(options))), Not(HasSubstr("no-such-authority")));
}

// A server that answers nothing until the test ends.
class SilentServer {
 public:
  ~SilentServer() { end_.set_value(); }
  std::string url() const { return "http://" + server_.address() + "/"; }

 private:
  // The server ends before the promise.
  std::promise<void> end_;
  std::shared_future<void> ended_{end_.get_future()};
  AnsweringServer server_{[this](std::string_view) {
    ended_.wait();
    return "";
  }};
};

TEST(HttpFetchTimeTest, ARequestEndsAtItsTimeout) {
  const SilentServer server;
  FetchOptions options;
  options.url = server.url();
  options.timeout = milliseconds(20);
  HttpFetch fetch;
  const absl::Status status = fetch.Send(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("timed out"));
}

TEST(HttpFetchTimeTest, ARequestThatIsCancelledEnds) {
  const SilentServer server;
  const std::atomic<bool> is_cancelled{true};
  FetchOptions options;
  options.url = server.url();
  options.timeout = milliseconds(600'000);
  options.is_cancelled = &is_cancelled;
  HttpFetch fetch;
  EXPECT_THAT(std::string(Message(fetch.Send(options))), HasSubstr("aborted"));
}

}  // namespace
}  // namespace lockstep::scrape
