#include "server/auth/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/test_folder.h"

namespace lockstep::server {
namespace {

class AuditLogTest : public testing::Test {
 protected:
  std::string Content() const {
    std::ifstream file(path_);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
  }

  const TestFolder folder_;
  const std::string path_ = folder_.path() + "/audit.log";
};

TEST_F(AuditLogTest, AChangeIsALine) {
  auto log = AuditLog::Open(path_);
  ASSERT_TRUE(log.ok()) << log.status();
  (*log)->Add({"ada", "10.0.0.1:4242", "POST", "/-/reload", "team", 200});
  (*log)->Add({"", "[::1]:1", "DELETE", "/x", "", 403});
  const std::string time = R"(\{"time":"20[0-9-]+T[0-9:.]+Z",)";
  EXPECT_THAT(Content(),
              testing::MatchesRegex(
                  time +
                  R"("who":"ada","from":"10\.0\.0\.1:4242","method":"POST","route":"/-/reload",)"
                  R"("tenant":"team","status":200\})"
                  "\n" +
                  time +
                  R"("who":"","from":"\[::1\]:1","method":"DELETE","route":"/x","status":403\})"
                  "\n"));
}

// It says who did what, which is not for everybody.
TEST_F(AuditLogTest, OnlyTheOwnerReadsIt) {
  ASSERT_TRUE(AuditLog::Open(path_).ok());
  struct stat file = {};
  ASSERT_EQ(stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
}

TEST_F(AuditLogTest, WhatCannotBeOpenedIsNamed) {
  const auto log = AuditLog::Open(folder_.path() + "/none/audit.log");
  ASSERT_FALSE(log.ok());
  EXPECT_THAT(std::string(Message(log.status())), testing::HasSubstr("audit log"));
}

}  // namespace
}  // namespace lockstep::server
