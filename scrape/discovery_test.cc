#include "scrape/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "absl/strings/str_format.h"
#include "scrape/config/scrape_config.h"
#include "tests/scripted_server.h"
#include "tests/support/test_folder.h"

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;

class DiscoveryTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() + "/" + name) << text;
  }

  static std::vector<std::string> Addresses(const Discovery& discovery) {
    std::vector<std::string> addresses;
    for (const TargetGroup& group : discovery.groups()) {
      addresses.insert(addresses.end(), group.addresses.begin(), group.addresses.end());
    }
    return addresses;
  }

  const TestFolder folder_;
};

TEST_F(DiscoveryTest, FollowsFiles) {
  ScrapeConfig config;
  config.static_groups = {{"static", {"s:1"}, {}}};
  config.files = {{{folder_.path() + "/t*.json", folder_.path() + "/one.yml"}}};
  Discovery discovery("job", std::make_shared<const ScrapeConfig>(config));
  Write("t1.json", R"([{"targets": ["a:1"], "labels": {"x": "y"}}])");
  Write("u1.json", R"([{"targets": ["never:1"]}])");
  EXPECT_TRUE(discovery.Refresh(0));
  EXPECT_THAT(Addresses(discovery), ElementsAre("s:1", "a:1"));
  EXPECT_EQ(discovery.groups()[1].labels.ToString(),
            "{__meta_filepath=\"" + folder_.path() + "/t1.json\", x=\"y\"}");
  EXPECT_EQ(discovery.groups()[1].source, folder_.path() + "/t1.json:0");
  EXPECT_EQ(discovery.TakeFailures(), 1u);  // one.yml
  EXPECT_FALSE(discovery.Refresh(0));

  Write("one.yml", "- targets: [o:1]\n");
  Write("t2.json", R"([{"targets": ["b:1"]}])");
  EXPECT_TRUE(discovery.Refresh(0));
  EXPECT_THAT(Addresses(discovery), ElementsAre("s:1", "o:1", "a:1", "b:1"));

  // Invalid input changes nothing.
  Write("t1.json", "[{");
  discovery.TakeFailures();
  EXPECT_FALSE(discovery.Refresh(0));
  EXPECT_EQ(discovery.TakeFailures(), 1u);
  EXPECT_THAT(Addresses(discovery), ElementsAre("s:1", "o:1", "a:1", "b:1"));

  std::filesystem::remove(folder_.path() + "/t1.json");
  EXPECT_TRUE(discovery.Refresh(0));
  EXPECT_THAT(Addresses(discovery), ElementsAre("s:1", "o:1", "b:1"));
}

// Each group has the path, however short it is.
TEST_F(DiscoveryTest, ThePathsOfGroupsTakeMemory) {
  ScrapeConfig config;
  config.files = {{{folder_.path() + "/" + std::string(200, 'n') + ".json"}}};
  Discovery discovery("job", std::make_shared<const ScrapeConfig>(config));
  std::string many = "[{}";
  for (int i = 0; i < 50'000; ++i) many += ",{}";
  Write(std::string(200, 'n') + ".json", many + "]");
  MemoryBudget::OfProcess().set_max_bytes(128 << 20);
  discovery.Refresh(0);
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
  EXPECT_EQ(discovery.TakeFailures(), 1u);
  EXPECT_TRUE(discovery.groups().empty());
}

TEST_F(DiscoveryTest, WhatHasNoMemoryChangesNothing) {
  ScrapeConfig config;
  config.files = {{{folder_.path() + "/t.json"}}};
  Discovery discovery("job", std::make_shared<const ScrapeConfig>(config));
  Write("t.json", R"([{"targets": ["a:1"]}])");
  EXPECT_TRUE(discovery.Refresh(0));
  std::string many = R"([{"targets": ["b:1")";
  for (int i = 0; i < 2000; ++i) many += R"(,"b:1")";
  Write("t.json", many + "]}]");
  MemoryBudget::OfProcess().set_max_bytes(4 << 20);
  EXPECT_FALSE(discovery.Refresh(0));
  EXPECT_EQ(discovery.TakeFailures(), 1u);
  EXPECT_THAT(Addresses(discovery), ElementsAre("a:1"));
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
  EXPECT_TRUE(discovery.Refresh(0));
  EXPECT_EQ(Addresses(discovery).size(), 2001u);
}

TEST_F(DiscoveryTest, AStarStandsForAnyPartOfAName) {
  ScrapeConfig config;
  config.files = {{{folder_.path() + "/ab*ba.json"}}};
  Discovery discovery("job", std::make_shared<const ScrapeConfig>(config));
  Write("abba.json", R"([{"targets": ["none:1"]}])");
  Write("ab-ba.json", R"([{"targets": ["some:1"]}])");
  // Its end and its beginning would overlap.
  Write("aba.json", R"([{"targets": ["overlap:1"]}])");
  Write("ab-ba.json.bak", R"([{"targets": ["end:1"]}])");
  Write("xab-ba.json", R"([{"targets": ["begin:1"]}])");
  discovery.Refresh(0);
  EXPECT_THAT(Addresses(discovery), ElementsAre("some:1", "none:1"));
}

TEST_F(DiscoveryTest, AFileThatIsNamedTwiceCountsOnce) {
  ScrapeConfig config;
  config.files = {{{folder_.path() + "/a.json", folder_.path() + "/*.json"}},
                  {{folder_.path() + "/a*.json"}}};
  Discovery discovery("job", std::make_shared<const ScrapeConfig>(config));
  Write("a.json", R"([{"targets": ["a:1"]}])");
  discovery.Refresh(0);
  EXPECT_THAT(Addresses(discovery), ElementsAre("a:1"));
}

TEST_F(DiscoveryTest, AnotherConfigurationKeepsWhatItsFilesHad) {
  ScrapeConfig config;
  config.files = {{{folder_.path() + "/*.json"}}};
  Write("a.json", R"([{"targets": ["a:1"]}])");
  Write("b.json", R"([{"targets": ["b:1"]}])");
  Discovery before("job", std::make_shared<const ScrapeConfig>(config));
  before.Refresh(0);
  config.files = {{{folder_.path() + "/b.json"}}};
  Discovery discovery("job", std::make_shared<const ScrapeConfig>(config), &before);
  EXPECT_THAT(Addresses(discovery), ElementsAre("a:1", "b:1"));
  EXPECT_TRUE(discovery.Refresh(0));
  EXPECT_THAT(Addresses(discovery), ElementsAre("b:1"));
  EXPECT_FALSE(discovery.Refresh(0));
}

// A source that counts how often it is asked, in a file.
class SlowDiscoveryTest : public DiscoveryTest {
 protected:
  SlurmDiscovery Command(const std::string& script) const {
    SlurmDiscovery slurm;
    slurm.command = {"sh", "-c", absl::StrFormat("echo x >> %s/asked; %s", folder_.path(), script)};
    slurm.port = 1;
    slurm.refresh_interval = milliseconds(10'000);
    return slurm;
  }

  size_t AskedCount() const {
    std::ifstream file(folder_.path() + "/asked");
    size_t count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }

  static std::unique_ptr<Discovery> Finding(const ScrapeConfig& config,
                                            Discovery* before = nullptr) {
    return std::make_unique<Discovery>("job", std::make_shared<const ScrapeConfig>(config), before);
  }
};

TEST_F(SlowDiscoveryTest, ASourceIsAskedOncePerInterval) {
  ScrapeConfig config;
  config.slurm = {Command(absl::StrFormat("cat %s/nodes", folder_.path()))};
  Write("nodes", "NodeName=a\n");
  const auto discovery = Finding(config);
  EXPECT_TRUE(discovery->Refresh(1'000));
  EXPECT_THAT(Addresses(*discovery), ElementsAre("a:1"));
  Write("nodes", "NodeName=b\n");
  EXPECT_FALSE(discovery->Refresh(10'999));
  EXPECT_EQ(AskedCount(), 1u);
  EXPECT_TRUE(discovery->Refresh(11'000));
  EXPECT_EQ(AskedCount(), 2u);
  EXPECT_THAT(Addresses(*discovery), ElementsAre("b:1"));
  // The same answer changes nothing.
  EXPECT_FALSE(discovery->Refresh(21'000));
  EXPECT_EQ(AskedCount(), 3u);
  EXPECT_EQ(discovery->TakeFailures(), 0u);
}

TEST_F(SlowDiscoveryTest, ASourceThatFailsKeepsItsTargets) {
  ScrapeConfig config;
  config.slurm = {Command(absl::StrFormat("cat %s/nodes", folder_.path()))};
  Write("nodes", "NodeName=a\n");
  const auto discovery = Finding(config);
  discovery->Refresh(0);
  std::filesystem::remove(folder_.path() + "/nodes");
  EXPECT_FALSE(discovery->Refresh(10'000));
  EXPECT_FALSE(discovery->Refresh(20'000));
  EXPECT_EQ(discovery->TakeFailures(), 2u);
  EXPECT_EQ(discovery->TakeFailures(), 0u);
  EXPECT_THAT(Addresses(*discovery), ElementsAre("a:1"));
}

TEST_F(SlowDiscoveryTest, AnotherConfigurationKeepsTheSourcesThatStay) {
  ScrapeConfig config;
  config.slurm = {Command("echo NodeName=a"), Command("echo NodeName=b")};
  const auto before = Finding(config);
  before->Refresh(0);
  EXPECT_EQ(AskedCount(), 2u);
  config.slurm = {Command("echo NodeName=b"), Command("echo NodeName=c")};
  const auto discovery = Finding(config, before.get());
  EXPECT_THAT(Addresses(*discovery), ElementsAre("b:1"));
  EXPECT_TRUE(discovery->Refresh(9'999));
  EXPECT_EQ(AskedCount(), 3u);
  EXPECT_THAT(Addresses(*discovery), ElementsAre("b:1", "c:1"));
}

TEST_F(SlowDiscoveryTest, AnAnswerThatTakesLongCountsLater) {
  ScrapeConfig config;
  config.slurm = {Command(absl::StrFormat(
                      "until [ -e %s/go ]; do sleep 0.01; done; echo NodeName=a", folder_.path())),
                  Command("echo NodeName=b")};
  const auto discovery = Finding(config);
  EXPECT_TRUE(discovery->Refresh(0));
  EXPECT_THAT(Addresses(*discovery), ElementsAre("b:1"));
  EXPECT_FALSE(discovery->Refresh(1));
  Write("go", "");
  while (!discovery->Refresh(2)) std::this_thread::yield();
  EXPECT_THAT(Addresses(*discovery), ElementsAre("a:1", "b:1"));
  EXPECT_EQ(AskedCount(), 2u);
}

TEST_F(SlowDiscoveryTest, EveryKindOfSourceIsAsked) {
  ScriptedServer server;
  server.SetPages({"[{targets: [h:1]}]"});
  ScrapeConfig config;
  config.urls.resize(1);
  config.urls[0].url = server.url();
  const auto of_url = Finding(config);
  EXPECT_TRUE(of_url->Refresh(0));
  EXPECT_THAT(Addresses(*of_url), ElementsAre("h:1"));

  server.SetPages(
      {R"({"items": [{"spec": {"containers": [{}]}, "status": {"podIP": "10.0.0.1"}}]})"});
  config = ScrapeConfig();
  config.kubernetes.resize(1);
  config.kubernetes[0].api_server = server.url();
  const auto of_kubernetes = Finding(config);
  of_kubernetes->Refresh(0);
  EXPECT_THAT(Addresses(*of_kubernetes), ElementsAre("10.0.0.1"));

  server.SetPages(
      {"<DescribeAvailabilityZonesResponse/>",
       "<DescribeInstancesResponse><reservationSet><item><instancesSet><item><privateIpAddress>"
       "10.0.0.2</privateIpAddress></item></instancesSet></item></reservationSet>"
       "</DescribeInstancesResponse>"});
  config = ScrapeConfig();
  config.ec2.resize(1);
  config.ec2[0].endpoint = server.url();
  config.ec2[0].region = "r";
  config.ec2[0].access_key = "a";
  config.ec2[0].secret_key = "s";
  const auto of_ec2 = Finding(config);
  of_ec2->Refresh(0);
  EXPECT_THAT(Addresses(*of_ec2), ElementsAre("10.0.0.2:80"));
}

// No resolver is asked for such a name.
TEST_F(SlowDiscoveryTest, EveryNameIsASourceOfItsOwn) {
  ScrapeConfig config;
  config.dns.resize(1);
  config.dns[0].type = DnsRecordType::kA;
  config.dns[0].port = 1;
  config.dns[0].names = {"a..b", "c..d"};
  const auto discovery = Finding(config);
  discovery->Refresh(0);
  EXPECT_EQ(discovery->TakeFailures(), 2u);
}

}  // namespace
}  // namespace lockstep::scrape
