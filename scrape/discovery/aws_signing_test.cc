#include "scrape/discovery/aws_signing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/scripted_server.h"

namespace lockstep::scrape {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class AwsSigningTest : public testing::Test {
 protected:
  AwsSigningTest() {
    ClearEnvironment();
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
  }
  ~AwsSigningTest() override { ClearEnvironment(); }

  static void ClearEnvironment() {
    for (const char* name :
         {"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
          "AWS_EC2_METADATA_DISABLED", "AWS_EC2_METADATA_SERVICE_ENDPOINT"}) {
      unsetenv(name);
    }
  }

  absl::StatusOr<AwsSigning> Signing() const {
    const std::atomic<bool> is_cancelled{false};
    return Ec2SigningOf(config_, is_cancelled);
  }

  Ec2Discovery config_;
};

TEST_F(AwsSigningTest, TheConfigurationGoesFirst) {
  setenv("AWS_REGION", "eu-west-1", 1);
  setenv("AWS_ACCESS_KEY_ID", "ENVIRONMENT", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "environment-secret", 1);
  setenv("AWS_SESSION_TOKEN", "token", 1);
  const auto from_environment = Signing();
  ASSERT_TRUE(from_environment.ok()) << from_environment.status();
  EXPECT_EQ(from_environment->region, "eu-west-1");
  EXPECT_EQ(from_environment->service, "ec2");
  EXPECT_EQ(from_environment->access_key, "ENVIRONMENT");
  EXPECT_EQ(from_environment->secret_key, "environment-secret");
  EXPECT_EQ(from_environment->session_token, "token");

  config_.region = "us-east-1";
  config_.access_key = "GIVEN";
  config_.secret_key = "given-secret";
  const auto given = Signing();
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(given->region, "us-east-1");
  EXPECT_EQ(given->access_key, "GIVEN");
  EXPECT_EQ(given->secret_key, "given-secret");
  EXPECT_EQ(given->session_token, "");  // it belongs to the keys of the environment
}

TEST_F(AwsSigningTest, SaysWhatIsMissing) {
  EXPECT_EQ(Message(Signing().status()),
            "there is neither region nor AWS_REGION, and the instance's metadata: "
            "AWS_EC2_METADATA_DISABLED is set");
  config_.region = "us-east-1";
  EXPECT_EQ(Message(Signing().status()),
            "there is neither access_key nor AWS_ACCESS_KEY_ID, and the instance's metadata: "
            "AWS_EC2_METADATA_DISABLED is set");
  setenv("AWS_SECRET_ACCESS_KEY", "hidden", 1);
  EXPECT_THAT(std::string(Message(Signing().status())),
              AllOf(HasSubstr("not both"), Not(HasSubstr("hidden"))));
}

TEST_F(AwsSigningTest, WhatIsNoKeyIsRefusedWithoutBeingTold) {
  config_.access_key = "KEY";
  config_.secret_key = "secret\nX-Header: 1";
  setenv("AWS_REGION", "us-east-1:s3", 1);
  EXPECT_EQ(Message(Signing().status()), "AWS_REGION, or the instance's metadata, names no region");
  config_.region = "us-east-1";
  EXPECT_EQ(Message(Signing().status()), "a key for AWS has a space or a character beyond ASCII");
}

TEST_F(AwsSigningTest, OnlyVisibleAsciiCanBeAKey) {
  setenv("AWS_REGION", "us-east-1", 1);
  config_.access_key = "KEY";
  for (const char* secret : {"!", "~", "a/b+c="}) {
    config_.secret_key = secret;
    EXPECT_TRUE(Signing().ok()) << secret;
  }
  for (const char* secret : {" ", "a\x7f", "\xc3\xa9", "a\tb"}) {
    config_.secret_key = secret;
    EXPECT_FALSE(Signing().ok());
  }
  config_.access_key = "K Y";
  config_.secret_key = "s";
  EXPECT_FALSE(Signing().ok());
  config_ = Ec2Discovery();
  setenv("AWS_ACCESS_KEY_ID", "KEY", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "s", 1);
  setenv("AWS_SESSION_TOKEN", "a b", 1);
  EXPECT_FALSE(Signing().ok());
}

TEST_F(AwsSigningTest, TheMetadataMayBeDisabledInAnyCase) {
  setenv("AWS_EC2_METADATA_DISABLED", "TRUE", 1);
  EXPECT_THAT(std::string(Message(Signing().status())),
              HasSubstr("AWS_EC2_METADATA_DISABLED is set"));
}

// An instance's metadata service, version 2, as AWS' user guide of EC2 describes it.
class InstanceMetadataTest : public AwsSigningTest {
 protected:
  InstanceMetadataTest() {
    setenv("AWS_EC2_METADATA_DISABLED", "false", 1);
    setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", (service_.url() + "//").c_str(), 1);
  }

  ScriptedServer service_;
};

constexpr const char* kKeysJson =
    R"({"AccessKeyId": "ROLE", "SecretAccessKey": "of-role", "Token": "of-session"})";

TEST_F(InstanceMetadataTest, TellsRegionAndKeys) {
  service_.SetPages({"token\n", "us-west-2\n", "a role\nanother", kKeysJson});
  const auto signing = Signing();
  ASSERT_TRUE(signing.ok()) << signing.status();
  EXPECT_EQ(signing->region, "us-west-2");
  EXPECT_EQ(signing->access_key, "ROLE");
  EXPECT_EQ(signing->secret_key, "of-role");
  EXPECT_EQ(signing->session_token, "of-session");
  EXPECT_THAT(service_.targets(),
              ElementsAre("PUT /latest/api/token", "GET /latest/meta-data/placement/region",
                          "GET /latest/meta-data/iam/security-credentials/",
                          "GET /latest/meta-data/iam/security-credentials/a%20role"));
  const auto requests = service_.requests();
  EXPECT_THAT(requests[0], HasSubstr("\r\nX-aws-ec2-metadata-token-ttl-seconds: 60\r\n"));
  for (size_t i = 1; i < requests.size(); ++i) {
    EXPECT_THAT(requests[i], HasSubstr("\r\nX-aws-ec2-metadata-token: token\r\n"));
  }
}

TEST_F(InstanceMetadataTest, IsNotAskedForWhatIsKnown) {
  config_.region = "us-east-1";
  service_.SetPages({"token", "role", kKeysJson});
  const auto signing = Signing();
  ASSERT_TRUE(signing.ok()) << signing.status();
  EXPECT_EQ(signing->region, "us-east-1");
  EXPECT_EQ(signing->access_key, "ROLE");
  EXPECT_EQ(service_.requests().size(), 3u);

  config_.access_key = "KEY";
  config_.secret_key = "s";
  service_.SetPages({""});
  EXPECT_TRUE(Signing().ok());
  EXPECT_THAT(service_.requests(), testing::IsEmpty());
}

TEST_F(InstanceMetadataTest, WhatItRefusesIsTold) {
  service_.SetAnswers({ScriptedServer::Ok("token"), AnsweringServer::Page("404 x", "")});
  EXPECT_EQ(Message(Signing().status()),
            "there is neither region nor AWS_REGION, and the instance's metadata: "
            "/latest/meta-data/placement/region: server returned HTTP status 404 Not Found");
  config_.region = "us-east-1";
  service_.SetAnswers({AnsweringServer::Page("403 x", "")});
  EXPECT_EQ(Message(Signing().status()),
            "there is neither access_key nor AWS_ACCESS_KEY_ID, and the instance's metadata: "
            "/latest/api/token: server returned HTTP status 403 Forbidden");
}

TEST_F(InstanceMetadataTest, KeysThatAreNotCompleteAreRefused) {
  config_.region = "us-east-1";
  for (const char* json : {"no", "[]", R"({"SecretAccessKey": "s", "Token": "t"})",
                           R"({"AccessKeyId": "a", "Token": "t"})",
                           R"({"AccessKeyId": "a", "SecretAccessKey": "s"})"}) {
    service_.SetPages({"token", "role", json});
    EXPECT_THAT(std::string(Message(Signing().status())),
                HasSubstr("metadata: the keys of the instance's role are not as expected"))
        << json;
  }
}

TEST_F(InstanceMetadataTest, AnAnswerIsSmallAndComesFromTheServiceItself) {
  config_.region = "us-east-1";
  service_.SetPages({std::string(64 << 10, 't')});
  EXPECT_THAT(std::string(Message(Signing().status())),
              HasSubstr("the body reaches the limit of 65536 bytes"));
  service_.SetAnswers(
      {"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
       ScriptedServer::Ok("token")});
  EXPECT_THAT(std::string(Message(Signing().status())), HasSubstr("status 302"));
  EXPECT_EQ(service_.requests().size(), 1u);
}

TEST_F(InstanceMetadataTest, ARequestThatIsCancelledFails) {
  service_.SetPages({"token"});
  const std::atomic<bool> is_cancelled{true};
  EXPECT_THAT(std::string(Message(Ec2SigningOf(config_, is_cancelled).status())),
              HasSubstr("aborted"));
}

}  // namespace
}  // namespace lockstep::scrape
