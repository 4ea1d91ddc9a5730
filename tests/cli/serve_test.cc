#include "cli/server/serve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <filesystem>
#include <optional>

#include "absl/strings/str_format.h"
#include "cli/client/ask.h"
#include "cli/settings/config_file.h"
#include "import/files/importing_testing.h"
#include "tests/cli/forked_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ServeTest : public ::testing::Test {
 protected:
  ServeTest() {
    given_ = {{"http", "127.0.0.1:0", "x"},
              {"data", Data(), "x"},
              {"storage.shards", "1", "x"},
              {"memory-limit", "256MB", "x"}};
  }

  std::string Data() const { return folder_.path() + "/data"; }
  void Set(const std::string& name, const std::string& text) {
    given_.push_back({name, text, "x"});
  }
  void Start() {
    const auto options = ReadServeOptions(config_file_, given_);
    ASSERT_TRUE(options.ok()) << options.status();
    served_.emplace([&options] { return Serve(*options); });
  }
  // Also waits until the server is ready.
  void StartAndConnect() {
    Start();
    const std::string line = served_->Line();
    ASSERT_THAT(line, StartsWith("lockstep is ready on http://127.0.0.1:")) << served_->errors();
    options_.url = line.substr(line.find("http"));
    client_ = *HttpClient::Make(options_);
  }
  // Starts and waits for the end.
  int Fail() {
    Start();
    return served_->Wait();
  }
  int StatusOf(const std::string& path) const {
    const auto reply = client_->Get(path);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->status : 0;
  }
  int StatusOfPost(const std::string& path, const std::string& body = "") const {
    const auto reply =
        client_->Post(path, {"Content-Type: application/x-www-form-urlencoded"}, body);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->status : 0;
  }
  std::string BodyOf(const std::string& path) const {
    const auto reply = client_->Get(path);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->body : "";
  }

  const TestFolder folder_;
  std::vector<GivenValue> given_;
  std::string config_file_;
  HttpClientOptions options_;
  std::optional<Forked> served_;
  std::unique_ptr<HttpClient> client_;
};

TEST_F(ServeTest, ServesUntilASignal) {
  Set("enable-feature", "promql-at-modifier,time-travel");
  StartAndConnect();
  EXPECT_EQ(StatusOf("/-/ready"), 200);
  EXPECT_EQ(StatusOfPost("/api/v1/import/prometheus", "up 1\n"), 204);
  EXPECT_THAT(BodyOf("/api/v1/query?query=up"), HasSubstr("\"__name__\":\"up\""));
  EXPECT_EQ(served_->Stop(), kSuccess);
  EXPECT_THAT(served_->errors(),
              HasSubstr("level=warn msg=\"unknown feature in enable-feature\" name=time-travel"));
  EXPECT_THAT(served_->errors(), Not(HasSubstr("promql-at-modifier")));
  EXPECT_THAT(served_->errors(), HasSubstr("msg=ready url=" + options_.url + " data=" + Data()));
  EXPECT_THAT(served_->errors(), HasSubstr(" shards=1\n"));
  EXPECT_THAT(served_->errors(), HasSubstr("msg=\"shutting down\" signal=15\n"));
  EXPECT_THAT(served_->errors(), HasSubstr("msg=ended\n"));
  EXPECT_EQ(std::filesystem::status(Data()).permissions() & std::filesystem::perms::mask,
            std::filesystem::perms::owner_all);
  // What was written is there after a restart.
  StartAndConnect();
  EXPECT_THAT(BodyOf("/api/v1/query?query=count_over_time(up[10m])"), HasSubstr("\"1\""));
  EXPECT_EQ(served_->Stop(), kSuccess);
}

TEST_F(ServeTest, SaysWhatItIs) {
  Set("storage.retention.time", "3d");
  Set("storage.retention.time", "4d");
  StartAndConnect();
  EXPECT_THAT(BodyOf("/api/v1/status/flags"), HasSubstr("\"storage.retention.time\":\"4d\""));
  EXPECT_THAT(BodyOf("/api/v1/status/runtimeinfo"), HasSubstr("\"storageRetention\":\"4d\""));
  EXPECT_THAT(BodyOf("/api/v1/status/runtimeinfo"),
              HasSubstr(std::filesystem::current_path().string()));
  EXPECT_THAT(BodyOf("/api/v1/status/buildinfo"), HasSubstr("\"version\":\""));
  const std::string metrics = BodyOf("/metrics");
  EXPECT_THAT(metrics, HasSubstr("lockstep_build_info{"));
  EXPECT_THAT(metrics, Not(HasSubstr("otlp_grpc_connections")));
}

TEST_F(ServeTest, HasNoPowersUnlessTheyAreEnabled) {
  StartAndConnect();
  EXPECT_EQ(StatusOfPost("/-/reload"), 403);
  EXPECT_EQ(StatusOfPost("/api/v1/admin/backup", "to="), 503);
}

TEST_F(ServeTest, BacksUpIntoItsDataFolder) {
  Set("web.enable-admin-api", "true");
  StartAndConnect();
  EXPECT_EQ(StatusOfPost("/api/v1/admin/backup"), 200);
  EXPECT_TRUE(std::filesystem::exists(Data() + "/backups/backup-000001"));
  EXPECT_EQ(served_->Stop(), kSuccess);
  Set("storage.backup.dir", folder_.path() + "/elsewhere");
  StartAndConnect();
  EXPECT_EQ(StatusOfPost("/api/v1/admin/backup"), 200);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/elsewhere/backup-000001"));
}

TEST_F(ServeTest, WritesItsLogs) {
  Set("query.log-file", folder_.path() + "/queries");
  Set("web.audit-log", folder_.path() + "/audit");
  StartAndConnect();
  EXPECT_EQ(StatusOf("/api/v1/query?query=vector(7)"), 200);
  EXPECT_EQ(StatusOfPost("/api/v1/import/prometheus", "up 1\n"), 204);
  EXPECT_EQ(served_->Stop(), kSuccess);
  EXPECT_THAT(importer::BytesOf(folder_.path() + "/queries"), HasSubstr("vector(7)"));
  EXPECT_THAT(importer::BytesOf(folder_.path() + "/audit"), HasSubstr("/api/v1/import/prometheus"));
}

TEST_F(ServeTest, ReloadsItsConfiguration) {
  folder_.Write("rules.yml", "groups: [{name: g1, rules: [{record: a, expr: b}]}]\n");
  const std::string common =
      "rule_files: [rules.yml]\n"
      "scrape_configs: [{job_name: node, static_configs: [{targets: ['127.0.0.1:1']}]}]\n";
  config_file_ = folder_.Write("l.yml", common + "query: {max-samples: 1000, timeout: 7s}\n");
  Set("web.enable-lifecycle", "true");
  StartAndConnect();
  EXPECT_THAT(BodyOf("/api/v1/status/config"), HasSubstr("max-samples: 1000"));
  EXPECT_THAT(BodyOf("/api/v1/rules"), HasSubstr("\"g1\""));
  EXPECT_THAT(BodyOf("/api/v1/status/config"), HasSubstr("job_name: node"));
  folder_.Write("rules.yml", "groups: [{name: g2, rules: [{record: a, expr: b}]}]\n");
  folder_.Write("l.yml", common +
                             "query: {max-samples: 2, timeout: 8s}\n"
                             "storage: {retention: {time: 1d}}\n");
  EXPECT_EQ(StatusOfPost("/-/reload"), 200);
  EXPECT_THAT(BodyOf("/api/v1/rules"), HasSubstr("\"g2\""));
  EXPECT_THAT(BodyOf("/api/v1/rules"), Not(HasSubstr("\"g1\"")));
  const std::string config = BodyOf("/api/v1/status/config");
  EXPECT_THAT(config, HasSubstr("max-samples: 2\\n"));
  EXPECT_THAT(config, HasSubstr("timeout: 8s"));
  // Not a live setting.
  EXPECT_THAT(config, Not(HasSubstr("time: 1d")));
  // The new limit is in force.
  EXPECT_THAT(BodyOf("/api/v1/query_range?query=vector(1)%20%2B%20vector(2)&start=0&end=99&step=1"),
              HasSubstr("too many samples"));
  EXPECT_EQ(served_->Stop(), kSuccess);
  EXPECT_THAT(served_->errors(), HasSubstr("msg=\"configuration reloaded\" jobs=1 rule_groups=1"));
}

TEST_F(ServeTest, AConfigurationThatIsInvalidChangesNothing) {
  config_file_ = folder_.Write("l.yml", "query: {max-samples: 1000}\n");
  Set("web.enable-lifecycle", "true");
  StartAndConnect();
  for (const char* bad :
       {"query: {max-samples: none}\n", "scrape_configs: 7\n", "rule_files: 7\n"}) {
    folder_.Write("l.yml", bad);
    EXPECT_EQ(StatusOfPost("/-/reload"), 500) << bad;
    EXPECT_THAT(BodyOf("/api/v1/status/config"), HasSubstr("max-samples: 1000"));
  }
  EXPECT_THAT(
      served_->errors(),
      HasSubstr("level=error msg=\"cannot reload the configuration; keeping the old one\""));
}

// The token is "secret", then "other"; given are their SHA-256 digests.
TEST_F(ServeTest, ReloadsItsTokens) {
  const std::string before = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
  const std::string after = "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa";
  const auto write = [this](const std::string& digest) {
    return folder_.Write("web.yml", "lockstep_bearer_tokens: {t: {sha256: " + digest + "}}\n");
  };
  Set("web.config.file", write(before));
  Set("web.enable-lifecycle", "true");
  Set("otlp-grpc", "127.0.0.1:0");
  StartAndConnect();
  const std::string path = "/api/v1/query?query=1";
  EXPECT_EQ(StatusOf(path), 401);
  const auto with_token = [this](const std::string& token) {
    options_.token_file = folder_.Write("token", token);
    client_ = *HttpClient::Make(options_);
  };
  with_token("secret");
  EXPECT_EQ(StatusOf(path), 200);
  EXPECT_THAT(BodyOf("/metrics"), HasSubstr("otlp_grpc_"));
  write(after);
  EXPECT_EQ(StatusOfPost("/-/reload"), 200);
  EXPECT_EQ(StatusOf(path), 401);
  with_token("other");
  EXPECT_EQ(StatusOf(path), 200);
  folder_.Write("web.yml", "users: 7\n");
  EXPECT_EQ(StatusOfPost("/-/reload"), 500);
  EXPECT_EQ(served_->Stop(), kSuccess);
  EXPECT_THAT(served_->errors(),
              HasSubstr("msg=\"listening for OTLP over gRPC\" address=127.0.0.1:"));
}

TEST_F(ServeTest, AReadOnlyServerTakesNoWrites) {
  StartAndConnect();
  EXPECT_EQ(StatusOfPost("/api/v1/import/prometheus", "up 1\n"), 204);
  EXPECT_EQ(served_->Stop(), kSuccess);
  Set("storage.read-only", "true");
  StartAndConnect();
  EXPECT_THAT(BodyOf("/api/v1/series?match[]=up"), HasSubstr("\"up\""));
  EXPECT_NE(StatusOfPost("/api/v1/import/prometheus", "up 2\n"), 204);
  EXPECT_EQ(served_->Stop(), kSuccess);
}

TEST_F(ServeTest, AReadOnlyServerHasNothingToScrape) {
  Set("storage.read-only", "true");
  config_file_ = folder_.Write(
      "l.yml", "scrape_configs: [{job_name: a, static_configs: [{targets: ['h:1']}]}]\n");
  EXPECT_EQ(Fail(), kUsage);
  EXPECT_THAT(served_->errors(),
              HasSubstr(absl::StrFormat("msg=\"cannot serve\" error=\"%s: scrape_configs and rules "
                                        "cannot be used with storage.read-only\"",
                                        config_file_)));
  folder_.Write("rules.yml", "groups: [{name: g, rules: [{record: a, expr: b}]}]\n");
  folder_.Write("l.yml", "rule_files: [rules.yml]\n");
  EXPECT_EQ(Fail(), kUsage);
}

TEST_F(ServeTest, FailsWithoutWhatItNeeds) {
  Set("storage.read-only", "true");
  EXPECT_EQ(Fail(), kFailure);  // no store
  Set("storage.read-only", "false");
  Set("web.config.file", "/does/not/exist");
  EXPECT_NE(Fail(), kSuccess);
  EXPECT_THAT(served_->errors(), HasSubstr("/does/not/exist"));
  Set("web.config.file", "");
  Set("query.log-file", "/does/not/exist");
  EXPECT_NE(Fail(), kSuccess);
  EXPECT_THAT(served_->errors(), HasSubstr("/does/not/exist"));
  Set("query.log-file", "");
  Set("web.audit-log", "/does/not/exist");
  EXPECT_NE(Fail(), kSuccess);
  EXPECT_THAT(served_->errors(), HasSubstr("/does/not/exist"));
}

TEST_F(ServeTest, ItsAddressMustBeFree) {
  StartAndConnect();
  const std::string address = options_.url.substr(options_.url.find("127."));
  ServeOptions second = *MakeServeOptions({{"http", address, "x"},
                                           {"data", folder_.path() + "/second", "x"},
                                           {"storage.shards", "1", "x"}});
  Forked other([&second] { return Serve(second); });
  EXPECT_EQ(other.Wait(), kFailure);
  EXPECT_THAT(other.errors(), HasSubstr("msg=\"cannot serve\""));
  second.port = 0;
  second.otlp_grpc = HostPort{"127.0.0.1", second.port};
  second.data_folder = Data();
  Forked same_data([&second] { return Serve(second); });
  EXPECT_EQ(same_data.Wait(), kFailure);
}

TEST_F(ServeTest, TellsItsServiceManager) {
  const std::string path = folder_.path() + "/notify";
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  ASSERT_EQ(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), length), 0);
  setenv("NOTIFY_SOCKET", path.c_str(), 1);
  const auto received = [descriptor] {
    char bytes[100];
    const ssize_t size = recv(descriptor, bytes, sizeof(bytes), 0);
    return std::string(bytes, size < 0 ? 0 : static_cast<size_t>(size));
  };
  StartAndConnect();
  EXPECT_EQ(received(), "READY=1");
  EXPECT_EQ(served_->Stop(), kSuccess);
  EXPECT_EQ(received(), "STOPPING=1");
  setenv("NOTIFY_SOCKET", "nonsense", 1);
  StartAndConnect();
  EXPECT_EQ(served_->Stop(), kSuccess);
  EXPECT_THAT(served_->errors(), HasSubstr("level=warn msg=\"cannot notify the service manager\""));
  unsetenv("NOTIFY_SOCKET");
  close(descriptor);
}

}  // namespace
}  // namespace lockstep::cli
