#include "scrape/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;

class DiscoveryTest : public testing::Test {
 protected:
  DiscoveryTest() {
    std::string folder = testing::TempDir() + "discovery_XXXXXX";
    folder_ = mkdtemp(folder.data());
  }
  ~DiscoveryTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }

  static std::vector<std::string> Addresses(const Discovery& discovery) {
    std::vector<std::string> addresses;
    for (const TargetGroup& group : discovery.groups()) {
      addresses.insert(addresses.end(), group.addresses.begin(), group.addresses.end());
    }
    return addresses;
  }

  std::string folder_;
};

TEST_F(DiscoveryTest, FollowsFiles) {
  ScrapeConfig config;
  config.static_groups = {{"static", {"s:1"}, {}}};
  config.files = {{{folder_ + "/t*.json", folder_ + "/one.yml"}}};
  Discovery discovery("job", std::make_shared<const ScrapeConfig>(config));
  Write("t1.json", R"([{"targets": ["a:1"], "labels": {"x": "y"}}])");
  Write("u1.json", R"([{"targets": ["never:1"]}])");
  EXPECT_TRUE(discovery.Refresh(0));
  EXPECT_THAT(Addresses(discovery), ElementsAre("s:1", "a:1"));
  EXPECT_EQ(discovery.groups()[1].labels.ToString(),
            "{__meta_filepath=\"" + folder_ + "/t1.json\", x=\"y\"}");
  EXPECT_EQ(discovery.groups()[1].source, folder_ + "/t1.json:0");
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

  std::filesystem::remove(folder_ + "/t1.json");
  EXPECT_TRUE(discovery.Refresh(0));
  EXPECT_THAT(Addresses(discovery), ElementsAre("s:1", "o:1", "b:1"));
}

// Each group has the path, however short it is.
TEST_F(DiscoveryTest, ThePathsOfGroupsTakeMemory) {
  ScrapeConfig config;
  config.files = {{{folder_ + "/" + std::string(200, 'n') + ".json"}}};
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
  config.files = {{{folder_ + "/t.json"}}};
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

}  // namespace
}  // namespace lockstep::scrape
