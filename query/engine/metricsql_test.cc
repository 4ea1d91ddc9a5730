// The functions of MetricsQL. Expected values follow from VictoriaMetrics' MetricsQL page
// (docs.victoriametrics.com/victoriametrics/metricsql/).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/float_format.h"
#include "query/engine/engine.h"
#include "tests/memory_storage.h"

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr int64_t kMinuteMs = 60'000;

class MetricsqlTest : public ::testing::Test {
 protected:
  // One sample per minute from time 0 on; one is a stale marker.
  void Load(std::initializer_list<LabelView> labels, const std::vector<double>& values) {
    const LabelSet set = LabelSet::Of(labels);
    int64_t time_ms = 0;
    for (const double value : values) {
      storage_.Append(set, time_ms, value);
      time_ms += kMinuteMs;
    }
  }

  // name{labels} value, or the error.
  std::vector<std::string> Instant(std::string_view text, int64_t time_ms) {
    InstantQuery query;
    query.text = text;
    query.time_ms = time_ms;
    const auto result = engine_.Execute(query, budget_);
    if (!result.ok()) return {std::string(Message(result.status()))};
    std::vector<std::string> lines;
    for (const VectorElement& element : std::get<VectorResult>(result->value)) {
      lines.push_back(element.labels.ToString() + " " + FormatSampleValue(element.value));
    }
    return lines;
  }

  // name{labels} value@minute ..., one step per minute; or the error.
  std::vector<std::string> Range(std::string_view text, int64_t start_ms, int64_t end_ms) {
    RangeQuery query;
    query.text = text;
    query.start_ms = start_ms;
    query.end_ms = end_ms;
    query.step_ms = kMinuteMs;
    const auto result = engine_.Execute(query, budget_);
    if (!result.ok()) return {std::string(Message(result.status()))};
    std::vector<std::string> lines;
    for (const MatrixSeries& series : std::get<MatrixResult>(result->value)) {
      std::string line = series.labels.ToString();
      for (size_t i = 0; i < series.samples.values.size(); ++i) {
        line += " " + FormatSampleValue(series.samples.values[i]) + "@" +
                std::to_string(series.samples.timestamps_ms[i] / kMinuteMs);
      }
      lines.push_back(line);
    }
    return lines;
  }

  void LoadGpus() {
    Load({{"__name__", "gpu"}, {"host", "a"}, {"rank", "0"}}, {10, 11});
    Load({{"__name__", "gpu"}, {"host", "a"}, {"rank", "1"}}, {20, 21});
    Load({{"__name__", "gpu"}, {"host", "b"}, {"rank", "2"}}, {30, 31});
  }

  MemoryStorage storage_;
  QueryBudget budget_{1'000'000, QueryBudget::Clock::time_point::max()};
  Engine engine_{storage_, {}};
};

// "Returns the last raw sample value on the given lookbehind window." "Compared to last_over_time
// it accounts for staleness markers to detect stale series."
TEST_F(MetricsqlTest, DefaultRollupIsTheLastSampleUnlessStale) {
  Load({{"__name__", "ALERTS_FOR_STATE"}, {"alertname", "x"}}, {100, 100, 100});
  Load({{"__name__", "ALERTS_FOR_STATE"}, {"alertname", "y"}}, {200, 200, StaleNan()});
  EXPECT_THAT(Instant("default_rollup(ALERTS_FOR_STATE{alertname=\"x\"}[3600s])", 32 * kMinuteMs),
              ElementsAre("ALERTS_FOR_STATE{alertname=\"x\"} 100"));
  EXPECT_THAT(Instant("default_rollup(ALERTS_FOR_STATE[3600s])", kMinuteMs),
              ElementsAre("ALERTS_FOR_STATE{alertname=\"x\"} 100",
                          "ALERTS_FOR_STATE{alertname=\"y\"} 200"));
  EXPECT_THAT(Instant("default_rollup(ALERTS_FOR_STATE[3600s])", 2 * kMinuteMs),
              ElementsAre("ALERTS_FOR_STATE{alertname=\"x\"} 100"));
  EXPECT_THAT(Instant("last_over_time(ALERTS_FOR_STATE{alertname=\"y\"}[3600s])", 2 * kMinuteMs),
              ElementsAre("ALERTS_FOR_STATE{alertname=\"y\"} 200"));
}

TEST_F(MetricsqlTest, DefaultRollupLooksAsFarAsItsWindow) {
  Load({{"__name__", "m"}}, {1});
  // The query's lookback of five minutes does not apply here. Windows are open on the left.
  EXPECT_THAT(Instant("default_rollup(m[10m])", 9 * kMinuteMs), ElementsAre("m 1"));
  EXPECT_THAT(Instant("default_rollup(m[10m])", 10 * kMinuteMs), IsEmpty());
  EXPECT_THAT(Instant("default_rollup(m[1m])", 2 * kMinuteMs), IsEmpty());
  EXPECT_THAT(Instant("default_rollup((m[10m] offset 2m))", 9 * kMinuteMs), ElementsAre("m 1"));
  EXPECT_THAT(Range("default_rollup(m[2m])", 0, 5 * kMinuteMs), ElementsAre("m 1@0 1@1"));
  EXPECT_THAT(Range("default_rollup(m[2m] @ 60)", 0, kMinuteMs), ElementsAre("m 1@0 1@1"));
  EXPECT_THAT(Instant("default_rollup(m[10m:1m])", 12 * kMinuteMs), ElementsAre("m 1"));
  // Without a window it is that lookback, or the step if it is longer.
  EXPECT_THAT(Instant("default_rollup(m)", 4 * kMinuteMs), ElementsAre("m 1"));
  EXPECT_THAT(Instant("default_rollup(m)", 5 * kMinuteMs), IsEmpty());
}

// "alias(up, "foobar") would rename up series to foobar series."
TEST_F(MetricsqlTest, AliasNamesAllSeries) {
  LoadGpus();
  EXPECT_THAT(Instant("alias(gpu{host=\"b\"}, \"foobar\")", 0),
              ElementsAre("foobar{host=\"b\", rank=\"2\"} 30"));
  // Sets a name that was going to be dropped.
  EXPECT_THAT(Instant("alias(sum(gpu) * 2, \"twice\")", 0), ElementsAre("twice 120"));
  EXPECT_THAT(Instant("alias(gpu{host=\"b\"}, \"\")", 0),
              ElementsAre("{host=\"b\", rank=\"2\"} 30"));
}

// "Sets {label1="value1", ..., labelN="valueN"} labels to all the time series"; an empty value
// removes one.
TEST_F(MetricsqlTest, LabelSet) {
  LoadGpus();
  EXPECT_THAT(
      Instant("label_set(gpu{host=\"b\"}, \"rank\", \"x\", \"new\", \"y\", \"host\", \"\")", 0),
      ElementsAre("gpu{new=\"y\", rank=\"x\"} 30"));
  EXPECT_THAT(Instant("label_set(gpu, \"rank\", \"x\")", 0),
              ElementsAre("vector cannot contain metrics with the same labelset"));
  EXPECT_THAT(Instant("label_set(gpu, \"rank\", \"x\", \"host\")", 0),
              ElementsAre("label_set() needs a value for every label"));
  EXPECT_THAT(Instant("label_set(gpu, \"\", \"x\")", 0),
              ElementsAre("invalid label name in label_set(): "));
}

TEST_F(MetricsqlTest, LabelDelAndLabelKeep) {
  LoadGpus();
  // "Deletes the given labels from all the time series."
  EXPECT_THAT(Instant("label_del(gpu{host=\"b\"}, \"host\", \"none\")", 0),
              ElementsAre("gpu{rank=\"2\"} 30"));
  EXPECT_THAT(Instant("label_del(gpu{host=\"b\"}, \"__name__\", \"host\")", 0),
              ElementsAre("{rank=\"2\"} 30"));
  // "Deletes all the labels except of the listed labels": the name is one.
  EXPECT_THAT(Instant("label_keep(gpu{host=\"b\"}, \"host\")", 0), ElementsAre("{host=\"b\"} 30"));
  EXPECT_THAT(Instant("label_keep(gpu{host=\"b\"}, \"host\", \"__name__\")", 0),
              ElementsAre("gpu{host=\"b\"} 30"));
}

// "Drops time series from q with label not matching", or matching, "the given regexp".
TEST_F(MetricsqlTest, LabelMatchAndLabelMismatch) {
  LoadGpus();
  EXPECT_THAT(Instant("label_match(gpu, \"rank\", \"1|2\")", 0),
              ElementsAre("gpu{host=\"a\", rank=\"1\"} 20", "gpu{host=\"b\", rank=\"2\"} 30"));
  EXPECT_THAT(Instant("label_mismatch(gpu, \"rank\", \"1|2\")", 0),
              ElementsAre("gpu{host=\"a\", rank=\"0\"} 10"));
  EXPECT_THAT(Instant("label_match(gpu, \"rank\", \"(\")", 0),
              ElementsAre("invalid regular expression in label_match(): ("));
}

// "Fills gaps with the value of the last non-empty point."
TEST_F(MetricsqlTest, KeepLastValueFillsGaps) {
  Load({{"__name__", "m"}}, {StaleNan(), 1, StaleNan(), StaleNan(), 4, StaleNan()});
  EXPECT_THAT(Range("keep_last_value(m)", 0, 6 * kMinuteMs),
              ElementsAre("m 1@1 1@2 1@3 4@4 4@5 4@6"));
  EXPECT_THAT(Range("keep_last_value(m > 3)", 0, 5 * kMinuteMs), ElementsAre("m 4@4 4@5"));
  EXPECT_THAT(Instant("keep_last_value(m)", 2 * kMinuteMs), IsEmpty());
}

TEST_F(MetricsqlTest, RunningFunctionsGoOverTheSteps) {
  Load({{"__name__", "m"}}, {4, 2, StaleNan(), 6});
  EXPECT_THAT(Range("running_sum(m)", 0, 3 * kMinuteMs), ElementsAre("{} 4@0 6@1 6@2 12@3"));
  EXPECT_THAT(Range("running_avg(m)", 0, 3 * kMinuteMs), ElementsAre("{} 4@0 3@1 3@2 4@3"));
  EXPECT_THAT(Range("running_min(m)", 0, 3 * kMinuteMs), ElementsAre("{} 4@0 2@1 2@2 2@3"));
  EXPECT_THAT(Range("running_max(m)", 0, 3 * kMinuteMs), ElementsAre("{} 4@0 4@1 4@2 6@3"));
  // Also for values that are the same at every step.
  EXPECT_THAT(Range("running_sum(vector(1))", 0, 2 * kMinuteMs), ElementsAre("{} 1@0 2@1 3@2"));
}

// "Skips offset time series from series returned by q and then returns up to limit of the
// remaining."
TEST_F(MetricsqlTest, LimitOffsetPages) {
  LoadGpus();
  EXPECT_THAT(Instant("limit_offset(1, 1, gpu)", 0), ElementsAre("gpu{host=\"a\", rank=\"1\"} 20"));
  EXPECT_THAT(Instant("limit_offset(2, 2, gpu)", 0), ElementsAre("gpu{host=\"b\", rank=\"2\"} 30"));
  EXPECT_THAT(Instant("limit_offset(1, 0, sort_desc(gpu))", 0),
              ElementsAre("gpu{host=\"b\", rank=\"2\"} 30"));
  EXPECT_THAT(Instant("limit_offset(5, 3, gpu)", 0), IsEmpty());
  EXPECT_THAT(Instant("limit_offset(-1, 0, gpu)", 0), IsEmpty());
  EXPECT_THAT(Instant("limit_offset(NaN, 0, gpu)", 0), IsEmpty());
  EXPECT_THAT(Range("limit_offset(1, 1, gpu)", 0, kMinuteMs),
              ElementsAre("gpu{host=\"a\", rank=\"1\"} 20@0 21@1"));
}

TEST_F(MetricsqlTest, WhatGrowsIsCharged) {
  Load({{"__name__", "m"}}, {1});
  QueryBudget small(1'000, QueryBudget::Clock::time_point::max());
  for (const std::string_view text :
       {"keep_last_value(m)", "running_sum(m)", "label_set(m, \"a\", \"b\")"}) {
    RangeQuery query;
    query.text = text;
    query.end_ms = 2'000 * kMinuteMs;
    query.step_ms = kMinuteMs;
    const auto result = engine_.Execute(query, small);
    if (text.starts_with("label")) {
      EXPECT_TRUE(result.ok()) << text;
    } else {
      EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted) << text;
    }
    // All of it is released.
    EXPECT_TRUE(small.Charge(999).ok()) << text;
    small.Release(999);
  }
}

TEST_F(MetricsqlTest, IsUnknownInStrictMode) {
  LoadGpus();
  const Engine strict(storage_, {.dialect = promql::Dialect::kPromql});
  InstantQuery query;
  query.text = "alias(gpu, \"x\")";
  EXPECT_THAT(std::string(Message(strict.Execute(query, budget_).status())),
              HasSubstr("1:1: parse error: unknown function with name \"alias\""));
  // Plain names are metrics in either mode.
  query.text = "alias or default_rollup";
  EXPECT_TRUE(strict.Execute(query, budget_).ok());
  EXPECT_TRUE(engine_.Execute(query, budget_).ok());
}

// "calculates per-second change rates for adjacent raw samples ... and returns min, max and avg
// values ... in time series with rollup="min", rollup="max" and rollup="avg" additional labels".
TEST_F(MetricsqlTest, RollupsAreThreeSeries) {
  Load({{"__name__", "c"}, {"a", "b"}}, {0, 60, 180, 60});
  EXPECT_THAT(Instant("rollup_rate(c[5m])", 3 * kMinuteMs),
              UnorderedElementsAre("{a=\"b\", rollup=\"min\"} 1", "{a=\"b\", rollup=\"max\"} 2",
                                   "{a=\"b\", rollup=\"avg\"} 1.3333333333333333"));
  EXPECT_THAT(Instant("rollup_increase(c[5m])", 3 * kMinuteMs),
              UnorderedElementsAre("{a=\"b\", rollup=\"min\"} 60", "{a=\"b\", rollup=\"max\"} 120",
                                   "{a=\"b\", rollup=\"avg\"} 80"));
  EXPECT_THAT(
      Instant("rollup_delta(c[5m])", 3 * kMinuteMs),
      UnorderedElementsAre("{a=\"b\", rollup=\"min\"} -120", "{a=\"b\", rollup=\"max\"} 120",
                           "{a=\"b\", rollup=\"avg\"} 20"));
  EXPECT_THAT(Instant("rollup_deriv(c[5m], \"min\")", 3 * kMinuteMs), ElementsAre("{a=\"b\"} -2"));
  EXPECT_THAT(Instant("rollup(c[5m])", 3 * kMinuteMs),
              UnorderedElementsAre("c{a=\"b\", rollup=\"min\"} 0", "c{a=\"b\", rollup=\"max\"} 180",
                                   "c{a=\"b\", rollup=\"avg\"} 75"));
  EXPECT_THAT(Range("rollup(c[2m], (\"max\"))", 0, 3 * kMinuteMs),
              ElementsAre("c{a=\"b\"} 0@0 60@1 180@2 180@3"));
  EXPECT_THAT(Instant("rollup(c[5m:1m], \"max\")", 3 * kMinuteMs), ElementsAre("c{a=\"b\"} 180"));
  EXPECT_THAT(Instant("rollup(c[5m], \"median\")", 0),
              ElementsAre("rollup() expects \"min\", \"max\" or \"avg\", got \"median\""));
}

// "increase_pure ... assumes that counter always starts from 0"; between windows nothing is lost.
TEST_F(MetricsqlTest, IncreasePureStartsBeforeItsWindow) {
  Load({{"__name__", "c"}}, {5, 6, 9, 2});
  EXPECT_THAT(Range("increase_pure(c[1m])", 0, 5 * kMinuteMs),
              ElementsAre("{} 5@0 1@1 3@2 2@3 0@4 0@5"));
  // An omitted window is the step.
  EXPECT_THAT(Range("increase_pure(c)", 0, 3 * kMinuteMs), ElementsAre("{} 5@0 1@1 3@2 2@3"));
  EXPECT_THAT(Instant("increase_pure(c[1m:1m])", 2 * kMinuteMs), ElementsAre("{} 3"));
  EXPECT_THAT(Range("increase_pure(c[1m] @ 120)", 0, kMinuteMs), ElementsAre("{} 3@0 3@1"));
}

TEST_F(MetricsqlTest, WindowsThatAreLeftOut) {
  Load({{"__name__", "c_total"}}, {0, 60, 180, 300});
  // A step is a minute; a rate needs two samples and looks for them as far back as a selector.
  EXPECT_THAT(
      Range("rollup_rate(c_total, \"avg\")", 3 * kMinuteMs, 3 * kMinuteMs),
      ElementsAre(Range("rollup_rate(c_total[5m], \"avg\")", 3 * kMinuteMs, 3 * kMinuteMs)[0]));
  EXPECT_THAT(Instant("rollup_rate(c_total, \"min\")", 3 * kMinuteMs), ElementsAre("{} 1"));
  RangeQuery query{"rollup_rate(c_total, \"min\")", 0, 600'000, 600'000};
  query.lookback_ms = 90'000;
  const auto result = engine_.Execute(query, budget_);
  ASSERT_TRUE(result.ok());
  // The step of ten minutes is longer than the lookback. It ends after the first sample.
  EXPECT_EQ(std::get<MatrixResult>(result->value).at(0).samples.values, std::vector<double>{2});
}

// "returns a union of time series ... only the first time series out of series with identical set
// of labels".
TEST_F(MetricsqlTest, UnionTakesTheFirst) {
  LoadGpus();
  Load({{"__name__", "x"}}, {1, 2});
  EXPECT_THAT(Instant("union(gpu{rank=\"0\"}, x, gpu{host=\"a\"} * 0 + 5)", 0),
              ElementsAre("gpu{host=\"a\", rank=\"0\"} 10", "x 1", "{host=\"a\", rank=\"0\"} 5",
                          "{host=\"a\", rank=\"1\"} 5"));
  EXPECT_THAT(Instant("union(alias(gpu{rank=\"0\"}, \"a\"), alias(gpu{rank=\"0\"} * 2, \"a\"))", 0),
              ElementsAre("a{host=\"a\", rank=\"0\"} 10"));
  EXPECT_THAT(Range("union(x > 1, x)", 0, kMinuteMs), ElementsAre("x 1@0 2@1"));
  EXPECT_THAT(Range("union(x * 1, x * 2)", 0, kMinuteMs), ElementsAre("{} 1@0 2@1"));
  EXPECT_THAT(Instant("WITH () sum((x, x * 3))", 0), ElementsAre("{} 4"));
  EXPECT_THAT(Instant("union(x)", 0), ElementsAre("x 1"));
  EXPECT_THAT(Instant("union(1, 2)", 0), ElementsAre(HasSubstr("got scalar")));
}

// A gap takes the last value, whether float or histogram.
TEST_F(MetricsqlTest, KeepLastValueKeepsHistograms) {
  const LabelSet labels = LabelSet::Of({{"__name__", "h"}});
  const auto count = [&](double number) {
    Histogram histogram;
    histogram.count = histogram.zero_count = number;
    return std::make_shared<const Histogram>(histogram);
  };
  storage_.Append(labels, 0, count(3));
  storage_.Append(labels, kMinuteMs, StaleNan());
  storage_.Append(labels, 2 * kMinuteMs, 7.0);
  storage_.Append(labels, 3 * kMinuteMs, StaleNan());
  storage_.Append(labels, 4 * kMinuteMs, count(5));
  storage_.Append(labels, 5 * kMinuteMs, StaleNan());
  EXPECT_THAT(Range("histogram_count(keep_last_value(h))", 0, 5 * kMinuteMs),
              ElementsAre("{} 3@0 3@1 5@4 5@5"));
  EXPECT_THAT(Range("keep_last_value(h) * 1 < 10", 0, 5 * kMinuteMs), ElementsAre("{} 7@2 7@3"));
  EXPECT_THAT(Range("keep_last_value(h)", 0, 5 * kMinuteMs), ElementsAre("h 7@2 7@3"));
  // Running functions know floats only.
  EXPECT_THAT(Range("running_sum(h)", 0, 5 * kMinuteMs), ElementsAre("{} 7@2 7@3 7@4 7@5"));
  EXPECT_THAT(Range("running_max(histogram_count(h) > 9)", 0, 5 * kMinuteMs), IsEmpty());
}

TEST_F(MetricsqlTest, LimitOffsetKeepsAnOrderThatIsAskedFor) {
  LoadGpus();
  const auto last = [&](const std::string& query) {
    return Instant("label_del(limit_offset(1, 0, " + query + "), \"host\", \"__name__\")", 0);
  };
  EXPECT_THAT(last("sort_desc(gpu)"), ElementsAre("{rank=\"2\"} 30"));
  EXPECT_THAT(last("(sort_desc(gpu))"), ElementsAre("{rank=\"2\"} 30"));
  EXPECT_THAT(last("sort(-gpu)"), ElementsAre("{rank=\"2\"} -30"));
  EXPECT_THAT(last("sort_by_label_desc(gpu, \"rank\")"), ElementsAre("{rank=\"2\"} 30"));
  EXPECT_THAT(last("sort_by_label(gpu, \"rank\")"), ElementsAre("{rank=\"0\"} 10"));
  EXPECT_THAT(last("topk(2, gpu)"), ElementsAre("{rank=\"2\"} 30"));
  EXPECT_THAT(last("bottomk(2, -gpu)"), ElementsAre("{rank=\"2\"} -30"));
  EXPECT_THAT(last("limit_offset(2, 0, sort_desc(gpu))"), ElementsAre("{rank=\"2\"} 30"));
  // Others are in the order of their labels.
  EXPECT_THAT(last("sort_desc(gpu) + 0"), ElementsAre("{rank=\"0\"} 10"));
  EXPECT_THAT(last("abs(sort_desc(gpu))"), ElementsAre("{rank=\"0\"} 10"));
  EXPECT_THAT(last("limitk(2, sort_desc(gpu))"), ElementsAre("{rank=\"1\"} 20"));
  EXPECT_THAT(Range("limit_offset(1, 0, topk(2, gpu))", 0, kMinuteMs),
              ElementsAre("gpu{host=\"a\", rank=\"1\"} 20@0 21@1"));
}

TEST_F(MetricsqlTest, LimitOffsetCountsWhole) {
  LoadGpus();
  EXPECT_EQ(Instant("limit_offset(1.9, 0, gpu)", 0).size(), 1u);
  EXPECT_EQ(Instant("limit_offset(3, 0.9, gpu)", 0).size(), 3u);
  EXPECT_EQ(Instant("limit_offset(1e300, 1, gpu)", 0).size(), 2u);
  EXPECT_THAT(Instant("limit_offset(1, 1e300, gpu)", 0), IsEmpty());
  EXPECT_THAT(Instant("limit_offset(0, 0, gpu)", 0), IsEmpty());
  // What counts is the first step.
  EXPECT_EQ(Range("limit_offset(1 + time() / 60, 0, gpu)", 0, kMinuteMs).size(), 1u);
  EXPECT_EQ(Range("limit_offset(1 + time() / 60, 0, gpu)", kMinuteMs, 2 * kMinuteMs).size(), 2u);
}

TEST_F(MetricsqlTest, UnionFillsInStepByStep) {
  Load({{"__name__", "x"}, {"i", "0"}}, {1, StaleNan(), 3, StaleNan()});
  Load({{"__name__", "y"}, {"i", "0"}}, {4, 5, StaleNan(), 7});
  EXPECT_THAT(Range("union(-x, -y)", 0, 3 * kMinuteMs),
              ElementsAre("{i=\"0\"} -1@0 -5@1 -3@2 -7@3"));
  EXPECT_THAT(Range("union(-y, -x)", 0, 3 * kMinuteMs),
              ElementsAre("{i=\"0\"} -4@0 -5@1 -3@2 -7@3"));
  EXPECT_THAT(Range("union(x, y, none)", 0, 0), ElementsAre("x{i=\"0\"} 1@0", "y{i=\"0\"} 4@0"));
}

TEST_F(MetricsqlTest, LabelFunctionsKeepNamesThatTheySet) {
  Load({{"__name__", "x"}, {"i", "0"}}, {1});
  EXPECT_THAT(Instant("label_set(-x, \"__name__\", \"y\")", 0), ElementsAre("y{i=\"0\"} -1"));
  EXPECT_THAT(Instant("label_set(-x, \"a\", \"b\")", 0), ElementsAre("{a=\"b\", i=\"0\"} -1"));
  EXPECT_THAT(Instant("label_set(x, \"\\xff\", \"b\")", 0),
              ElementsAre("invalid label name in label_set(): \xff"));
  EXPECT_THAT(Instant("label_keep(-x, \"__name__\")", 0), ElementsAre("{} -1"));
  EXPECT_THAT(Instant("label_mismatch(x, \"none\", \"\")", 0), IsEmpty());
  EXPECT_THAT(Instant("label_match(x, \"none\", \"\")", 0), ElementsAre("x{i=\"0\"} 1"));
  EXPECT_THAT(Instant("label_match(x, \"i\", \".\")", 0), ElementsAre("x{i=\"0\"} 1"));
  EXPECT_THAT(Instant("label_match(x, \"i\", \"\\n|.\\n\")", 0), IsEmpty());
}

// The queries of vmui's "Explore Prometheus metrics".
TEST_F(MetricsqlTest, ExploreOfVmui) {
  Load({{"__name__", "c_total"}, {"instance", "a"}}, {0, 60, 180});
  Load({{"__name__", "c_total"}, {"instance", "b"}}, {0, 240, 480});
  const auto explore = [](const std::string& rollup) {
    return "\nwith (q = " + rollup + "({job=\"\",__name__=\"c_total\"})) (\n" +
           "  alias(min(label_match(q, \"rollup\", \"min\")), \"min\"),\n" +
           "  alias(max(label_match(q, \"rollup\", \"max\")), \"max\"),\n" +
           "  alias(avg(label_match(q, \"rollup\", \"avg\")), \"avg\"),\n)";
  };
  EXPECT_THAT(Range(explore("rollup_rate"), kMinuteMs, 2 * kMinuteMs),
              UnorderedElementsAre("min 1@1 1@2", "max 4@1 4@2", "avg 2.5@1 2.75@2"));
  EXPECT_THAT(Range(explore("rollup"), 2 * kMinuteMs, 2 * kMinuteMs),
              UnorderedElementsAre("min 0@2", "max 480@2", "avg 160@2"));
}

}  // namespace
}  // namespace lockstep::engine
