#include "cli/server/doors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/budget/memory_budget.h"
#include "base/log.h"
#include "cli/server/live_limits.h"
#include "import/files/importing_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

constexpr uint64_t kMegabyte = 1 << 20;

// Restores the process's memory limit.
class DoorsTest : public ::testing::Test {
 protected:
  DoorsTest() : max_bytes_(MemoryBudget::OfProcess().max_bytes()) {
    ConfigureLog(LogLevel::kInfo, LogFormat::kLogfmt);
    options_.max_connections = 100;
  }
  ~DoorsTest() override { MemoryBudget::OfProcess().set_max_bytes(max_bytes_); }

  server::HttpServerOptions Http() const {
    auto http = MakeHttpOptions(options_, nullptr);
    EXPECT_TRUE(http.ok()) << http.status();
    return *std::move(http);
  }
  std::string Warnings(const server::WebConfig& web = {}) const {
    testing::internal::CaptureStderr();
    WarnOfOpenDoors(options_, web);
    return testing::internal::GetCapturedStderr();
  }

  const uint64_t max_bytes_;
  ServeOptions options_;
};

TEST_F(DoorsTest, TheServerHasTheOptions) {
  options_.host = "127.0.0.2";
  options_.port = 1234;
  options_.cors_origin = ".*";
  options_.external_url = "https://l.example";
  options_.idle_timeout = std::chrono::milliseconds(1);
  options_.first_request_timeout = std::chrono::milliseconds(2);
  options_.min_transfer_bytes_per_second = 3;
  options_.slow_transfer_timeout = std::chrono::milliseconds(4);
  const server::HttpServerOptions http = Http();
  EXPECT_EQ(http.host, "127.0.0.2");
  EXPECT_EQ(http.port, 1234);
  EXPECT_EQ(http.cors_origin, ".*");
  EXPECT_EQ(http.browsers.external_url, "https://l.example");
  EXPECT_EQ(http.audit, nullptr);
  EXPECT_EQ(http.limits.idle_timeout, std::chrono::milliseconds(1));
  EXPECT_EQ(http.limits.first_request_timeout, std::chrono::milliseconds(2));
  EXPECT_EQ(http.limits.min_transfer_bytes_per_second, 3u);
  EXPECT_EQ(http.limits.slow_transfer_timeout, std::chrono::milliseconds(4));
  EXPECT_GE(http.worker_threads, 2);
}

TEST_F(DoorsTest, AQuarterOfTheConnectionsIsReserved) {
  const auto reserved_of = [this](size_t max_connections) {
    options_.max_connections = max_connections;
    const server::HttpServerOptions http = Http();
    EXPECT_EQ(http.limits.max_connections, max_connections);
    return http.limits.max_reserved_connections;
  };
  EXPECT_EQ(reserved_of(100), 25u);
  // But four at least.
  EXPECT_EQ(reserved_of(1), 4u);
  EXPECT_EQ(reserved_of(19), 4u);
  EXPECT_EQ(reserved_of(20), 5u);
}

TEST_F(DoorsTest, ConnectionsNeedFileHandles) {
  options_.max_connections = 1;
  testing::internal::CaptureStderr();
  EXPECT_EQ(MaxConnections(options_), 1u);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  options_.max_connections = SIZE_MAX;
  testing::internal::CaptureStderr();
  const size_t connections = MaxConnections(options_);
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_GT(connections, 0u);
  EXPECT_LT(connections, SIZE_MAX);
  EXPECT_THAT(warning, HasSubstr("level=warn msg=\"the file limit allows fewer connections than "
                                 "web.max-connections\" connections=" +
                                 std::to_string(connections)));
}

TEST_F(DoorsTest, BodiesTakeHalfOfTheDecodingMemoryAtMost) {
  MemoryBudget& budget = MemoryBudget::OfProcess();
  budget.set_max_bytes(64 * kMegabyte);
  EXPECT_EQ(Http().limits.max_body_bytes_in_flight,
            budget.MaxBytesOf(MemoryAccount::kDecoding) / 2);
  budget.set_max_bytes(uint64_t{1} << 44);
  EXPECT_EQ(Http().limits.max_body_bytes_in_flight, 512 * kMegabyte);
}

TEST_F(DoorsTest, OnlyALocalServerMindsTheHostByItself) {
  EXPECT_THAT(Http().browsers.allowed_hosts, Optional(ElementsAre()));
  options_.host = "::1";
  EXPECT_THAT(Http().browsers.allowed_hosts, Optional(ElementsAre()));
  options_.host = "0.0.0.0";
  EXPECT_EQ(Http().browsers.allowed_hosts, std::nullopt);
  options_.allowed_hosts = {"a.example", "b.example"};
  EXPECT_THAT(Http().browsers.allowed_hosts, Optional(ElementsAre("a.example", "b.example")));
  options_.allowed_hosts = {"a.example", "*"};
  EXPECT_EQ(Http().browsers.allowed_hosts, std::nullopt);
  options_.host = "127.0.0.1";
  EXPECT_EQ(Http().browsers.allowed_hosts, std::nullopt);
}

TEST_F(DoorsTest, ReadsTheWebConfiguration) {
  const TestFolder folder;
  options_.web_config_file = folder.Write(
      "web.yml", "lockstep_bearer_tokens: {t: {sha256: " + std::string(64, 'a') + "}}\n");
  EXPECT_EQ(Http().web.tokens.size(), 1u);
  options_.web_config_file = folder.path() + "/absent";
  EXPECT_FALSE(MakeHttpOptions(options_, nullptr).ok());
}

TEST_F(DoorsTest, TheAuditLogIsAFileIfThereIsOne) {
  auto audit = OpenAuditLog(options_);
  ASSERT_TRUE(audit.ok());
  EXPECT_EQ(*audit, nullptr);
  const TestFolder folder;
  options_.audit_log_file = folder.path() + "/audit";
  audit = OpenAuditLog(options_);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_NE(*audit, nullptr);
  EXPECT_TRUE(std::filesystem::exists(options_.audit_log_file));
  const auto http = MakeHttpOptions(options_, audit->get());
  ASSERT_TRUE(http.ok());
  EXPECT_EQ(http->audit, audit->get());
}

class NoHandler final : public api::Handler {
 public:
  void Handle(api::Request, api::Respond respond) override { respond({}); }
  api::Role RoleFor(std::string_view, std::string_view) const override { return api::Role::kNone; }
};

TEST_F(DoorsTest, GrpcIsServedIfItHasAnAddress) {
  NoHandler handler;
  auto grpc = StartOtlpGrpc(options_, {}, nullptr, handler);
  ASSERT_TRUE(grpc.ok());
  EXPECT_EQ(*grpc, nullptr);
  options_.otlp_grpc = HostPort{"127.0.0.1", 0};
  grpc = StartOtlpGrpc(options_, {}, nullptr, handler);
  ASSERT_TRUE(grpc.ok()) << grpc.status();
  ASSERT_NE(*grpc, nullptr);
  EXPECT_THAT((*grpc)->address(), testing::MatchesRegex("127\\.0\\.0\\.1:[1-9][0-9]*"));
}

TEST_F(DoorsTest, WarnsOfDoorsThatAreOpenToAnyone) {
  EXPECT_EQ(Warnings(), "");
  options_.host = "0.0.0.0";
  options_.allowed_hosts = {"a"};
  EXPECT_THAT(Warnings(), HasSubstr("level=warn msg=\"anyone who can reach this address has full "
                                    "access: web.config.file defines no users\" door=http "
                                    "host=0.0.0.0"));
  EXPECT_THAT(Warnings(), Not(HasSubstr("any host name")));
  options_.otlp_grpc = HostPort{"127.0.0.1", 0};
  EXPECT_THAT(Warnings(), Not(HasSubstr("door=otlp-grpc")));
  options_.otlp_grpc = HostPort{"10.0.0.1", 0};
  EXPECT_THAT(Warnings(), HasSubstr("door=otlp-grpc host=10.0.0.1"));
}

TEST_F(DoorsTest, UsersAndRequiredCertificatesCloseADoor) {
  options_.host = "0.0.0.0";
  options_.allowed_hosts = {"a"};
  server::WebConfig web;
  web.has_roles = true;
  EXPECT_EQ(Warnings(web), "");
  web = {};
  web.tls.emplace();
  web.tls->client_auth = server::ClientAuth::kVerifyIfGiven;
  EXPECT_NE(Warnings(web), "");
  web.tls->client_auth = server::ClientAuth::kRequireAndVerify;
  EXPECT_EQ(Warnings(web), "");
}

TEST_F(DoorsTest, TellsOfNamesThatAreNotRestricted) {
  options_.host = "0.0.0.0";
  server::WebConfig web;
  web.has_roles = true;
  EXPECT_THAT(Warnings(web), HasSubstr("level=info msg=\"requests may use any host name; set "
                                       "web.allowed-hosts to restrict them\""));
  options_.host = "127.0.0.1";
  EXPECT_EQ(Warnings(web), "");
}

TEST_F(DoorsTest, TheMemoryLimitIsSetOnce) {
  MemoryBudget& budget = MemoryBudget::OfProcess();
  options_.memory_limit_bytes = 77 * kMegabyte;
  testing::internal::CaptureStderr();
  LimitMemory(options_);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("msg=\"memory limit for clients\" bytes=80740352"));
  EXPECT_EQ(budget.max_bytes(), 77 * kMegabyte);
  testing::internal::CaptureStderr();
  LimitMemory(options_);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  options_.memory_limit_bytes = 0;
  LimitMemory(options_);
  EXPECT_NE(budget.max_bytes(), 77 * kMegabyte);
  EXPECT_GT(budget.max_bytes(), 0u);
}

TEST_F(DoorsTest, SeriesAreLimitedInAllPerJobAndPerTenant) {
  options_.max_series = 10;
  options_.max_series_per_job = 5;
  options_.tenant_limits.resize(2);
  options_.tenant_limits[1].max_series = 3;
  const SeriesLimits limits = SeriesLimitsOf(options_);
  EXPECT_EQ(limits.max_series, 10u);
  EXPECT_EQ(limits.max_series_per_job, 5u);
  ASSERT_EQ(limits.by_tenant.size(), 2u);
  EXPECT_EQ(limits.by_tenant[1].max_series, 3u);
}

}  // namespace
}  // namespace lockstep::cli
