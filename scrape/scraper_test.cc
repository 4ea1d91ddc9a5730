#include "scrape/scraper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/mutex.h"
#include "ingest/write/ingest_testing.h"
#include "scrape/config/scrape_config_file.h"
#include "tests/support/answering_server.h"

namespace lockstep::scrape {
namespace {

using testing::IsEmpty;

// A store that keeps the last value of each series, and a server that answers each path with a
// sample of that name.
class ScraperTest : public testing::Test {
 protected:
  ~ScraperTest() override { scraper_.Stop(); }

  void Start() {
    scraper_.Start(storage_, [this](DecodedWrite write, Ingester::Done done) {
      {
        const MutexLock lock(mutex_);
        for (const SeriesWrite& series : write.request.series) {
          values_[series.labels.ToString()] = series.samples.at(0).value;
        }
        changed_.NotifyAll();
      }
      done(WriteSummary{});
    });
  }

  // Jobs of these names, each with a target whose path is the name and with the other keys.
  std::vector<ScrapeConfig> Jobs(const std::vector<std::string>& names,
                                 const std::string& keys = "") const {
    std::string yaml = "scrape_configs:\n";
    for (const std::string& name : names) {
      absl::StrAppendFormat(&yaml,
                            "- {job_name: %s, metrics_path: /%s, scrape_interval: 50ms, "
                            "static_configs: [{targets: ['%s']}], %s}\n",
                            name, name, server_.address(), keys);
    }
    auto configs = ParseScrapeConfigs(yaml, "/a.yml");
    EXPECT_TRUE(configs.ok()) << configs.status();
    return *std::move(configs);
  }

  std::string SeriesOf(const std::string& job, const std::string& name) const {
    return absl::StrFormat("%s{instance=\"%s\", job=\"%s\"}", name, server_.address(), job);
  }

  // Waits until the series has a value, or a marker of its end.
  void Await(const std::string& series, bool is_stale = false) {
    const MutexLock lock(mutex_);
    while (!values_.contains(series) || IsStaleNan(values_[series]) != is_stale) {
      changed_.Wait(mutex_);
    }
  }

  bool IsStale(const std::string& series) {
    const MutexLock lock(mutex_);
    return values_.contains(series) && IsStaleNan(values_[series]);
  }

  // Waits until the targets of that many configurations have been found.
  void AwaitPools(size_t count) const {
    while (scraper_.pools().size() != count) std::this_thread::yield();
  }

  AnsweringServer server_{[](std::string_view request) {
    const size_t begin = request.find('/') + 1;
    return AnsweringServer::Page(
        "200 OK", std::string(request.substr(begin, request.find(' ', begin) - begin)) + " 1\n");
  }};
  const KnowsOne storage_{LabelSet::Of({{"__name__", "none"}})};
  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, double> values_ LOCKSTEP_GUARDED_BY(mutex_);
  Scraper scraper_;
};

TEST_F(ScraperTest, ScrapesTheTargetsOfAllJobs) {
  scraper_.Configure(Jobs({"b", "a"}));
  Start();
  Await(SeriesOf("a", "a"));
  Await(SeriesOf("b", "b"));
  Await(SeriesOf("b", "up"));
  const std::vector<Pool> pools = scraper_.pools();
  ASSERT_EQ(pools.size(), 2u);
  EXPECT_EQ(pools[0].job_name, "a");
  EXPECT_EQ(pools[1].job_name, "b");
  EXPECT_EQ(pools[0].config->job_name, "a");
  ASSERT_EQ(pools[0].active.size(), 1u);
  EXPECT_EQ(pools[0].active[0].target->url, "http://" + server_.address() + "/a");
  EXPECT_EQ(pools[0].active[0].state->Get().health, Health::kUp);
  const ScrapeStats stats = scraper_.stats();
  EXPECT_EQ(stats.jobs, 2u);
  EXPECT_EQ(stats.active_targets, 2u);
  EXPECT_EQ(stats.dropped_targets, 0u);
  EXPECT_EQ(stats.reloads, 1u);
  EXPECT_EQ(stats.failed_discoveries, 0u);
  EXPECT_GE(stats.scrapes, 2u);
  EXPECT_GE(stats.samples, 2u);
}

TEST_F(ScraperTest, ManyTargetsOfAJobAreAllScraped) {
  std::vector<ScrapeConfig> jobs = Jobs({"a"});
  jobs[0].static_groups.clear();
  for (int i = 0; i < 20; ++i) {
    TargetGroup group;
    group.addresses = {server_.address()};
    const std::string number = std::to_string(i);
    group.labels = LabelSet::Of({{"instance", number}});
    jobs[0].static_groups.push_back(std::move(group));
  }
  scraper_.Configure(std::move(jobs));
  Start();
  for (int i = 0; i < 20; ++i) Await(absl::StrFormat("a{instance=\"%d\", job=\"a\"}", i));
}

TEST_F(ScraperTest, ATargetIsScrapedAgainAndAgain) {
  scraper_.Configure(Jobs({"a"}));
  Start();
  while (scraper_.stats().scrapes < 3) std::this_thread::yield();
}

TEST_F(ScraperTest, TheEndOfScrapingMarksEverythingStale) {
  scraper_.Configure(Jobs({"a", "b"}));
  Start();
  Await(SeriesOf("a", "a"));
  Await(SeriesOf("b", "b"));
  scraper_.Stop();
  for (const char* job : {"a", "b"}) {
    EXPECT_TRUE(IsStale(SeriesOf(job, job))) << job;
    EXPECT_TRUE(IsStale(SeriesOf(job, "up"))) << job;
  }
  // Once more is harmless.
  scraper_.Stop();
}

TEST_F(ScraperTest, ATargetThatGoesIsMarkedStaleAndTheOthersGoOn) {
  scraper_.Configure(Jobs({"a", "b"}));
  Start();
  Await(SeriesOf("a", "a"));
  Await(SeriesOf("b", "b"));
  const auto state = scraper_.pools().at(1).active.at(0).state;
  scraper_.Configure(Jobs({"b"}));
  Await(SeriesOf("a", "a"), true);
  Await(SeriesOf("a", "up"), true);
  EXPECT_FALSE(IsStale(SeriesOf("b", "b")));
  AwaitPools(1);
  const std::vector<Pool> pools = scraper_.pools();
  // Its state goes on.
  EXPECT_EQ(pools[0].active.at(0).state, state);
  EXPECT_EQ(scraper_.stats().reloads, 2u);
  const uint64_t before = scraper_.stats().scrapes;
  while (scraper_.stats().scrapes < before + 2) std::this_thread::yield();
}

TEST_F(ScraperTest, AJobThatIsNewIsScrapedToo) {
  Start();
  scraper_.Configure(Jobs({"a"}));
  Await(SeriesOf("a", "a"));
  scraper_.Configure(Jobs({"a", "b"}));
  Await(SeriesOf("b", "b"));
  EXPECT_EQ(scraper_.stats().jobs, 2u);
}

TEST_F(ScraperTest, WhatRelabellingDropsIsKnown) {
  scraper_.Configure(Jobs({"a"},
                          "relabel_configs: [{source_labels: [job], regex: a, "
                          "action: drop}]"));
  Start();
  AwaitPools(1);
  const std::vector<Pool> pools = scraper_.pools();
  EXPECT_THAT(pools[0].active, IsEmpty());
  ASSERT_EQ(pools[0].dropped.size(), 1u);
  EXPECT_EQ(pools[0].dropped[0].Get("__address__"), server_.address());
  EXPECT_EQ(pools[0].dropped_count, 1u);
  EXPECT_EQ(scraper_.stats().dropped_targets, 1u);
  EXPECT_EQ(scraper_.stats().active_targets, 0u);
}

TEST_F(ScraperTest, ALookUpThatFailsIsCounted) {
  scraper_.Configure(Jobs({"a"}, "file_sd_configs: [{files: [no-such-file.json]}]"));
  Start();
  AwaitPools(1);
  EXPECT_EQ(scraper_.stats().failed_discoveries, 1u);
}

TEST_F(ScraperTest, TargetsWithoutMemoryAreLeftOut) {
  std::vector<ScrapeConfig> jobs = Jobs({"a"});
  // Long enough that none is due.
  jobs[0].interval = milliseconds(1'000'000'000);
  for (int i = 0; i < 1'000; ++i) {
    jobs[0].static_groups[0].addresses.push_back(absl::StrFormat("127.0.0.1:%d", i + 1));
  }
  MemoryBudget::OfProcess().set_max_bytes(8 << 20);
  scraper_.Configure(std::move(jobs));
  Start();
  AwaitPools(1);
  MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit);
  const size_t count = scraper_.pools()[0].active.size();
  EXPECT_GT(count, 0u);
  EXPECT_LT(count, 1'000u);
  // What a target takes: at least 8 KiB.
  const MemoryBudgetStats stats = MemoryBudget::OfProcess().stats();
  EXPECT_GE(stats.accounts[static_cast<size_t>(MemoryAccount::kScrapes)].held_bytes, count << 13);
}

TEST(ScraperLifeTest, WithoutAStartThereIsNothing) {
  Scraper scraper;
  scraper.Configure({});
  scraper.Stop();
  EXPECT_THAT(scraper.pools(), IsEmpty());
  EXPECT_EQ(scraper.stats().scrapes, 0u);
  EXPECT_EQ(scraper.stats().reloads, 0u);
}

}  // namespace
}  // namespace lockstep::scrape
