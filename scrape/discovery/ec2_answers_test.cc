#include "scrape/discovery/ec2_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Labels = std::map<std::string, std::string>;

std::string PageOf(const std::string& reservations, const std::string& more = "") {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<DescribeInstancesResponse "
         "xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>r</requestId>"
         "<reservationSet>" +
         reservations + "</reservationSet>" + more + "</DescribeInstancesResponse>";
}

std::string Reservation(const std::string& instances) {
  return "<item><reservationId>r-1</reservationId><ownerId>123456789012</ownerId><groupSet/>"
         "<instancesSet>" +
         instances + "</instancesSet></item>";
}

// In the order and with the neighbours that EC2's reference of its API shows.
const char kInstanceXml[] = R"(<item>
  <instanceId>i-0abc</instanceId><imageId>ami-1</imageId>
  <instanceState><code>16</code><name>running</name></instanceState>
  <privateDnsName>ip-10-0-0-7.ec2.internal</privateDnsName>
  <dnsName>ec2-1-2-3-4.compute-1.amazonaws.com</dnsName>
  <instanceType>p5.48xlarge</instanceType>
  <placement><availabilityZone>us-east-1a</availabilityZone><groupName/>
    <tenancy>default</tenancy></placement>
  <subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId>
  <privateIpAddress>10.0.0.7</privateIpAddress><ipAddress>1.2.3.4</ipAddress>
  <groupSet><item><groupId>sg-1</groupId></item></groupSet>
  <architecture>x86_64</architecture><instanceLifecycle>spot</instanceLifecycle>
  <tagSet><item><key>Name</key><value>gpu &amp; 7</value></item>
          <item><key>k8s.io/role-a</key><value>node</value></item>
          <item><key>empty</key><value/></item></tagSet>
  <networkInterfaceSet>
    <item><subnetId>subnet-2</subnetId><vpcId>vpc-1</vpcId>
      <attachment><deviceIndex>0</deviceIndex></attachment>
      <ipv6AddressesSet><item><ipv6Address>fd00::7</ipv6Address>
        <isPrimaryIpv6>false</isPrimaryIpv6></item></ipv6AddressesSet></item>
    <item><subnetId>subnet-1</subnetId><attachment><deviceIndex>1</deviceIndex></attachment>
      <ipv6AddressesSet><item><ipv6Address>fd00::8</ipv6Address>
        <isPrimaryIpv6>true</isPrimaryIpv6></item></ipv6AddressesSet></item>
    <item><subnetId>subnet-2</subnetId></item>
  </networkInterfaceSet>
  <platform>windows</platform>
</item>)";

Labels Ec2LabelsOf(const TargetGroup& group) {
  constexpr std::string_view kPrefix = "__meta_ec2_";
  Labels labels;
  for (const LabelView& label : group.labels) {
    EXPECT_TRUE(label.name.starts_with(kPrefix)) << label.name;
    labels[std::string(label.name.substr(kPrefix.size()))] = label.value;
  }
  return labels;
}

std::vector<TargetGroup> Ec2TargetsOf(const std::string& xml, const Ec2Zones& zones = {}) {
  const auto page = ReadEc2Page(xml);
  EXPECT_TRUE(page.ok()) << page.status();
  FoundTargets found;
  if (!page.ok()) return {};
  EXPECT_TRUE(AddEc2Targets(*page, "us-east-1", zones, 9400, found).ok());
  return found.groups;
}

TEST(Ec2AnswersTest, AnInstanceIsATargetWithItsLabels) {
  const auto groups = Ec2TargetsOf(PageOf(Reservation(kInstanceXml)),
                                   {{"us-east-1a", "use1-az4"}, {"us-east-1b", "x"}});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(groups[0].addresses, ElementsAre("10.0.0.7:9400"));
  EXPECT_EQ(groups[0].source, "ec2/i-0abc");
  EXPECT_EQ(Ec2LabelsOf(groups[0]),
            (Labels{{"region", "us-east-1"},
                    {"instance_id", "i-0abc"},
                    {"owner_id", "123456789012"},
                    {"ami", "ami-1"},
                    {"instance_state", "running"},
                    {"instance_type", "p5.48xlarge"},
                    {"instance_lifecycle", "spot"},
                    {"platform", "windows"},
                    {"architecture", "x86_64"},
                    {"private_ip", "10.0.0.7"},
                    {"private_dns_name", "ip-10-0-0-7.ec2.internal"},
                    {"public_ip", "1.2.3.4"},
                    {"public_dns_name", "ec2-1-2-3-4.compute-1.amazonaws.com"},
                    {"availability_zone", "us-east-1a"},
                    {"availability_zone_id", "use1-az4"},
                    {"vpc_id", "vpc-1"},
                    {"primary_subnet_id", "subnet-1"},
                    {"subnet_id", ",subnet-2,subnet-1,"},
                    {"default_ipv6_address", "fd00::8"},
                    {"primary_ipv6_addresses", ",,fd00::8,"},
                    {"ipv6_addresses", ",fd00::7,fd00::8,"},
                    {"tag_Name", "gpu & 7"},
                    {"tag_k8s_io_role_a", "node"}}));
}

TEST(Ec2AnswersTest, AnInstanceWithoutAnAddressIsLeftOut) {
  const std::string ipv6 =
      "<item><instanceId>i-6</instanceId><vpcId>v</vpcId><networkInterfaceSet><item>"
      "<subnetId>s</subnetId><ipv6AddressesSet><item><ipv6Address>fd00::1</ipv6Address></item>"
      "</ipv6AddressesSet></item></networkInterfaceSet></item>";
  const auto groups = Ec2TargetsOf(
      PageOf(Reservation("<item><instanceId>i-1</instanceId><instanceState><name>terminated</name>"
                         "</instanceState></item><item><instanceId>i-2</instanceId>"
                         "<privateIpAddress>10.0.0.2</privateIpAddress></item>" +
                         ipv6) +
             Reservation("")));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(Ec2LabelsOf(groups[0]), (Labels{{"region", "us-east-1"},
                                            {"instance_id", "i-2"},
                                            {"owner_id", "123456789012"},
                                            {"private_ip", "10.0.0.2"}}));
  EXPECT_THAT(groups[1].addresses, ElementsAre("[fd00::1]:9400"));
  EXPECT_EQ(Ec2LabelsOf(groups[1])["default_ipv6_address"], "fd00::1");
}

TEST(Ec2AnswersTest, AZoneOfWhichNoIdIsListedHasItsInstances) {
  const std::string xml =
      PageOf(Reservation("<item><privateIpAddress>10.0.0.2</privateIpAddress><placement>"
                         "<availabilityZone>z</availabilityZone><availabilityZoneId>id-1"
                         "</availabilityZoneId></placement></item>"));
  EXPECT_EQ(Ec2LabelsOf(Ec2TargetsOf(xml).at(0))["availability_zone_id"], "id-1");
}

TEST(Ec2AnswersTest, APageNamesTheNext) {
  EXPECT_EQ(ReadEc2Page(PageOf("", "<nextToken>t/2=</nextToken>"))->next_token, "t/2=");
  EXPECT_EQ(ReadEc2Page(PageOf("", "<nextToken/>"))->next_token, "");
}

TEST(Ec2AnswersTest, ReadsZones) {
  const auto zones = ReadEc2Zones(
      "<DescribeAvailabilityZonesResponse><availabilityZoneInfo>"
      "<item><zoneName>us-east-1a</zoneName><zoneState>available</zoneState>"
      "<zoneId>use1-az4</zoneId></item><item><zoneName>us-east-1b</zoneName></item>"
      "</availabilityZoneInfo></DescribeAvailabilityZonesResponse>");
  ASSERT_TRUE(zones.ok()) << zones.status();
  EXPECT_EQ(*zones, (Ec2Zones{{"us-east-1a", "use1-az4"}}));
}

TEST(Ec2AnswersTest, WhatIsNoSuchAnswerIsRefused) {
  EXPECT_EQ(Message(ReadEc2Page("<html><body/></html>").status()),
            "the answer is \"html\", not DescribeInstancesResponse");
  EXPECT_THAT(std::string(Message(ReadEc2Page("{}").status())), HasSubstr("invalid XML"));
  const std::string whole = PageOf(Reservation(kInstanceXml));
  EXPECT_FALSE(ReadEc2Page(whole.substr(0, whole.size() / 2)).ok());
  EXPECT_FALSE(ReadEc2Zones(whole).ok());
}

TEST(Ec2AnswersTest, SaysWhyARequestIsRefused) {
  EXPECT_EQ(Ec2Refusal("<Response><Errors><Error><Code>AuthFailure</Code><Message>AWS was not able "
                       "to validate</Message></Error></Errors><RequestID>r</RequestID></Response>"),
            "AuthFailure: AWS was not able to validate");
  EXPECT_EQ(Ec2Refusal("<html/>"), "");
  EXPECT_EQ(Ec2Refusal("no"), "");
}

std::string Interface(const std::string& index, const std::string& address,
                      const std::string& subnet = "s", bool is_primary = true) {
  return "<item><subnetId>" + subnet + "</subnetId><attachment><deviceIndex>" + index +
         "</deviceIndex></attachment><ipv6AddressesSet><item><ipv6Address>" + address +
         "</ipv6Address><isPrimaryIpv6>" + (is_primary ? "true" : "false") +
         "</isPrimaryIpv6></item></ipv6AddressesSet></item>";
}

Labels LabelsWith(const std::string& interfaces, const std::string& more = "<vpcId>v</vpcId>") {
  const auto groups = Ec2TargetsOf(
      PageOf(Reservation("<item><privateIpAddress>10.0.0.1</privateIpAddress>" + more +
                         "<networkInterfaceSet>" + interfaces + "</networkInterfaceSet></item>")));
  return groups.size() == 1 ? Ec2LabelsOf(groups[0]) : Labels();
}

TEST(Ec2AnswersTest, PrimaryAddressesAreInOrderOfTheirInterfaces) {
  Labels labels = LabelsWith(Interface("3", "fd00::3") + Interface("1", "fd00::1"));
  EXPECT_EQ(labels["primary_ipv6_addresses"], ",,fd00::1,,fd00::3,");
  EXPECT_EQ(labels["ipv6_addresses"], ",fd00::3,fd00::1,");
  EXPECT_EQ(labels["default_ipv6_address"], "fd00::1");
  labels = LabelsWith(Interface("0", "fd00::3") + Interface("10", "fd00::1"));
  EXPECT_EQ(labels["primary_ipv6_addresses"], ",fd00::3,,,,,,,,,,fd00::1,");
}

TEST(Ec2AnswersTest, AnIndexHasOneOrTwoDigits) {
  for (const char* index : {"", "100", "a", "1a", "/", ":", "-1"}) {
    Labels labels = LabelsWith(Interface(index, "fd00::1"));
    EXPECT_EQ(labels.count("primary_ipv6_addresses"), 0u) << index;
    EXPECT_EQ(labels["ipv6_addresses"], ",fd00::1,") << index;
  }
  for (const char* index : {"0", "9", "99"}) {
    EXPECT_EQ(LabelsWith(Interface(index, "fd00::1")).count("primary_ipv6_addresses"), 1u) << index;
  }
}

TEST(Ec2AnswersTest, OnlyInterfacesInASubnetOfACloudCount) {
  EXPECT_EQ(LabelsWith(Interface("0", "fd00::1"), "").count("ipv6_addresses"), 0u);
  EXPECT_EQ(LabelsWith(Interface("0", "fd00::1", "")).count("ipv6_addresses"), 0u);
  EXPECT_EQ(LabelsWith(Interface("0", "")).count("ipv6_addresses"), 0u);
  EXPECT_EQ(LabelsWith(Interface("0", "fd00::1"), "").count("subnet_id"), 0u);
  EXPECT_EQ(LabelsWith(Interface("0", "", "") + Interface("1", "", "t")).at("subnet_id"), ",t,");
}

TEST(Ec2AnswersTest, WithoutAPublicAddressThereIsNoPublicName) {
  EXPECT_EQ(LabelsWith("", "<dnsName>d</dnsName>").count("public_dns_name"), 0u);
  EXPECT_EQ(LabelsWith("", "<dnsName>d</dnsName><ipAddress>1.2.3.4</ipAddress>")["public_dns_name"],
            "d");
}

TEST(Ec2AnswersTest, AnOwnerIsThatOfItsReservation) {
  const std::string instance =
      "<instancesSet><item><privateIpAddress>10.0.0.1</privateIpAddress></item></instancesSet>";
  const auto groups =
      Ec2TargetsOf(PageOf("<item><ownerId>1</ownerId>" + instance + "</item><item>" + instance +
                          "</item><item>" + instance + "<ownerId>3</ownerId></item>"));
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(Ec2LabelsOf(groups[0])["owner_id"], "1");
  EXPECT_EQ(Ec2LabelsOf(groups[1])["owner_id"], "");
  EXPECT_EQ(Ec2LabelsOf(groups[2])["owner_id"], "3");
}

TEST(Ec2AnswersTest, AZoneNeedsNameAndId) {
  const auto zones = ReadEc2Zones(
      "<DescribeAvailabilityZonesResponse><availabilityZoneInfo>"
      "<item><zoneId>i1</zoneId></item><item><zoneName>n2</zoneName></item>"
      "<item><zoneId>i3</zoneId><zoneName>n3</zoneName></item>"
      "<item><zoneName>n4</zoneName><zoneId>i4</zoneId></item>"
      "</availabilityZoneInfo></DescribeAvailabilityZonesResponse>");
  ASSERT_TRUE(zones.ok()) << zones.status();
  EXPECT_EQ(*zones, (Ec2Zones{{"n3", "i3"}, {"n4", "i4"}}));
}

TEST(Ec2AnswersTest, OfSeveralErrorsTheFirstIsTold) {
  EXPECT_EQ(Ec2Refusal("<Response><Errors><Error><Code>A</Code><Message>a</Message></Error>"
                       "<Error><Code>B</Code><Message>b</Message></Error></Errors></Response>"),
            "A: a");
  EXPECT_EQ(Ec2Refusal("<Response><Errors><Error><Message>a</Message></Error></Errors></Response>"),
            "");
}

TEST(Ec2AnswersTest, ALongNameIsCut) {
  EXPECT_EQ(Message(ReadEc2Page("<" + std::string(101, 'x') + "/>").status()),
            "the answer is \"" + std::string(100, 'x') + "\", not DescribeInstancesResponse");
}

// Elements without any text take more than their bytes.
TEST(Ec2AnswersTest, WhatHasNoMemoryIsRefused) {
  std::string items;
  for (int i = 0; i < 100'000; ++i) items += "<item/>";
  const std::string page = PageOf(Reservation(items));
  MemoryBudget::OfProcess().set_max_bytes(uint64_t{96} << 20);
  const auto read = ReadEc2Page(page);
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kUnavailable) << read.status();
}

}  // namespace
}  // namespace lockstep::scrape
