#include "cli/server/healthy.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "cli/client/fake_server_testing.h"
#include "cli/process/ran_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

constexpr const char* kHealthPath = "/-/healthy";

Ran RunHealthy(const HttpClientOptions& options) {
  return RunCaptured([&options] { return Healthy(options); });
}

TEST(HealthyTest, AServerThatSaysSoIsHealthy) {
  FakeServer server;
  server.Prepare(kHealthPath, "ok");
  const Ran ran = RunHealthy(server.options());
  EXPECT_EQ(ran.code, kSuccess);
  EXPECT_EQ(ran.errors, "");
  EXPECT_EQ(server.asked(), std::vector<std::string>{"GET /-/healthy"});
}

TEST(HealthyTest, AServerThatAsksForCredentialsIsHealthy) {
  FakeServer server;
  server.Prepare(kHealthPath, FakeServer::Reply{"", 401});
  EXPECT_EQ(RunHealthy(server.options()).code, kSuccess);
}

TEST(HealthyTest, AServerThatRefusesOurCredentialsIsNot) {
  FakeServer server;
  server.Prepare(kHealthPath, FakeServer::Reply{"", 401});
  const std::string error =
      absl::StrFormat("lockstep: %s is not healthy: HTTP 401\n", server.url());
  HttpClientOptions options = server.options();
  options.user = "ann:secret";
  Ran ran = RunHealthy(options);
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors, error);
  const TestFolder folder;
  options = server.options();
  options.token_file = folder.Write("token", "t");
  ran = RunHealthy(options);
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors, error);
}

TEST(HealthyTest, AnotherStatusIsNotHealthy) {
  FakeServer server;
  server.Prepare(kHealthPath, FakeServer::Reply{"", 503});
  const Ran ran = RunHealthy(server.options());
  EXPECT_EQ(ran.code, kFailure);
  EXPECT_EQ(ran.errors, absl::StrFormat("lockstep: %s is not healthy: HTTP 503\n", server.url()));
}

TEST(HealthyTest, NoServerIsNotHealthy) {
  HttpClientOptions options;
  {
    const FakeServer server;
    options = server.options();
  }
  EXPECT_EQ(RunHealthy(options).code, kFailure);
}

}  // namespace
}  // namespace lockstep::cli
