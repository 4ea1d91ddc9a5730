#include "cli/server/demo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/client/http_client.h"
#include "tests/cli/forked_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The demo puts its files into a folder of the test.
class DemoTest : public ::testing::Test {
 protected:
  DemoTest() { unsetenv("LOCKSTEP_URL"); }

  ExitCode RunDemo(const std::string& http, bool once) const {
    setenv("TMPDIR", folder_.path().c_str(), 1);
    return Demo({http, once});
  }

  bool HasLeftFiles() const { return !std::filesystem::is_empty(folder_.path()); }

  const TestFolder folder_;
};

TEST_F(DemoTest, ReportsTheStragglerOnce) {
  Forked demo([this] { return RunDemo("127.0.0.1:0", true); });
  const std::string out = demo.Rest();
  EXPECT_EQ(demo.Wait(), kSuccess) << demo.errors();
  EXPECT_THAT(out, HasSubstr("straggler-gpu"));
  EXPECT_THAT(out, HasSubstr("This is `lockstep report straggler-gpu`: one of 13 jobs, recorded on "
                             "four H200 GPUs. Its times are\nshifted so that the recording ends "
                             "now. GPU-hours are priced at 3.50 USD here.\n"));
  // Two digits that count.
  EXPECT_THAT(out, ContainsRegex("At that price, a rank as late as this one costs a job on 1024 "
                                 "GPUs about [1-9],?[0-9],?0[0,]* USD a day\\.\n$"));
  EXPECT_EQ(demo.errors(), "");
  EXPECT_FALSE(HasLeftFiles());
}

TEST_F(DemoTest, ServesUntilASignal) {
  Forked demo([this] { return RunDemo("127.0.0.1:0", false); });
  std::string out, line;
  while (line.find("Ctrl-C ends the demo") == std::string::npos) {
    line = demo.Line();
    ASSERT_TRUE(!line.empty() || out.size() < 100'000) << out << demo.errors();
    out += line + "\n";
  }
  const std::string begin = "The server runs on ";
  const size_t at = out.find(begin);
  ASSERT_NE(at, std::string::npos) << out;
  HttpClientOptions options;
  options.url = out.substr(at + begin.size(), out.find(". Open it", at) - at - begin.size());
  EXPECT_THAT(options.url, StartsWith("http://127.0.0.1:"));
  EXPECT_THAT(out, HasSubstr("  lockstep query --url " + options.url + " --time 20"));
  EXPECT_THAT(out, HasSubstr("`lockstep jobs --url " + options.url + "` lists all jobs."));
  const auto client = HttpClient::Make(options);
  const auto reply = (*client)->Get("/-/ready");
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(demo.Stop(), kSuccess);
  EXPECT_FALSE((*client)->Get("/-/ready").ok());
  EXPECT_FALSE(HasLeftFiles());
}

TEST_F(DemoTest, EndsIfItsServerDoes) {
  Forked demo([this] { return RunDemo("127.0.0.1:0", false); });
  while (demo.Line().find("Ctrl-C ends the demo") == std::string::npos) {
  }
  const std::string pid = std::to_string(demo.process());
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  pid_t server = 0;
  children >> server;
  ASSERT_GT(server, 0);
  kill(server, SIGKILL);
  EXPECT_EQ(demo.Wait(), kFailure);
  EXPECT_EQ(demo.errors(), "lockstep: the demo server exited unexpectedly\n");
}

TEST_F(DemoTest, ItsAddressMustBeOne) {
  Forked demo([this] { return RunDemo("nowhere", true); });
  EXPECT_EQ(demo.Wait(), kUsage);
  EXPECT_EQ(demo.errors(),
            "lockstep: flag --http: http: \"nowhere\" is not an address like 127.0.0.1:9009\n");
  EXPECT_FALSE(HasLeftFiles());
}

TEST_F(DemoTest, ItsServerMustStart) {
  Forked demo([this] { return RunDemo("192.0.2.1:1", true); });
  EXPECT_EQ(demo.Wait(), kFailure);
  EXPECT_THAT(demo.errors(), HasSubstr("lockstep: the demo server exited unexpectedly\n"));
  EXPECT_FALSE(HasLeftFiles());
}

}  // namespace
}  // namespace lockstep::cli
