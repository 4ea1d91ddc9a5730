#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "scrape/discovery/sources.h"
#include "tests/scripted_server.h"

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string InstancesXml(const std::string& id, const std::string& ip, const std::string& next) {
  return absl::StrFormat(
      "<DescribeInstancesResponse><reservationSet><item><instancesSet><item>"
      "<instanceId>%s</instanceId><privateIpAddress>%s</privateIpAddress>"
      "<placement><availabilityZone>z-1</availabilityZone></placement>"
      "</item></instancesSet></item></reservationSet><nextToken>%s</nextToken>"
      "</DescribeInstancesResponse>",
      id, ip, next);
}

constexpr const char* kZonesXml =
    "<DescribeAvailabilityZonesResponse><availabilityZoneInfo><item><zoneName>z-1</zoneName>"
    "<zoneId>id-1</zoneId></item></availabilityZoneInfo></DescribeAvailabilityZonesResponse>";

std::string ErrorXml(const std::string& code, const std::string& message) {
  return absl::StrFormat(
      "<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors></Response>",
      code, message);
}

class Ec2SourceTest : public testing::Test {
 protected:
  Ec2Discovery Config() const {
    Ec2Discovery config;
    config.endpoint = server_.url();
    config.region = "eu-west-1";
    config.access_key = "AKID";
    config.secret_key = "hidden";
    config.port = 9400;
    return config;
  }

  std::vector<std::string> Bodies() const {
    std::vector<std::string> bodies;
    for (const std::string& request : server_.requests()) {
      bodies.emplace_back(AnsweringServer::BodyOf(request));
    }
    return bodies;
  }

  // The error of a look-up that gets `answer` when it asks for instances.
  std::string RefusalOf(const std::string& answer) {
    server_.SetAnswers({ScriptedServer::Ok(kZonesXml), answer});
    const absl::Status status = MakeEc2Source(Config())->Look().status();
    return std::string(Message(status));
  }

  ScriptedServer server_;
};

// The parameters are those of Amazon's reference of the EC2 API.
TEST_F(Ec2SourceTest, AsksForZonesAndAllPagesOfInstances) {
  server_.SetPages(
      {kZonesXml, InstancesXml("i-1", "10.0.0.1", "t/2="), InstancesXml("i-2", "10.0.0.2", "")});
  Ec2Discovery config = Config();
  config.filters = {{"tag:role", {"gpu", "c pu"}}, {"vpc-id", {"v"}}};
  const auto found = MakeEc2Source(config)->Look();
  ASSERT_TRUE(found.ok()) << found.status();
  const std::vector<TargetGroup>& groups = (*found)->groups;
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0].addresses, ElementsAre("10.0.0.1:9400"));
  EXPECT_EQ(groups[1].labels.ToString(),
            "{__meta_ec2_availability_zone=\"z-1\", __meta_ec2_availability_zone_id=\"id-1\", "
            "__meta_ec2_instance_id=\"i-2\", __meta_ec2_private_ip=\"10.0.0.2\", "
            "__meta_ec2_region=\"eu-west-1\"}");
  const std::string list =
      "Action=DescribeInstances&Version=2016-11-15&MaxResults=500"
      "&Filter.1.Name=tag%3Arole&Filter.1.Value.1=gpu&Filter.1.Value.2=c%20pu"
      "&Filter.2.Name=vpc-id&Filter.2.Value.1=v";
  EXPECT_THAT(Bodies(), ElementsAre("Action=DescribeAvailabilityZones&Version=2016-11-15", list,
                                    list + "&NextToken=t%2F2%3D"));
  for (const std::string& request : server_.requests()) {
    EXPECT_THAT(request, testing::StartsWith("POST / HTTP/1.1\r\n"));
    EXPECT_THAT(request, HasSubstr("\r\nContent-Type: application/x-www-form-urlencoded; "
                                   "charset=utf-8\r\n"));
    EXPECT_THAT(request, HasSubstr("Credential=AKID/"));
    EXPECT_THAT(request, HasSubstr("/eu-west-1/ec2/aws4_request"));
  }
}

TEST_F(Ec2SourceTest, AsksForZonesUntilItHasThem) {
  const auto source = MakeEc2Source(Config());
  server_.SetAnswers({AnsweringServer::Page("403 x", ErrorXml("UnauthorizedOperation", "no")),
                      ScriptedServer::Ok(InstancesXml("i-1", "10.0.0.1", ""))});
  const auto without = source->Look();
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ((*without)->groups.at(0).labels.Get("__meta_ec2_availability_zone_id"), "");

  // An answer that is no list of zones does not help either.
  server_.SetPages({"<x/>", InstancesXml("i-1", "10.0.0.1", "")});
  ASSERT_TRUE(source->Look().ok());
  server_.SetPages({kZonesXml, InstancesXml("i-1", "10.0.0.1", "")});
  const auto with = source->Look();
  EXPECT_EQ((*with)->groups.at(0).labels.Get("__meta_ec2_availability_zone_id"), "id-1");

  server_.SetPages({InstancesXml("i-1", "10.0.0.1", "")});
  const auto again = source->Look();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(server_.requests().size(), 1u);
  EXPECT_EQ((*again)->groups.at(0).labels.Get("__meta_ec2_availability_zone_id"), "id-1");
}

TEST_F(Ec2SourceTest, SaysWhyEc2Refuses) {
  EXPECT_EQ(RefusalOf(AnsweringServer::Page("401 x", ErrorXml("AuthFailure", "not validated"))),
            "DescribeInstances: server returned HTTP status 401 Unauthorized: AuthFailure: not "
            "validated");
  EXPECT_EQ(RefusalOf(AnsweringServer::Page("503 x", "<html>busy</html>")),
            "DescribeInstances: server returned HTTP status 503 Service Unavailable");
  EXPECT_EQ(RefusalOf(ScriptedServer::Ok("<x/>")),
            "DescribeInstances: the answer is \"x\", not DescribeInstancesResponse");
  EXPECT_EQ(RefusalOf(""), "DescribeInstances: Empty reply from server");
}

TEST_F(Ec2SourceTest, AReasonIsCutAndHasNoSecrets) {
  EXPECT_EQ(RefusalOf(AnsweringServer::Page("400 x", ErrorXml("Code", "the key hidden is bad"))),
            "DescribeInstances: server returned HTTP status 400 Bad Request: Code: the key xxxxx "
            "is bad");
  // "Code: " are the first six bytes of the reason.
  EXPECT_EQ(RefusalOf(AnsweringServer::Page("400 x", ErrorXml("Code", std::string(295, 'y')))),
            "DescribeInstances: server returned HTTP status 400 Bad Request: Code: " +
                std::string(294, 'y'));

  setenv("AWS_ACCESS_KEY_ID", "AKID", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "hidden", 1);
  setenv("AWS_SESSION_TOKEN", "of-session", 1);
  Ec2Discovery config = Config();
  config.access_key.clear();
  config.secret_key.clear();
  server_.SetAnswers({ScriptedServer::Ok(kZonesXml),
                      AnsweringServer::Page("400 x", ErrorXml("Code", "of-session and hidden"))});
  const absl::Status status = MakeEc2Source(config)->Look().status();
  for (const char* name : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}) {
    unsetenv(name);
  }
  EXPECT_THAT(std::string(Message(status)), HasSubstr("Code: xxxxx and xxxxx"));
  EXPECT_THAT(server_.requests().at(1), HasSubstr("\r\nX-Amz-Security-Token: of-session\r\n"));
}

TEST_F(Ec2SourceTest, AListWithoutEndIsRefused) {
  server_.SetPages({kZonesXml, InstancesXml("i-1", "10.0.0.1", "again")});
  EXPECT_EQ(Message(MakeEc2Source(Config())->Look().status()),
            "DescribeInstances: the list of instances has more than 1000 pages");
  // With the one for zones.
  EXPECT_EQ(server_.requests().size(), 1001u);
}

TEST_F(Ec2SourceTest, ALookUpThatIsCancelledFails) {
  server_.SetPages({kZonesXml, InstancesXml("i-1", "10.0.0.1", "")});
  const auto source = MakeEc2Source(Config());
  source->Cancel();
  EXPECT_THAT(std::string(Message(source->Look().status())),
              testing::StartsWith("DescribeInstances: "));
}

TEST_F(Ec2SourceTest, AsksTheServerOfTheRegion) {
  Ec2Discovery config = Config();
  config.endpoint.clear();
  config.http.proxy_url = "http://127.0.0.1:1";
  // The proxy is refused, so that libcurl gets no further.
  EXPECT_THAT(std::string(Message(MakeEc2Source(config)->Look().status())),
              HasSubstr("127.0.0.1 port 1"));
  // A proxy is told the host's name.
  const auto connected = [&](const std::string& region) {
    server_.SetAnswers({AnsweringServer::Page("403 x", "")});
    config.region = region;
    config.http.proxy_url = server_.url();
    EXPECT_FALSE(MakeEc2Source(config)->Look().ok());
    return server_.targets().at(0);
  };
  EXPECT_EQ(connected("eu-west-1"), "CONNECT ec2.eu-west-1.amazonaws.com:443");
  EXPECT_EQ(connected("cn-north-1"), "CONNECT ec2.cn-north-1.amazonaws.com.cn:443");
}

TEST_F(Ec2SourceTest, NamesWhatItAsks) {
  Ec2Discovery config;
  EXPECT_EQ(MakeEc2Source(config)->name(), "EC2");
  config.region = "eu-west-1";
  EXPECT_EQ(MakeEc2Source(config)->name(), "EC2 in eu-west-1");
  config.endpoint = "https://ec2.example";
  EXPECT_EQ(MakeEc2Source(config)->name(), "EC2 at https://ec2.example");
}

}  // namespace
}  // namespace lockstep::scrape
