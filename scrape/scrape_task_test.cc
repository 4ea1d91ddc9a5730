#include "scrape/scrape_task.h"

#include <curl/curl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/mutex.h"
#include "scrape/config/scrape_config_file.h"
#include "tests/memory_storage.h"
#include "tests/support/answering_server.h"

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kBad = "500 Internal Server Error";

// A target that answers with the pages that a test gives it.
class ScrapeTaskTest : public testing::Test {
 protected:
  ScrapeTaskTest() {
    const auto configs = ParseScrapeConfigs(
        absl::StrFormat("scrape_configs:\n- {job_name: j, scrape_interval: 10s, "
                        "body_size_limit: 1KB, static_configs: [{targets: ['%s']}]}\n",
                        server_.address()),
        "/a.yml");
    EXPECT_TRUE(configs.ok()) << configs.status();
    const auto config = std::make_shared<const ScrapeConfig>(configs->front());
    const TargetList list = MakeTargets(config, config->static_groups);
    task_.emplace(Assignment{list.active.at(0), state_}, sink_, 0);
  }

  // Scrapes once. What was written then, as "name value", without how long it took; "stale" for
  // markers.
  std::vector<std::string> Scrape(const char* status, std::string body) {
    {
      const MutexLock lock(mutex_);
      page_ = AnsweringServer::Page(status, body);
    }
    written_.clear();
    CURL* const handle = task_->Start(task_->schedule().due_ms());
    if (handle != nullptr) task_->Finish(curl_easy_perform(handle));
    return written_;
  }

  void Take(const DecodedWrite& write) {
    for (const SeriesWrite& series : write.request.series) {
      const std::string_view name = series.labels.Get(kMetricName);
      if (name == "scrape_duration_seconds") continue;
      for (const Sample& sample : series.samples) {
        written_.push_back(IsStaleNan(sample.value) ? absl::StrFormat("%s stale", name)
                                                    : absl::StrFormat("%s %g", name, sample.value));
      }
    }
    std::ranges::sort(written_);
  }

  Mutex mutex_;
  std::string page_ LOCKSTEP_GUARDED_BY(mutex_);
  AnsweringServer server_{[this](std::string_view) {
    const MutexLock lock(mutex_);
    return page_;
  }};
  MemoryStorage storage_;
  std::vector<std::string> written_;
  ScrapeSink sink_{storage_, [this](DecodedWrite write, Ingester::Done done) {
                     Take(write);
                     done(WriteSummary{});
                   }};
  std::shared_ptr<TargetState> state_ = std::make_shared<TargetState>();
  std::optional<ScrapeTask> task_;
};

std::vector<std::string> Report(int up, int samples, int added) {
  return {absl::StrFormat("scrape_samples_post_metric_relabeling %d", samples),
          absl::StrFormat("scrape_samples_scraped %d", samples),
          absl::StrFormat("scrape_series_added %d", added), absl::StrFormat("up %d", up)};
}

std::vector<std::string> Sorted(std::vector<std::string> all, std::vector<std::string> more) {
  all.insert(all.end(), more.begin(), more.end());
  std::ranges::sort(all);
  return all;
}

TEST_F(ScrapeTaskTest, StoresWhatTheTargetSaysAndHowTheScrapeWent) {
  EXPECT_EQ(Scrape("200 OK", "a 1\nb 2\n"), Sorted({"a 1", "b 2"}, Report(1, 2, 2)));
  EXPECT_EQ(Scrape("200 OK", "a 3\nc 4\n"), Sorted({"a 3", "b stale", "c 4"}, Report(1, 2, 1)));
  EXPECT_EQ(state_->Get().health, Health::kUp);
  EXPECT_EQ(sink_.counters().stale_markers, 1u);
}

// Nothing of a scrape that fails is stored, not then and not with the next one; what was there is
// stale.
TEST_F(ScrapeTaskTest, NothingOfAFailedScrapeIsStored) {
  const std::vector<std::pair<const char*, std::string>> failures = {
      {"200 OK", "a 7\nnew 8\nthis is no line\n"},
      {"200 OK", "a 7\n" + std::string(2000, '#')},
      {kBad, "a 7\n"},
  };
  for (const auto& [status, body] : failures) {
    Scrape("200 OK", "a 1\nb 2\n");
    const std::vector<std::string> failed = Scrape(status, body);
    EXPECT_THAT(failed, testing::IsSupersetOf({"a stale", "b stale", "up 0"})) << body;
    EXPECT_THAT(failed, testing::Not(testing::Contains("a 7"))) << body;
    EXPECT_THAT(failed, testing::Not(testing::Contains("new 8"))) << body;
    EXPECT_EQ(state_->Get().health, Health::kDown);
    EXPECT_NE(state_->Get().error, "");
    // Nothing is stale twice.
    EXPECT_THAT(Scrape(kBad, ""), testing::Not(testing::Contains("a stale"))) << body;
    const std::vector<std::string> next = Scrape("200 OK", "a 5\n");
    EXPECT_THAT(next, testing::IsSupersetOf({"a 5", "up 1", "scrape_samples_scraped 1"})) << body;
    EXPECT_EQ(next.size(), 5u) << body;
    EXPECT_EQ(state_->Get().health, Health::kUp);
    EXPECT_EQ(state_->Get().error, "");
  }
  EXPECT_EQ(sink_.counters().failed_scrapes, 6u);
}

TEST_F(ScrapeTaskTest, AnAnswerWithoutALineIsGood) {
  EXPECT_EQ(Scrape("200 OK", ""), Report(1, 0, 0));
}

TEST_F(ScrapeTaskTest, ATargetThatIsGoneLeavesMarkersOnly) {
  Scrape("200 OK", "a 1\n");
  written_.clear();
  task_->Retire(1);
  EXPECT_THAT(written_,
              ElementsAre("a stale", "scrape_samples_post_metric_relabeling stale",
                          "scrape_samples_scraped stale", "scrape_series_added stale", "up stale"));
}

TEST_F(ScrapeTaskTest, ATargetThatWasNeverAskedLeavesNothing) {
  task_->Retire(1);
  EXPECT_THAT(written_, IsEmpty());
}

// libcurl reads both files before it sends anything, so the error shows whether it got their names.
TEST_F(ScrapeTaskTest, AClientCertificateIsShown) {
  const auto error_with = [this](TlsClientConfig tls) {
    HttpFetch fetch;
    FetchOptions options;
    options.url = "https://" + server_.address() + "/";
    options.timeout = milliseconds(30'000);
    options.http.tls = std::move(tls);
    return std::string(fetch.Send(options).message());
  };
  EXPECT_THAT(error_with({}), testing::Not(testing::HasSubstr("certificate")));
  TlsClientConfig shown;
  shown.cert_file = "no-such-certificate";
  shown.key_file = "no-such-key";
  EXPECT_THAT(error_with(shown), testing::HasSubstr("no-such-certificate"));
}

}  // namespace
}  // namespace lockstep::scrape
