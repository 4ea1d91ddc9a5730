#include "ingest/otlp/translate/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"
#include "base/text/float_format.h"

namespace lockstep::otlp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kNsPerMs = 1'000'000;

// Translates points of one metric, of service "s" on instance "i" by default.
class TranslatorTest : public testing::Test {
 protected:
  TranslatorTest() {
    resource_.Add("service.name", "s");
    resource_.Add("service.instance.id", "i");
  }

  // Translates the points.
  template <typename... Points>
  DecodedWrite Translate(const MetricHeader& metric, Points&&... points) {
    DeltaTotals::Change deltas(deltas_);
    Translator translator(translation_, limits_, &deltas);
    translator.BeginResource(resource_);
    translator.BeginScope(scope_);
    translator.BeginMetric(metric);
    (translator.Add(std::move(points)), ...);
    translator.EndResource();
    deltas.Commit();
    auto decoded = translator.Finish();
    EXPECT_TRUE(decoded.ok()) << decoded.status();
    return decoded.ok() ? *std::move(decoded) : DecodedWrite();
  }

  Attributes resource_;
  Scope scope_;
  Translation translation_;
  IngestLimits limits_;
  DeltaTotals deltas_;
};

template <typename Point>
Point At(uint64_t time_ms, uint64_t start_ms = 0) {
  Point point;
  point.time_ns = time_ms * kNsPerMs + 999'999;  // fractions of a millisecond are dropped
  point.start_ns = start_ms * kNsPerMs;
  return point;
}

NumberPoint Number(double value, uint64_t time_ms, uint64_t start_ms = 0) {
  auto point = At<NumberPoint>(time_ms, start_ms);
  point.value = value;
  return point;
}

MetricHeader MetricOf(MetricKind kind, Temporality temporality = Temporality::kCumulative,
                      bool is_monotonic = false) {
  return {"requests", "", "Help.", kind, temporality, is_monotonic};
}

// "labels value@time" for each sample, and ">start" if it has one.
std::vector<std::string> Rows(const DecodedWrite& decoded) {
  std::vector<std::string> rows;
  for (const SeriesWrite& series : decoded.request.series) {
    for (size_t i = 0; i < series.samples.size(); ++i) {
      const Sample& sample = series.samples[i];
      std::string row =
          absl::StrFormat("%s %s@%d", series.labels.ToString(),
                          IsStaleNan(sample.value) ? "stale" : FormatSampleValue(sample.value),
                          sample.timestamp_ms);
      if (!series.start_timestamps_ms.empty()) {
        absl::StrAppendFormat(&row, ">%d", series.start_timestamps_ms[i]);
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

TEST_F(TranslatorTest, GaugesKeepTheirValue) {
  NumberPoint point = Number(2.5, 1000, 400);
  point.attributes.Add("gpu.index", "3");
  const DecodedWrite got = Translate(MetricOf(MetricKind::kGauge), point);
  // Gauges have no start.
  EXPECT_THAT(Rows(got), ElementsAre(R"(requests{gpu_index="3", instance="i", job="s"} 2.5@1000)"));
  EXPECT_EQ(got.sample_count, 1u);
  ASSERT_THAT(got.metadata, SizeIs(1));
  EXPECT_EQ(got.metadata[0].metric, "requests");
  EXPECT_EQ(got.metadata[0].metadata, (MetricMetadata{"gauge", "Help.", ""}));
}

TEST_F(TranslatorTest, SumsCountFromTheirStart) {
  const MetricHeader counter = MetricOf(MetricKind::kSum, Temporality::kCumulative, true);
  // A reset has a new start.
  DecodedWrite got =
      Translate(counter, Number(5, 1000, 400), Number(1, 2000, 1500), Number(2, 3000));
  EXPECT_THAT(Rows(got), ElementsAre(R"(requests_total{instance="i", job="s"} 5@1000>400)",
                                     R"(requests_total{instance="i", job="s"} 1@2000>1500)",
                                     R"(requests_total{instance="i", job="s"} 2@3000)"));
  EXPECT_EQ(got.metadata.at(0).metadata.type, "counter");
  // A start after the point is invalid.
  got = Translate(counter, Number(5, 1000, 2000));
  EXPECT_THAT(Rows(got), ElementsAre(R"(requests_total{instance="i", job="s"} 5@1000)"));
  got = Translate(MetricOf(MetricKind::kSum), Number(5, 1000));
  EXPECT_THAT(Rows(got), ElementsAre(R"(requests{instance="i", job="s"} 5@1000)"));
  EXPECT_EQ(got.metadata.at(0).metadata.type, "gauge");
}

TEST_F(TranslatorTest, DeltasAreRefusedUnlessTheyAreToBeKept) {
  const MetricHeader delta = MetricOf(MetricKind::kSum, Temporality::kDelta, true);
  DecodedWrite got = Translate(delta, Number(5, 1000), Number(6, 2000));
  EXPECT_THAT(Rows(got), IsEmpty());
  EXPECT_THAT(got.metadata, IsEmpty());
  EXPECT_EQ(got.refusals.sample_count(), 2u);
  EXPECT_EQ(got.sample_count, 2u);
  EXPECT_THAT(got.refusals.ToString(), HasSubstr("its values are deltas"));
  const auto unspecified = MetricOf(MetricKind::kHistogram, Temporality::kUnspecified);
  got = Translate(unspecified, At<HistogramPoint>(1000));
  EXPECT_EQ(got.refusals.count(), 1u);

  translation_.deltas = DeltaPolicy::kKeep;
  got = Translate(delta, Number(5, 1000, 400));
  EXPECT_THAT(Rows(got), ElementsAre(R"(requests_total{instance="i", job="s"} 5@1000>400)"));
  EXPECT_EQ(got.metadata.at(0).metadata.type, "unknown");
  got = Translate(MetricOf(MetricKind::kExponentialHistogram, Temporality::kDelta),
                  At<ExponentialHistogramPoint>(1000));
  ASSERT_THAT(got.request.series, SizeIs(1));
  EXPECT_EQ(got.request.series[0].histograms.at(0).histogram->reset_hint, CounterResetHint::kGauge);
  EXPECT_EQ(Translate(unspecified, At<HistogramPoint>(1000)).refusals.count(), 1u);
}

TEST_F(TranslatorTest, DeltasAreAddedUp) {
  translation_.deltas = DeltaPolicy::kAddUp;
  const MetricHeader delta = MetricOf(MetricKind::kSum, Temporality::kDelta, true);
  DecodedWrite got = Translate(delta, Number(5, 1000, 400), Number(6, 2000, 1000));
  EXPECT_THAT(Rows(got), ElementsAre(R"(requests_total{instance="i", job="s"} 5@1000>400)",
                                     R"(requests_total{instance="i", job="s"} 11@2000>400)"));
  EXPECT_EQ(got.metadata.at(0).metadata.type, "counter");
  // Later requests continue; late deltas cannot be added.
  got = Translate(delta, Number(1, 3000, 2000), Number(1, 1500, 1000));
  EXPECT_THAT(Rows(got), ElementsAre(R"(requests_total{instance="i", job="s"} 12@3000>400)"));
  EXPECT_EQ(got.refusals.count(), 1u);
  EXPECT_THAT(got.refusals.ToString(), HasSubstr("is 1500 ms older than the last of its series"));
  // Other attributes mean another series, and so does another resource.
  NumberPoint other = Number(3, 1000, 400);
  other.attributes.Add("gpu", "1");
  EXPECT_THAT(Rows(Translate(delta, std::move(other))),
              ElementsAre(R"(requests_total{gpu="1", instance="i", job="s"} 3@1000>400)"));
  // The end of a series adds nothing.
  NumberPoint end = Number(0, 4000, 3000);
  end.has_no_value = true;
  EXPECT_THAT(Rows(Translate(delta, std::move(end), Number(2, 5000, 4000))),
              ElementsAre(R"(requests_total{instance="i", job="s"} stale@4000>3000)",
                          R"(requests_total{instance="i", job="s"} 14@5000>400)"));
}

TEST_F(TranslatorTest, DeltaHistogramsAreAddedUp) {
  translation_.deltas = DeltaPolicy::kAddUp;
  const auto at = [](uint64_t time_ms) {
    auto point = At<HistogramPoint>(time_ms, time_ms - 500);
    point.count = 3;
    point.bucket_counts = {1, 2};
    point.bounds = {0.5};
    return point;
  };
  const auto delta = MetricOf(MetricKind::kHistogram, Temporality::kDelta);
  Translate(delta, at(1000));
  EXPECT_THAT(Rows(Translate(delta, at(2000))),
              ElementsAre(R"(requests_count{instance="i", job="s"} 6@2000>500)",
                          R"(requests_bucket{instance="i", job="s", le="0.5"} 2@2000>500)",
                          R"(requests_bucket{instance="i", job="s", le="+Inf"} 6@2000>500)"));
}

TEST_F(TranslatorTest, HistogramsBecomeClassicSeries) {
  auto point = At<HistogramPoint>(1000, 400);
  point.count = 6;
  point.sum = 12.5;
  point.bounds = {0.25, 1, 1e6};
  point.bucket_counts = {1, 2, 0, 3};
  // The bucket's label replaces an attribute.
  point.attributes.Add("le", "mine");
  const DecodedWrite got = Translate(MetricOf(MetricKind::kHistogram), point);
  EXPECT_THAT(Rows(got),
              ElementsAre(R"(requests_sum{instance="i", job="s", le="mine"} 12.5@1000>400)",
                          R"(requests_count{instance="i", job="s", le="mine"} 6@1000>400)",
                          R"(requests_bucket{instance="i", job="s", le="0.25"} 1@1000>400)",
                          R"(requests_bucket{instance="i", job="s", le="1"} 3@1000>400)",
                          R"(requests_bucket{instance="i", job="s", le="1000000"} 3@1000>400)",
                          R"(requests_bucket{instance="i", job="s", le="+Inf"} 6@1000>400)"));
  EXPECT_EQ(got.metadata.at(0).metric, "requests");
  EXPECT_EQ(got.metadata.at(0).metadata.type, "histogram");
}

TEST_F(TranslatorTest, AHistogramMayHaveNeitherSumNorBuckets) {
  auto point = At<HistogramPoint>(1000);
  point.count = 6;
  EXPECT_THAT(Rows(Translate(MetricOf(MetricKind::kHistogram), point)),
              ElementsAre(R"(requests_count{instance="i", job="s"} 6@1000)",
                          R"(requests_bucket{instance="i", job="s", le="+Inf"} 6@1000)"));
}

TEST_F(TranslatorTest, HistogramsBecomeNativeOnRequest) {
  translation_.histograms = HistogramForm::kCustomBuckets;
  auto point = At<HistogramPoint>(1000, 400);
  point.count = 3;
  point.bounds = {1};
  point.bucket_counts = {1, 2};
  auto miscounted = At<HistogramPoint>(2000);
  miscounted.count = 3;
  miscounted.bounds = {1};
  miscounted.bucket_counts = {1, 1};
  const DecodedWrite got = Translate(MetricOf(MetricKind::kHistogram), point, miscounted);
  ASSERT_THAT(got.request.series, SizeIs(1));
  EXPECT_EQ(got.request.series[0].labels.ToString(), R"(requests{instance="i", job="s"})");
  const HistogramSample& sample = got.request.series[0].histograms.at(0);
  EXPECT_EQ(sample.timestamp_ms, 1000);
  EXPECT_EQ(sample.start_timestamp_ms, 400);
  EXPECT_TRUE(sample.histogram->uses_custom_buckets());
  EXPECT_EQ(sample.histogram->reset_hint, CounterResetHint::kUnknown);
  EXPECT_EQ(got.histogram_count, 1u);
  EXPECT_THAT(got.refusals.ToString(),
              HasSubstr("2 observations are in the buckets, but the count is 3"));
}

TEST_F(TranslatorTest, SummariesHaveQuantiles) {
  auto point = At<SummaryPoint>(1000, 400);
  point.count = 10;
  point.sum = 5;
  point.quantiles = {{0.5, 0.4}, {1, 0.9}};
  const DecodedWrite got =
      Translate(MetricOf(MetricKind::kSummary, Temporality::kUnspecified), point);
  EXPECT_THAT(Rows(got),
              ElementsAre(R"(requests_sum{instance="i", job="s"} 5@1000>400)",
                          R"(requests_count{instance="i", job="s"} 10@1000>400)",
                          R"(requests{instance="i", job="s", quantile="0.5"} 0.4@1000>400)",
                          R"(requests{instance="i", job="s", quantile="1"} 0.9@1000>400)"));
  EXPECT_EQ(got.metadata.at(0).metadata.type, "summary");
}

TEST_F(TranslatorTest, PointsWithoutAValueEndTheirSeries) {
  NumberPoint number = Number(7, 1000);
  number.has_no_value = true;
  EXPECT_THAT(Rows(Translate(MetricOf(MetricKind::kGauge), number)),
              ElementsAre(R"(requests{instance="i", job="s"} stale@1000)"));
  auto histogram = At<HistogramPoint>(1000);
  histogram.has_no_value = true;
  histogram.sum = 1;
  EXPECT_THAT(Rows(Translate(MetricOf(MetricKind::kHistogram), histogram)),
              ElementsAre(R"(requests_sum{instance="i", job="s"} stale@1000)",
                          R"(requests_count{instance="i", job="s"} stale@1000)",
                          R"(requests_bucket{instance="i", job="s", le="+Inf"} stale@1000)"));
  auto exponential = At<ExponentialHistogramPoint>(1000);
  exponential.has_no_value = true;
  const DecodedWrite got = Translate(MetricOf(MetricKind::kExponentialHistogram), exponential);
  EXPECT_TRUE(IsStaleNan(got.request.series.at(0).histograms.at(0).histogram->sum));
}

OtlpExemplar ExemplarAt(uint64_t time_ms, std::optional<double> value) {
  OtlpExemplar exemplar;
  exemplar.time_ns = time_ms * kNsPerMs;
  exemplar.value = value;
  return exemplar;
}

// "labels: value@time ..." for each series with exemplars.
std::vector<std::string> ExemplarRows(const DecodedWrite& decoded) {
  std::vector<std::string> rows;
  for (const SeriesExemplars& of_series : decoded.exemplars) {
    std::string row = of_series.series.ToString() + ":";
    for (const Exemplar& exemplar : of_series.exemplars) {
      absl::StrAppendFormat(&row, " %s%s@%d", exemplar.labels.ToString(),
                            FormatSampleValue(exemplar.value), exemplar.timestamp_ms);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST_F(TranslatorTest, ExemplarsOfSumsNameTheirTrace) {
  NumberPoint point = Number(5, 1000);
  point.exemplars.push_back(ExemplarAt(900, 2));
  point.exemplars[0].trace_id = "0a";
  point.exemplars[0].span_id = "0b";
  point.exemplars[0].attributes.Add("user.id", "u");
  point.exemplars.push_back(ExemplarAt(800, 1));
  point.exemplars.push_back(ExemplarAt(700, std::nullopt));
  const DecodedWrite got = Translate(MetricOf(MetricKind::kSum), point);
  // Sorted by time; exemplars without a value are dropped.
  EXPECT_THAT(ExemplarRows(got),
              ElementsAre(R"(requests{instance="i", job="s"}: {}1@800 )"
                          R"({span_id="0b", trace_id="0a", "user.id"="u"}2@900)"));
  EXPECT_EQ(got.exemplar_count, 2u);
  EXPECT_THAT(ExemplarRows(Translate(MetricOf(MetricKind::kGauge), point)), IsEmpty());
}

TEST_F(TranslatorTest, AttributesThatMakeAnExemplarTooLongAreLeftOut) {
  NumberPoint point = Number(5, 1000);
  point.exemplars.push_back(ExemplarAt(900, 2));
  point.exemplars[0].trace_id = "0a";
  const std::string long_text(120, 'x');
  point.exemplars[0].attributes.Add("k", long_text);
  EXPECT_THAT(ExemplarRows(Translate(MetricOf(MetricKind::kSum), point)),
              ElementsAre(R"(requests{instance="i", job="s"}: {trace_id="0a"}2@900)"));
}

TEST_F(TranslatorTest, ExemplarsOfHistogramsGoToTheirBucket) {
  auto point = At<HistogramPoint>(1000);
  point.count = 3;
  point.bounds = {1, 2};
  point.bucket_counts = {1, 1, 1};
  for (const double value : {7.0, 2.0, 1.5, 0.5}) point.exemplars.push_back(ExemplarAt(900, value));
  EXPECT_THAT(ExemplarRows(Translate(MetricOf(MetricKind::kHistogram), point)),
              ElementsAre(R"(requests_bucket{instance="i", job="s", le="1"}: {}0.5@900)",
                          R"(requests_bucket{instance="i", job="s", le="2"}: {}2@900 {}1.5@900)",
                          R"(requests_bucket{instance="i", job="s", le="+Inf"}: {}7@900)"));
}

TEST_F(TranslatorTest, AResourceHasATargetInfoOverTheTimeOfItsPoints) {
  resource_.Add("host.name", "h");
  const MetricHeader gauge = MetricOf(MetricKind::kGauge);
  // Two samples per five minutes of lookback.
  const DecodedWrite got = Translate(gauge, Number(1, 400'000), Number(1, 60'000));
  EXPECT_THAT(Rows(got),
              ElementsAre(R"(requests{instance="i", job="s"} 1@400000)",
                          R"(requests{instance="i", job="s"} 1@60000)",
                          R"(target_info{host_name="h", instance="i", job="s"} 1@60000)",
                          R"(target_info{host_name="h", instance="i", job="s"} 1@210000)",
                          R"(target_info{host_name="h", instance="i", job="s"} 1@360000)",
                          R"(target_info{host_name="h", instance="i", job="s"} 1@400000)"));
  // For a year of points there are samples only for the last day.
  const DecodedWrite year = Translate(gauge, Number(1, 1000), Number(1, 31'536'000'000));
  ASSERT_THAT(year.request.series, SizeIs(3));
  EXPECT_THAT(year.request.series[2].samples, SizeIs(24 * 60 * 60 / 150 + 1));
  EXPECT_THAT(Translate(gauge).request.series, IsEmpty());
}

TEST_F(TranslatorTest, WhatHasNoNameIsRefused) {
  MetricHeader nameless = MetricOf(MetricKind::kGauge);
  nameless.name = "...";
  EXPECT_THAT(Translate(nameless, Number(1, 1)).refusals.ToString(),
              HasSubstr(R"({__name__="..."}: the metric's name is empty after conversion)"));
  NumberPoint point = Number(1, 1);
  point.attributes.Add("...", "x");
  const DecodedWrite got = Translate(MetricOf(MetricKind::kGauge), point, Number(2, 2));
  EXPECT_THAT(Rows(got), ElementsAre(R"(requests{instance="i", job="s"} 2@2)"));
  EXPECT_EQ(got.refusals.sample_count(), 1u);
  NumberPoint invalid = Number(1, 1);
  invalid.attributes.Add("a", "\xff");
  EXPECT_EQ(Translate(MetricOf(MetricKind::kGauge), invalid).refusals.sample_count(), 1u);
}

TEST_F(TranslatorTest, TooManySeriesRefuseTheRequest) {
  limits_.max_series_per_request = 2;
  Translator translator(translation_, limits_);
  translator.BeginResource(resource_);
  translator.BeginScope(scope_);
  translator.BeginMetric(MetricOf(MetricKind::kGauge));
  for (int i = 0; i < 10; ++i) translator.Add(Number(1, 1));
  translator.EndResource();
  EXPECT_EQ(translator.Finish().status().code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace lockstep::otlp
