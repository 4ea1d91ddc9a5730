#include <curl/curl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/write/ingest_testing.h"
#include "scrape/config/scrape_config_file.h"
#include "scrape/scrape_task.h"
#include "tests/scripted_server.h"

namespace lockstep::scrape {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// One target whose job has the keys of a test. The store answers when the test wants.
class ScrapeRequestTest : public testing::Test {
 protected:
  Assignment Configured(const std::string& keys) {
    const auto configs = ParseScrapeConfigs(
        absl::StrFormat("scrape_configs:\n- {job_name: j, static_configs: [{targets: ['%s']}], "
                        "%s}\n",
                        server_.address(), keys),
        "/a.yml");
    EXPECT_TRUE(configs.ok()) << configs.status();
    const auto config = std::make_shared<const ScrapeConfig>(configs->front());
    return {MakeTargets(config, config->static_groups).active.at(0), state_};
  }

  void Begin(const std::string& keys = "") {
    task_.emplace(Configured(keys), sink_, 0);
    server_.SetPages({"a 1\n"});
  }

  // Scrapes at `now_ms`; whether anything was asked.
  bool ScrapeAt(int64_t now_ms) {
    written_.clear();
    CURL* const handle = task_->Start(now_ms);
    if (handle == nullptr) return false;
    EXPECT_TRUE(task_->is_scraping());
    task_->Finish(curl_easy_perform(handle));
    EXPECT_FALSE(task_->is_scraping());
    return true;
  }
  bool Scrape() { return ScrapeAt(task_->schedule().due_ms()); }

  const KnowsOne storage_{LabelSet::Of({{"__name__", "none"}})};
  ScriptedServer server_;
  std::map<std::string, Sample> written_;  // by name
  std::vector<MetadataEntry> metadata_;    // of the last write
  bool store_answers_ = true;
  std::vector<Ingester::Done> unanswered_;
  ScrapeSink sink_{storage_, [this](DecodedWrite write, Ingester::Done done) {
                     metadata_ = write.metadata;
                     for (const SeriesWrite& series : write.request.series) {
                       written_[std::string(series.labels.Get(kMetricName))] = series.samples.at(0);
                     }
                     if (store_answers_) return done(WriteSummary{});
                     unanswered_.push_back(std::move(done));
                   }};
  std::shared_ptr<TargetState> state_ = std::make_shared<TargetState>();
  std::optional<ScrapeTask> task_;
};

// The header is Prometheus' for these protocols.
TEST_F(ScrapeRequestTest, AsksForTheFormatsInOrderOfPreference) {
  Begin();
  ASSERT_TRUE(Scrape());
  EXPECT_THAT(
      server_.requests().at(0),
      HasSubstr("\r\nAccept: application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
                "application/openmetrics-text;version=0.0.1;q=0.5,"
                "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
                "text/plain;version=0.0.4;q=0.3,*/*;q=0.2\r\n"));
  Begin("scrape_protocols: [PrometheusText0.0.4, PrometheusProto]");
  ASSERT_TRUE(Scrape());
  EXPECT_THAT(
      server_.requests().at(0),
      HasSubstr("\r\nAccept: text/plain;version=0.0.4;q=0.6,application/vnd.google.protobuf;"
                "proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.5,*/*;q=0.4\r\n"));
}

TEST_F(ScrapeRequestTest, TheRequestIsAsConfigured) {
  Begin("scrape_interval: 5s, scrape_timeout: 2500ms, metrics_path: /m, bearer_token: t");
  ASSERT_TRUE(Scrape());
  const std::string request = server_.requests().at(0);
  EXPECT_THAT(request, testing::StartsWith("GET /m HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nX-Prometheus-Scrape-Timeout-Seconds: 2.5\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAuthorization: Bearer t\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAccept-Encoding: gzip\r\n"));
  Begin("enable_compression: false");
  ASSERT_TRUE(Scrape());
  EXPECT_THAT(server_.requests().at(0), Not(HasSubstr("Accept-Encoding")));
}

TEST_F(ScrapeRequestTest, SamplesHaveTheTimeAtWhichTheScrapeWasDue) {
  Begin("scrape_interval: 10s");
  const int64_t due_ms = task_->schedule().due_ms();
  ASSERT_TRUE(ScrapeAt(due_ms + 1));
  for (const auto& [name, sample] : written_) EXPECT_EQ(sample.timestamp_ms, due_ms) << name;
  EXPECT_EQ(state_->Get().time_ms, due_ms);
  EXPECT_EQ(task_->schedule().due_ms(), due_ms + 10'000);
}

TEST_F(ScrapeRequestTest, SaysHowLongItTook) {
  Begin();
  ASSERT_TRUE(Scrape());
  const double seconds = written_.at("scrape_duration_seconds").value;
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 600);
  EXPECT_EQ(state_->Get().duration_seconds, seconds);
}

TEST_F(ScrapeRequestTest, AScrapeIsSkippedWhileTheOneBeforeIsBeingStored) {
  Begin("scrape_interval: 10s");
  store_answers_ = false;
  ASSERT_TRUE(Scrape());
  const int64_t due_ms = task_->schedule().due_ms();
  EXPECT_FALSE(Scrape());
  EXPECT_FALSE(task_->is_scraping());
  EXPECT_THAT(written_, IsEmpty());
  EXPECT_EQ(sink_.counters().skipped_scrapes, 1u);
  EXPECT_EQ(sink_.counters().scrapes, 1u);
  EXPECT_EQ(task_->schedule().due_ms(), due_ms + 10'000);
  unanswered_.at(0)(WriteSummary{});
  store_answers_ = true;
  EXPECT_TRUE(Scrape());
  EXPECT_EQ(sink_.counters().skipped_scrapes, 1u);
  EXPECT_EQ(server_.requests().size(), 2u);
}

TEST_F(ScrapeRequestTest, ATargetThatIsRefusedIsDownAndNotAsked) {
  Assignment assignment = Configured("");
  Target refused = *assignment.target;
  refused.refusal = "too many";
  assignment.target = std::make_shared<const Target>(refused);
  server_.SetPages({"a 1\n"});
  task_.emplace(assignment, sink_, 0);
  EXPECT_FALSE(Scrape());
  EXPECT_THAT(server_.requests(), IsEmpty());
  EXPECT_EQ(written_.at("up").value, 0);
  EXPECT_EQ(state_->Get().health, Health::kDown);
  EXPECT_EQ(state_->Get().error, "too many");
  EXPECT_EQ(sink_.counters().failed_scrapes, 1u);
}

TEST_F(ScrapeRequestTest, ASecretThatCannotBeReadIsAFailedScrape) {
  Begin("bearer_token_file: no-such-file");
  EXPECT_FALSE(Scrape());
  EXPECT_FALSE(task_->is_scraping());
  EXPECT_EQ(state_->Get().error, "cannot read \"/no-such-file\"");
}

TEST_F(ScrapeRequestTest, CountsWhatItReads) {
  Begin("metric_relabel_configs: [{source_labels: [__name__], regex: b, action: drop}]");
  server_.SetPages({"a 1\nb 2\nc 3\n", "a 1\n"});
  ASSERT_TRUE(Scrape());
  EXPECT_EQ(written_.at("scrape_samples_scraped").value, 3);
  EXPECT_EQ(written_.at("scrape_samples_post_metric_relabeling").value, 2);
  EXPECT_EQ(written_.at("scrape_series_added").value, 2);
  ASSERT_TRUE(Scrape());
  EXPECT_EQ(sink_.counters().scrapes, 2u);
  EXPECT_EQ(sink_.counters().failed_scrapes, 0u);
  EXPECT_EQ(sink_.counters().body_bytes, 16u);
  EXPECT_EQ(sink_.counters().samples, 4u);
  EXPECT_EQ(sink_.counters().kept_samples, 3u);
  EXPECT_EQ(sink_.counters().stale_markers, 1u);
}

TEST_F(ScrapeRequestTest, ABodyOfAnUnknownTypeIsAFailedScrape) {
  Begin();
  server_.SetAnswers({AnsweringServer::Page("200 OK", "<html>", "text/html")});
  ASSERT_TRUE(Scrape());
  EXPECT_EQ(state_->Get().error,
            "the response's Content-Type is \"text/html\", and there is no "
            "fallback_scrape_protocol");
  EXPECT_EQ(sink_.counters().body_bytes, 0u);
}

TEST_F(ScrapeRequestTest, MetadataIsSentWhenItIsNew) {
  Begin();
  server_.SetPages({"# HELP a x\na 1\n", "# HELP a x\na 1\n", "# HELP a y\nno line\n"});
  Scrape();
  ASSERT_EQ(metadata_.size(), 1u);
  EXPECT_EQ(metadata_[0].metadata.help, "x");
  Scrape();
  EXPECT_THAT(metadata_, IsEmpty());
  // It is valid even in a body that is not.
  Scrape();
  EXPECT_EQ(written_.at("up").value, 0);
  ASSERT_EQ(metadata_.size(), 1u);
  EXPECT_EQ(metadata_[0].metadata.help, "y");
}

TEST_F(ScrapeRequestTest, MetadataOutlivesATargetThatIsAway) {
  Begin();
  server_.SetAnswers({ScriptedServer::Ok("# HELP a x\na 1\n"), AnsweringServer::Page("503 x", "")});
  for (int i = 0; i < 3; ++i) Scrape();
  EXPECT_EQ(state_->metadata().List("").size(), 1u);
}

TEST_F(ScrapeRequestTest, ARetiredTargetEndsAfterItsLastSample) {
  Begin("scrape_interval: 10s");
  ASSERT_TRUE(Scrape());
  const int64_t last_ms = state_->Get().time_ms;
  written_.clear();
  task_->Retire(last_ms - 5);  // the clock was set back
  EXPECT_EQ(written_.size(), 6u);
  for (const auto& [name, sample] : written_) {
    EXPECT_TRUE(IsStaleNan(sample.value)) << name;
    EXPECT_EQ(sample.timestamp_ms, last_ms + 1) << name;
  }
  EXPECT_EQ(sink_.counters().stale_markers, 6u);

  Begin("scrape_interval: 10s");
  ASSERT_TRUE(Scrape());
  task_->Retire(last_ms + 7'000);
  EXPECT_EQ(written_.at("a").timestamp_ms, last_ms + 7'000);
}

TEST_F(ScrapeRequestTest, AnotherIntervalIsAnotherSchedule) {
  Begin("scrape_interval: 10s");
  const int64_t due_ms = task_->schedule().due_ms();
  task_->Reassign(Configured("scrape_interval: 10s"), due_ms + 30'000);
  EXPECT_EQ(task_->schedule().due_ms(), due_ms);
  task_->Reassign(Configured("scrape_interval: 20s"), due_ms + 30'000);
  EXPECT_GT(task_->schedule().due_ms(), due_ms + 30'000);
  EXPECT_LE(task_->schedule().due_ms(), due_ms + 50'000);
}

TEST_F(ScrapeRequestTest, AnotherConfigurationIsUsedFromTheNextScrapeOn) {
  Begin("");
  ASSERT_TRUE(Scrape());
  task_->Reassign(
      Configured("metric_relabel_configs: [{source_labels: [__name__], regex: a, action: drop}]"),
      0);
  ASSERT_TRUE(Scrape());
  EXPECT_TRUE(IsStaleNan(written_.at("a").value));
  EXPECT_EQ(written_.at("scrape_samples_post_metric_relabeling").value, 0);
}

TEST_F(ScrapeRequestTest, TheSameConfigurationKeepsWhatSeriesMean) {
  Begin("");
  ASSERT_TRUE(Scrape());
  const Assignment same = Configured("");
  task_->Reassign(same, 0);
  ASSERT_TRUE(Scrape());
  EXPECT_EQ(written_.at("scrape_series_added").value, 1);
  task_->Reassign(same, 0);
  ASSERT_TRUE(Scrape());
  EXPECT_EQ(written_.at("scrape_series_added").value, 0);
}

}  // namespace
}  // namespace lockstep::scrape
