#include "cli/client/server_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace lockstep::cli {
namespace {

class ServerFlagsTest : public ::testing::Test {
 protected:
  ServerFlagsTest() { unsetenv("LOCKSTEP_URL"); }
  ~ServerFlagsTest() override { unsetenv("LOCKSTEP_URL"); }

  // The error; "" if there is none.
  std::string Parse(const std::string& line, const char* old_url_flag = "--server") {
    CLI::App app;
    server_ = {};
    AddServerFlags(app, old_url_flag, server_);
    try {
      app.parse(line);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  }

  HttpClientOptions server_;
};

TEST_F(ServerFlagsTest, TheUrlIsThatOfTheFlagOrTheEnvironmentOrTheUsualOne) {
  EXPECT_EQ(Parse(""), "");
  EXPECT_EQ(server_.url, "http://127.0.0.1:9009");
  EXPECT_EQ(server_.advice, "start one with `lockstep serve`, or set --url or LOCKSTEP_URL");
  setenv("LOCKSTEP_URL", "http://a:1", 1);
  EXPECT_EQ(Parse(""), "");
  EXPECT_EQ(server_.url, "http://a:1");
  EXPECT_EQ(Parse("--url http://b:2"), "");
  EXPECT_EQ(server_.url, "http://b:2");
  setenv("LOCKSTEP_URL", "", 1);
  EXPECT_EQ(UrlWithoutFlag(), "http://127.0.0.1:9009");
}

TEST_F(ServerFlagsTest, TheOlderSpellingStillWorksAlone) {
  EXPECT_EQ(Parse("--server http://c:3"), "");
  EXPECT_EQ(server_.url, "http://c:3");
  EXPECT_THAT(Parse("--url http://b:2 --server http://c:3"),
              testing::HasSubstr("--server is an older spelling of --url; use only one of them"));
  EXPECT_NE(Parse("--server http://c:3", ""), "");
}

TEST_F(ServerFlagsTest, TheOlderSpellingIsNotExplained) {
  CLI::App app;
  AddServerFlags(app, "--server", server_);
  EXPECT_EQ(app.get_option("--server")->get_group(), "");
  EXPECT_EQ(app.get_option("--url")->get_type_name(), "URL");
}

TEST_F(ServerFlagsTest, CredentialsAreAUserOrAToken) {
  EXPECT_EQ(Parse("--user ann:secret --ca-file ca.pem"), "");
  EXPECT_EQ(server_.user, "ann:secret");
  EXPECT_EQ(server_.ca_file, "ca.pem");
  EXPECT_EQ(Parse("--token-file t"), "");
  EXPECT_EQ(server_.token_file, "t");
  EXPECT_THAT(Parse("--token-file t --user ann:secret"), testing::HasSubstr("excludes"));
}

}  // namespace
}  // namespace lockstep::cli
