#include "scrape/body_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_format.h"
#include "ingest/write/ingest_testing.h"
#include "scrape/config/scrape_config_file.h"

namespace lockstep::scrape {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// One target, scraped repeatedly.
class BodyReaderTest : public testing::Test {
 protected:
  // `keys` are the job's YAML keys.
  void Configure(const std::string& keys) {
    const auto configs = ParseScrapeConfigs(
        "scrape_configs:\n- {job_name: j, static_configs: [{targets: ['h:1']}], " + keys + "}\n",
        "/a.yml");
    ASSERT_TRUE(configs.ok()) << configs.status();
    const auto config = std::make_shared<const ScrapeConfig>(configs->front());
    target_ = MakeTargets(config, config->static_groups).active.front();
  }

  // "series value@time" for what a scrape at that time stores, sorted, or its error.
  std::vector<std::string> Scrape(std::string_view text, int64_t timestamp_ms,
                                  BodyFormat format = BodyFormat::kPrometheusText) {
    ScrapeBatch batch;
    counts_ = {};
    series_.Begin();
    status_ = ReadBody({text, format, timestamp_ms}, *target_, series_, metadata_, batch, counts_);
    if (!status_.ok()) batch.Clear();
    const std::vector<KeyedLabels> gone = status_.ok() ? series_.End() : series_.Abandon();
    for (const KeyedLabels& series : gone) batch.AddOwn(series, {timestamp_ms, StaleNan()});
    write_ = batch.Take(storage_);
    std::vector<std::string> stored;
    for (const SeriesWrite& series : write_.request.series) {
      const Sample& sample = series.samples.front();
      const std::string value =
          IsStaleNan(sample.value) ? "stale" : absl::StrFormat("%g", sample.value);
      stored.push_back(
          absl::StrFormat("%s %s@%d", series.labels.ToString(), value, sample.timestamp_ms));
    }
    std::sort(stored.begin(), stored.end());
    return stored;
  }

  std::string Error() const { return std::string(Message(status_)); }

  const KnowsOne storage_{LabelSet::Of({{"__name__", "none"}})};
  std::shared_ptr<const Target> target_;
  TargetSeries series_;
  TargetMetadata metadata_;
  BodyCounts counts_;
  absl::Status status_;
  DecodedWrite write_;
};

// Limits the process's memory budget during a test.
class BoundedMemory {
 public:
  explicit BoundedMemory(uint64_t max_bytes) { MemoryBudget::OfProcess().set_max_bytes(max_bytes); }
  ~BoundedMemory() { MemoryBudget::OfProcess().set_max_bytes(MemoryBudget::kNoLimit); }

  static uint64_t HeldBytes(MemoryAccount account) {
    return MemoryBudget::OfProcess().stats().accounts[static_cast<size_t>(account)].held_bytes;
  }
};

std::string Lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) absl::StrAppendFormat(&text, "a{x=\"%d\"} %d\n", i, i);
  return text;
}

TEST_F(BodyReaderTest, WhatATargetSendsIsTakenFromTheMemory) {
  Configure("");
  const BoundedMemory memory(8 << 20);
  EXPECT_EQ(Scrape(Lines(1000), 1000).size(), 1000u);
  const uint64_t of_series = BoundedMemory::HeldBytes(MemoryAccount::kScrapes);
  EXPECT_GT(of_series, uint64_t{100} << 10);
  EXPECT_GT(BoundedMemory::HeldBytes(MemoryAccount::kDecoding), uint64_t{64} << 10);
  // Samples of known series alone do not fit, nor do so many new series.
  EXPECT_THAT(Scrape(Lines(100'000), 2000), testing::Each(testing::HasSubstr("stale")));
  EXPECT_THAT(Error(), testing::HasSubstr("--memory-limit"));
  write_ = {};
  EXPECT_EQ(BoundedMemory::HeldBytes(MemoryAccount::kDecoding), 0u);
  // The data of the bad body is forgotten.
  EXPECT_EQ(Scrape(Lines(1000), 3000).size(), 1000u);
  EXPECT_LE(BoundedMemory::HeldBytes(MemoryAccount::kScrapes), of_series + (32 << 10));
  EXPECT_EQ(Scrape("", 4000).size(), 1000u);
  EXPECT_LE(BoundedMemory::HeldBytes(MemoryAccount::kScrapes), uint64_t{16} << 10);
}

TEST_F(BodyReaderTest, MetadataIsLeftOutForWantOfMemory) {
  Configure("");
  const BoundedMemory memory(1 << 20);
  std::string text;
  for (int i = 0; i < 20; ++i) {
    absl::StrAppendFormat(&text, "# HELP m%d %s\n", i, std::string(20'000, 'h'));
  }
  EXPECT_THAT(Scrape(text + "a 1\n", 1000), testing::SizeIs(1));
  size_t help_bytes = 0;
  for (const MetadataEntry& entry : metadata_.List("")) help_bytes += entry.metadata.help.size();
  EXPECT_GT(help_bytes, size_t{100'000});
  EXPECT_LT(help_bytes, size_t{256} << 10);
}

TEST_F(BodyReaderTest, AddsTheTargetsLabels) {
  Configure("");
  EXPECT_THAT(Scrape("a{x=\"1\"} 2\na{x=\"2\"} 3 7\n", 1000),
              ElementsAre(R"(a{instance="h:1", job="j", x="1"} 2@1000)",
                          R"(a{instance="h:1", job="j", x="2"} 3@7)"));
  EXPECT_EQ(counts_.samples, 2u);
  EXPECT_EQ(counts_.kept, 2u);
  EXPECT_EQ(counts_.added, 2u);
  Scrape("a{x=\"1\"} 2\n", 2000);
  EXPECT_EQ(counts_.added, 0u);
}

// As in Prometheus' documentation of honor_labels.
TEST_F(BodyReaderTest, LabelsThatCollideAreRenamedOrHonored) {
  const char* const text =
      "a{job=\"own\",exported_instance=\"e\",instance=\"i\"} 1\nb{job=\"\"} 1\n";
  Configure("");
  EXPECT_THAT(
      Scrape(text, 1),
      ElementsAre(R"(a{exported_exported_instance="i", exported_instance="e", exported_job="own", )"
                  R"(instance="h:1", job="j"} 1@1)",
                  R"(b{instance="h:1", job="j"} 1@1)"));
  Configure("honor_labels: true");
  series_.Forget();
  EXPECT_THAT(Scrape(text, 2),
              testing::IsSupersetOf({R"(a{exported_instance="e", instance="i", job="own"} 1@2)",
                                     R"(b{instance="h:1"} 1@2)"}));
}

TEST_F(BodyReaderTest, RulesForSamplesDropAndRewrite) {
  Configure(
      "metric_relabel_configs: [{source_labels: [__name__], regex: 'go_.*', action: drop}, "
      "{regex: pod, action: labeldrop}]");
  EXPECT_THAT(Scrape("go_x 1\na{pod=\"p\"} 2\n", 1),
              ElementsAre(R"(a{instance="h:1", job="j"} 2@1)"));
  EXPECT_EQ(counts_.samples, 2u);
  EXPECT_EQ(counts_.kept, 1u);
  EXPECT_EQ(counts_.added, 1u);
}

TEST_F(BodyReaderTest, TimesMayBeIgnored) {
  Configure("honor_timestamps: false");
  EXPECT_THAT(Scrape("a 1 7\n", 1000), ElementsAre(R"(a{instance="h:1", job="j"} 1@1000)"));
}

TEST_F(BodyReaderTest, SeriesThatAreGoneBecomeStale) {
  Configure("");
  Scrape("a 1\nb 2\nc 3 500\n", 1000);
  // Series with explicit timestamps get no stale markers.
  EXPECT_THAT(Scrape("a 1\n", 2000), ElementsAre(R"(a{instance="h:1", job="j"} 1@2000)",
                                                 R"(b{instance="h:1", job="j"} stale@2000)"));
  EXPECT_THAT(Scrape("a 1\n", 3000), ElementsAre(R"(a{instance="h:1", job="j"} 1@3000)"));
  // The series come back.
  EXPECT_THAT(Scrape("a 1\nb 4\n", 4000), ElementsAre(R"(a{instance="h:1", job="j"} 1@4000)",
                                                      R"(b{instance="h:1", job="j"} 4@4000)"));
  EXPECT_EQ(counts_.added, 1u);
  // The same labels in another order are the same series.
  Scrape("a{x=\"1\",y=\"2\"} 1\n", 5000);
  EXPECT_THAT(Scrape("a{y=\"2\",x=\"1\"} 1\n", 6000),
              ElementsAre(R"(a{instance="h:1", job="j", x="1", y="2"} 1@6000)"));
}

TEST_F(BodyReaderTest, TimesCanBeTracked) {
  Configure("track_timestamps_staleness: true");
  Scrape("c 3 500\n", 1000);
  EXPECT_THAT(Scrape("", 2000), ElementsAre(R"(c{instance="h:1", job="j"} stale@2000)"));
}

TEST_F(BodyReaderTest, ABadBodyStoresNothingAndEndsAllSeries) {
  Configure("");
  Scrape("a 1\nb 2\n", 1000);
  EXPECT_THAT(Scrape("a 1\nb two\n", 2000),
              ElementsAre(R"(a{instance="h:1", job="j"} stale@2000)",
                          R"(b{instance="h:1", job="j"} stale@2000)"));
  EXPECT_EQ(Error(), "line 2: \"two\" is not a number");
  EXPECT_EQ(counts_.samples, 1u);
  EXPECT_THAT(Scrape("a one\n", 3000), IsEmpty());
  // As in Prometheus, known texts do not count as new series.
  EXPECT_EQ(Scrape("a 1\nb 2\n", 4000).size(), 2u);
  EXPECT_EQ(counts_.added, 0u);
}

TEST_F(BodyReaderTest, OfRepeatedSamplesTheFirstCounts) {
  Configure("");
  EXPECT_THAT(Scrape("a 1\na 2\n", 1000), ElementsAre(R"(a{instance="h:1", job="j"} 1@1000)"));
  EXPECT_EQ(Scrape("a 1 5\na 2 6\n", 2000).size(), 2u);
}

TEST_F(BodyReaderTest, LimitsFailTheScrape) {
  struct Row {
    std::string keys;
    std::string_view error;
  };
  for (const Row& row : {
           Row{"sample_limit: 1", "sample_limit exceeded: 2 samples are more than 1"},
           Row{"label_limit: 3",
               "line 1: label_limit exceeded: a{instance=\"h:1\", job=\"j\", "
               "x=\"12345\"} has 4 labels, more than 3"},
           Row{"label_name_length_limit: 7",
               "line 1: label_name_length_limit exceeded: the name "
               "__name__ has 8 bytes, more than 7"},
           Row{"label_value_length_limit: 4",
               "line 1: label_value_length_limit exceeded: the "
               "value of x has 5 bytes, more than 4"},
           Row{"metric_relabel_configs: [{regex: __name__, action: labeldrop}]",
               "line 1: {instance=\"h:1\", job=\"j\", x=\"12345\"}: no metric name (label "
               "\"__name__\")"},
       }) {
    Configure(row.keys);
    series_.Forget();
    EXPECT_THAT(Scrape("a{x=\"12345\"} 1\nb 1\n", 1000), IsEmpty()) << row.keys;
    EXPECT_EQ(Error(), row.error);
  }
  Configure("sample_limit: 2");
  EXPECT_EQ(Scrape("a 1\nb 1\n", 1000).size(), 2u);
}

TEST_F(BodyReaderTest, TakesExemplarsAndMetadata) {
  Configure("");
  Scrape(
      "# TYPE a counter\n# HELP a x\\ny\na_total 1 # {t=\"u\"} 0.5\na_total{x=\"1\"} 1 2 # {} 1 "
      "1.5\n# EOF\n",
      1000, BodyFormat::kOpenMetricsText);
  ASSERT_EQ(write_.exemplars.size(), 2u);
  EXPECT_EQ(write_.exemplars[0].series.ToString(), R"(a_total{instance="h:1", job="j"})");
  EXPECT_EQ(write_.exemplars[0].exemplars[0].labels.ToString(), R"({t="u"})");
  EXPECT_EQ(write_.exemplars[0].exemplars[0].timestamp_ms, 1000);
  EXPECT_EQ(write_.exemplars[1].exemplars[0].timestamp_ms, 1500);
  const std::vector<MetadataEntry> metadata = metadata_.TakeChanges();
  ASSERT_EQ(metadata.size(), 1u);
  EXPECT_EQ(metadata[0].metric, "a");
  EXPECT_EQ(metadata[0].metadata.type, "counter");
  EXPECT_EQ(metadata[0].metadata.help, "x\ny");
  Scrape("# TYPE a counter\n# HELP a x\\ny\na_total 1\n# EOF\n", 2000,
         BodyFormat::kOpenMetricsText);
  EXPECT_THAT(metadata_.TakeChanges(), IsEmpty());
  EXPECT_EQ(metadata_.List("a").size(), 1u);
}

TEST_F(BodyReaderTest, AnotherConfigurationEndsWhatItDrops) {
  Configure("");
  Scrape("a 1\nb 2\n", 1000);
  Configure("metric_relabel_configs: [{source_labels: [__name__], regex: b, action: drop}]");
  series_.Forget();
  EXPECT_THAT(Scrape("a 1\nb 2\n", 2000), ElementsAre(R"(a{instance="h:1", job="j"} 1@2000)",
                                                      R"(b{instance="h:1", job="j"} stale@2000)"));
}

// More than a thousand texts beyond twice those of the last good body are not kept.
TEST_F(BodyReaderTest, OfBadBodiesAThousandNewTextsAreKept) {
  Configure("");
  Scrape(Lines(10), 1000);
  Scrape(Lines(1020) + "bad\n", 2000);
  Scrape(Lines(1020), 3000);
  EXPECT_EQ(counts_.added, 0u);
  Scrape(Lines(10), 4000);
  Scrape(Lines(1021) + "bad\n", 5000);
  Scrape(Lines(1021), 6000);
  EXPECT_EQ(counts_.added, 1021u);
}

TEST_F(BodyReaderTest, AtALimitTheScrapeIsGood) {
  Configure(
      "label_limit: 4, label_name_length_limit: 8, label_value_length_limit: 5, sample_limit: 2");
  EXPECT_EQ(Scrape("a{x=\"12345\"} 1\nb 1\n", 1000).size(), 2u);
  EXPECT_EQ(Error(), "");
}

TEST_F(BodyReaderTest, OnlyKeptSamplesCountForTheLimit) {
  Configure(
      "sample_limit: 1, metric_relabel_configs: [{source_labels: [__name__], regex: b, action: "
      "drop}]");
  EXPECT_EQ(Scrape("a 1\nb 1\n", 1000).size(), 1u);
  EXPECT_EQ(Error(), "");
}

TEST_F(BodyReaderTest, ARepeatedSampleCountsButAddsNothing) {
  Configure("");
  Scrape("a 1\na 2\n", 1000);
  EXPECT_EQ(counts_.samples, 2u);
  EXPECT_EQ(counts_.kept, 2u);
  EXPECT_EQ(counts_.added, 1u);
}

// Like any series with times of its own, it has no marker at its end then.
TEST_F(BodyReaderTest, ASeriesMayGetItsOwnTimesLater) {
  Configure("");
  Scrape("a 1\n", 1000);
  EXPECT_THAT(Scrape("a 2 1500\n", 2000), ElementsAre(R"(a{instance="h:1", job="j"} 2@1500)"));
  EXPECT_THAT(Scrape("", 3000), IsEmpty());
}

TEST_F(BodyReaderTest, AnExemplarWithoutATimeHasThatOfItsSample) {
  Configure("");
  Scrape("# TYPE a counter\na_total 1 2 # {t=\"u\"} 0.5\n# EOF\n", 1000,
         BodyFormat::kOpenMetricsText);
  ASSERT_EQ(write_.exemplars.size(), 1u);
  EXPECT_EQ(write_.exemplars[0].exemplars[0].timestamp_ms, 2000);
  EXPECT_EQ(write_.exemplars[0].exemplars[0].value, 0.5);
  // That of a series that is dropped is dropped.
  Configure("metric_relabel_configs: [{regex: a_total, source_labels: [__name__], action: drop}]");
  series_.Forget();
  Scrape("# TYPE a counter\na_total 1 2 # {t=\"u\"} 0.5\n# EOF\n", 1000,
         BodyFormat::kOpenMetricsText);
  EXPECT_THAT(write_.exemplars, IsEmpty());
}

TEST_F(BodyReaderTest, ABadExemplarIsABadBody) {
  Configure("");
  Scrape("# TYPE a counter\na_total 1 # {t=u} 0.5\n# EOF\n", 1000, BodyFormat::kOpenMetricsText);
  EXPECT_TRUE(Error().starts_with("line 2: ")) << Error();
}

TEST_F(BodyReaderTest, ForgettingGivesTheMemoryBack) {
  Configure("");
  Scrape(Lines(10'000), 1000);
  const uint64_t of_series = BoundedMemory::HeldBytes(MemoryAccount::kScrapes);
  // What is to be marked stale stays until it is.
  series_.Forget();
  EXPECT_EQ(BoundedMemory::HeldBytes(MemoryAccount::kScrapes), of_series);
  EXPECT_EQ(Scrape("", 2000).size(), 10'000u);
  EXPECT_LT(BoundedMemory::HeldBytes(MemoryAccount::kScrapes), uint64_t{64} << 10);

  Scrape(Lines(10'000), 3000);
  series_.Forget();
  EXPECT_EQ(Scrape("bad\n", 4000).size(), 10'000u);
  EXPECT_LT(BoundedMemory::HeldBytes(MemoryAccount::kScrapes), uint64_t{64} << 10);

  // These need no marker.
  Scrape(Lines(100) + "bad\n", 5000);
  std::string timed;
  for (int i = 0; i < 10'000; ++i) absl::StrAppendFormat(&timed, "b{x=\"%d\"} 1 1\n", i);
  Scrape(timed, 6000);
  series_.Forget();
  EXPECT_LT(BoundedMemory::HeldBytes(MemoryAccount::kScrapes), uint64_t{64} << 10);
}

TEST_F(BodyReaderTest, HonoredLabelsAreThoseThatAreThere) {
  Configure("honor_labels: true");
  EXPECT_THAT(Scrape("a{job=\"own\"} 1\na 2\n", 1000),
              ElementsAre(R"(a{instance="h:1", job="j"} 2@1000)",
                          R"(a{instance="h:1", job="own"} 1@1000)"));
}

TEST(FormatOfTest, TheConfiguredFormatIsTheOneOfItsProtocol) {
  ScrapeConfig config;
  for (const auto& [protocol, format] : std::vector<std::pair<ScrapeProtocol, BodyFormat>>{
           {ScrapeProtocol::kPrometheusProto, BodyFormat::kProtobuf},
           {ScrapeProtocol::kOpenMetrics100, BodyFormat::kOpenMetricsText},
           {ScrapeProtocol::kOpenMetrics001, BodyFormat::kOpenMetricsText},
           {ScrapeProtocol::kPrometheusText100, BodyFormat::kPrometheusText},
           {ScrapeProtocol::kPrometheusText004, BodyFormat::kPrometheusText}}) {
    config.fallback_protocol = {protocol};
    EXPECT_EQ(*FormatOf("application/octet-stream", config), format);
  }
  EXPECT_EQ(*FormatOf(" text/plain ", config), BodyFormat::kPrometheusText);
}

TEST(FormatOfTest, IsSaidByTheContentTypeOrTheConfiguration) {
  ScrapeConfig config;
  EXPECT_EQ(*FormatOf("text/plain; version=0.0.4; charset=utf-8", config),
            BodyFormat::kPrometheusText);
  EXPECT_EQ(*FormatOf("Application/OpenMetrics-Text; version=1.0.0", config),
            BodyFormat::kOpenMetricsText);
  EXPECT_EQ(
      Message(FormatOf("text/html", config).status()),
      "the response's Content-Type is \"text/html\", and there is no fallback_scrape_protocol");
  EXPECT_FALSE(FormatOf("", config).ok());
  EXPECT_EQ(*FormatOf("application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
                      "encoding=delimited",
                      config),
            BodyFormat::kProtobuf);
  config.fallback_protocol = {ScrapeProtocol::kPrometheusText004};
  EXPECT_EQ(*FormatOf("", config), BodyFormat::kPrometheusText);
}

}  // namespace
}  // namespace lockstep::scrape
