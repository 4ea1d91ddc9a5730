#include "scrape/discovery/aws_signing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace lockstep::scrape {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The metadata service is asked by tests/scrape/ec2_test.py; here there is none.
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

}  // namespace
}  // namespace lockstep::scrape
