#include "answers/derived/derived_storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "tests/memory_storage.h"

namespace lockstep::answers {
namespace {

constexpr int64_t kZeroMs = 1'700'000'000'000 / 60'000 * 60'000;

// A store with steps of jobs, and the derived metrics beside them.
class DerivedStorageTest : public testing::Test {
 protected:
  // Steps of a second for each of two ranks, of which rank 1 is late from step `late_from` on.
  void AddJob(const std::string& job, int64_t begin_ms, int64_t first, int64_t last,
              int64_t late_from = 1'000'000) {
    for (const char* rank : {"0", "1"}) {
      for (int64_t step = first; step <= last; ++step) {
        const int64_t at_ms = begin_ms + 1000 * (step - first + 1);
        const bool is_late = rank[0] == '1' && step >= late_from;
        Add(job, rank, "train_step", at_ms, static_cast<double>(step));
        Add(job, rank, "train_step_time_seconds", at_ms, 1);
        Add(job, rank, "train_phase_seconds", at_ms, is_late ? 0.8 : 0.4, "forward");
        Add(job, rank, "train_phase_seconds", at_ms, is_late ? 0.1 : 0.5, "wait");
      }
    }
  }

  void Add(const std::string& job, const std::string& rank, const char* name, int64_t at_ms,
           double value, const char* phase = "") {
    storage_.Append(
        LabelSet::Of({{kMetricName, name}, {"job", job}, {"rank", rank}, {"phase", phase}}),
        kZeroMs + at_ms, value);
  }

  static Matcher Named(const char* name) { return Matcher::Equal(std::string(kMetricName), name); }

  // "job rank: 1=5 2=6 end@7", one series a line; seconds after kZeroMs.
  std::string Selected(const std::vector<Matcher>& matchers, int64_t from_s, int64_t to_s) {
    const auto querier = derived_.NewQuerier();
    LOCKSTEP_CHECK(querier.ok());
    const auto set =
        (*querier)->Select({matchers, {kZeroMs + 1000 * from_s, kZeroMs + 1000 * to_s}, nullptr});
    LOCKSTEP_CHECK(set.ok());
    std::string text;
    SampleColumns samples;
    while ((*set)->Next()) {
      samples.Clear();
      LOCKSTEP_CHECK((*set)->Read(samples).ok());
      const LabelSet& labels = (*set)->labels();
      absl::StrAppendFormat(&text, "%s %s%s:", labels.Get("job"), labels.Get("rank"),
                            labels.Get("state"));
      for (size_t i = 0; i < samples.values.size(); ++i) {
        const int64_t at_s = (samples.timestamps_ms[i] - kZeroMs) / 1000;
        text += IsStaleNan(samples.values[i]) ? absl::StrFormat(" end@%d", at_s)
                                              : absl::StrFormat(" %d=%g", at_s, samples.values[i]);
      }
      text += "\n";
    }
    return text;
  }

  std::vector<std::string> Names(const std::vector<Matcher>& matchers) {
    return *(*derived_.NewQuerier())->LabelNames({matchers, kAllTimes, nullptr});
  }
  std::vector<std::string> Values(const char* label, const std::vector<Matcher>& matchers) {
    return *(*derived_.NewQuerier())->LabelValues(label, {matchers, kAllTimes, nullptr});
  }

  MemoryStorage storage_;
  DerivedStorage derived_{storage_, 1};
};

TEST_F(DerivedStorageTest, SamplesAreThoseOfTheRange) {
  AddJob("a", 0, 0, 9);
  const std::vector<Matcher> step_times = {Named("lockstep_step_time_seconds")};
  EXPECT_EQ(Selected(step_times, 3, 5), "a : 3=1 4=1 5=1\n");
  EXPECT_EQ(Selected(step_times, 8, 200), "a : 8=1 9=1 10=1 end@80\n");
  EXPECT_EQ(Selected(step_times, 8, 79), "a : 8=1 9=1 10=1\n");
  EXPECT_EQ(Selected(step_times, 100, 200), "");
}

TEST_F(DerivedStorageTest, AllTimesMayBeAsked) {
  AddJob("a", 0, 0, 1);
  const auto querier = derived_.NewQuerier();
  ASSERT_TRUE(querier.ok());
  const std::vector<Matcher> step_times = {Named("lockstep_step_time_seconds")};
  const auto set = (*querier)->Select({step_times, kAllTimes, nullptr});
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_TRUE((*set)->Next());
  SampleColumns samples;
  ASSERT_TRUE((*set)->Read(samples).ok());
  EXPECT_EQ(samples.timestamps_ms.front(), kZeroMs + 1000);
}

TEST_F(DerivedStorageTest, SeriesAreThoseThatMatch) {
  AddJob("a", 0, 0, 2);
  AddJob("b", 0, 0, 1);
  const Matcher step_times = Named("lockstep_step_time_seconds");
  EXPECT_EQ(Selected({step_times}, 0, 50), "a : 1=1 2=1 3=1\nb : 1=1 2=1\n");
  EXPECT_EQ(Selected({step_times, Matcher::Equal("job", "b")}, 0, 50), "b : 1=1 2=1\n");
  EXPECT_EQ(Selected({step_times, Matcher::Equal("rank", "0")}, 0, 50), "");
  EXPECT_EQ(Selected({step_times, Matcher::Equal("job", "c")}, 0, 50), "");
}

TEST_F(DerivedStorageTest, ASeriesContinuesFromOneAttemptToTheNext) {
  AddJob("a", 0, 0, 4);
  AddJob("a", 30'000, 2, 4);
  // The second attempt begins before the first one's marker.
  EXPECT_EQ(Selected({Named("lockstep_step_time_seconds")}, 0, 500),
            "a : 1=1 2=1 3=1 4=1 5=1 31=1 32=1 33=1 end@103\n");
  AddJob("a", 200'000, 0, 1);
  EXPECT_EQ(Selected({Named("lockstep_step_time_seconds")}, 0, 500),
            "a : 1=1 2=1 3=1 4=1 5=1 31=1 32=1 33=1 end@103 201=1 202=1 end@272\n");
}

TEST_F(DerivedStorageTest, AStoredSeriesOfADerivedNameIsNotShown) {
  AddJob("a", 0, 0, 1);
  storage_.Append(LabelSet::Of({{kMetricName, "lockstep_step_time_seconds"}, {"job", "stored"}}),
                  kZeroMs + 1000, 7);
  storage_.Append(LabelSet::Of({{kMetricName, "lockstep_step_other"}, {"job", "stored"}}),
                  kZeroMs + 1000, 8);
  EXPECT_EQ(Selected({Named("lockstep_step_time_seconds")}, 0, 50), "a : 1=1 2=1\n");
  EXPECT_EQ(
      Selected({*Matcher::Make(MatchType::kRegex, std::string(kMetricName), "lockstep_step_.*")}, 0,
               50),
      "stored : 1=8\na : 1=1 2=1\n");
}

TEST_F(DerivedStorageTest, NothingIsDerivedForOtherNames) {
  AddJob("a", 0, 0, 1);
  EXPECT_EQ(Selected({Named("train_step_time_seconds"), Matcher::Equal("rank", "0")}, 0, 50),
            "a 0: 1=1 2=1\n");
  EXPECT_EQ(Selected({Named("lockstep_unheard_of")}, 0, 50), "");
  const auto name = [](MatchType type, const char* value) {
    return *Matcher::Make(type, std::string(kMetricName), value);
  };
  const Matcher rank = Matcher::Equal("rank", "0");
  EXPECT_EQ(Selected({name(MatchType::kRegex, "train_step"), rank}, 0, 50), "a 0: 1=0 2=1\n");
  EXPECT_EQ(
      Selected({name(MatchType::kNotEqual, "x"), rank, Matcher::Equal("phase", "wait")}, 0, 50),
      "a 0: 1=0.5 2=0.5\n");
}

TEST_F(DerivedStorageTest, TheStateIsThatOfEachMoment) {
  AddJob("a", 0, 0, 9);
  EXPECT_EQ(Selected({Named("lockstep_job_state"), Matcher::Equal("job", "a")}, 20, 110),
            "a crashed: 20=0 35=0 50=0 65=0 80=0 95=0 110=0\n"
            "a ended: 20=0 35=0 50=0 65=0 80=0 95=1 110=1\n"
            "a running: 20=1 35=1 50=1 65=1 80=1 95=0 110=0\n"
            "a stalled: 20=0 35=0 50=0 65=0 80=0 95=0 110=0\n");
  // Long after its last step, its processes say that they are alive.
  Add("a", "0", "lockstep_rank_alive", 4'000'000, 1);
  EXPECT_EQ(Selected({Named("lockstep_job_state"), Matcher::Equal("state", "stalled")}, 4000, 4000),
            "a stalled: 4000=1\n");
}

TEST_F(DerivedStorageTest, StragglersAreThoseOfTheLatestSteps) {
  AddJob("a", 0, 0, 99, 60);
  const std::vector<Matcher> straggler = {Named("lockstep_straggler")};
  EXPECT_TRUE(Selected(straggler, 59, 100).starts_with("a 1: 59=0 60=0 61=1 62=1 "));
  EXPECT_EQ(Selected(straggler, 98, 99), "a 1: 98=1 99=1\n");
  EXPECT_EQ(Selected({straggler[0], Matcher::Equal("cause", "gpu")}, 99, 99), "a 1: 99=1\n");
  EXPECT_EQ(Selected({straggler[0], Matcher::Equal("cause", "loader")}, 99, 99), "");
  EXPECT_EQ(Selected({Named("lockstep_rank_not_reporting")}, 98, 99), "");
}

TEST_F(DerivedStorageTest, ARankThatDoesNotReportIsShown) {
  AddJob("a", 0, 0, 99);
  for (int64_t step = 100; step < 200; ++step) {
    Add("a", "0", "train_step", 1000 * (step + 1), static_cast<double>(step));
  }
  EXPECT_TRUE(Selected({Named("lockstep_rank_not_reporting")}, 99, 140)
                  .starts_with("a 1: 99=0 100=0 101=1 102=1 "));
}

TEST_F(DerivedStorageTest, VerdictsAreThoseOfTheWholeHour) {
  AddJob("a", 0, 0, 99, 60);
  const auto verdicts = [this](int64_t from_s, int64_t to_s) {
    return Selected({Named("lockstep_job_verdict"), Matcher::Equal("verdict", "slow_rank")}, from_s,
                    to_s);
  };
  EXPECT_EQ(verdicts(100, 100), "a : 100=1\n");
  EXPECT_EQ(verdicts(30, 100), "a : 40=0 100=1\n");
}

TEST_F(DerivedStorageTest, ModelsAreThereWithoutJobs) {
  const std::vector<Matcher> bandwidth = {Named("lockstep_gpu_memory_bandwidth_bytes_per_second"),
                                          Matcher::Equal("model", "l4")};
  EXPECT_EQ(Selected(bandwidth, 0, 120), " : 0=3e+11 60=3e+11 120=3e+11\n");
  // Over more than 400 days, only the last minute.
  constexpr int64_t kDayS = 86'400;
  EXPECT_EQ(Selected(bandwidth, 0, 401 * kDayS),
            absl::StrFormat(" : %d=3e+11 %d=3e+11\n", 401 * kDayS - 60, 401 * kDayS));
  const std::vector<std::string> models = Values("model", {Named("lockstep_gpu_peak_flops")});
  EXPECT_TRUE(std::ranges::binary_search(models, "h200-sxm5-141gb"));
}

TEST_F(DerivedStorageTest, LabelsAreThoseOfTheSeries) {
  AddJob("a", 0, 0, 99, 60);
  EXPECT_EQ(Names({Named("lockstep_straggler")}),
            (std::vector<std::string>{"__name__", "cause", "job", "rank"}));
  EXPECT_EQ(Values("rank", {Named("lockstep_straggler")}), std::vector<std::string>{"1"});
  EXPECT_EQ(Values("host", {Named("lockstep_straggler")}), std::vector<std::string>{});
  EXPECT_EQ(Names({Named("train_loss")}), std::vector<std::string>{});
  EXPECT_EQ(Values("phase", {}), (std::vector<std::string>{"forward", "wait"}));
  // With a regular expression, those of stored series as well.
  storage_.Append(LabelSet::Of({{kMetricName, "lockstep_stragglers_other"}, {"zone", "z"}}),
                  kZeroMs, 1);
  const std::vector<Matcher> both = {
      *Matcher::Make(MatchType::kRegex, std::string(kMetricName), "lockstep_straggler(s_other)?")};
  EXPECT_EQ(Names(both), (std::vector<std::string>{"__name__", "cause", "job", "rank", "zone"}));
  EXPECT_EQ(Values(kMetricName.data(), both),
            (std::vector<std::string>{"lockstep_straggler", "lockstep_stragglers_other"}));
}

TEST_F(DerivedStorageTest, DevicesThatNameRanksMakeAJob) {
  storage_.Append(
      LabelSet::Of({{kMetricName, "DCGM_FI_DEV_POWER_USAGE"}, {"job", "exporter"}, {"gpu", "0"}}),
      kZeroMs, 700);
  const auto lists = [this] {
    const std::vector<std::string> names = Values(kMetricName.data(), {});
    return std::ranges::binary_search(names, "lockstep_mfu");
  };
  EXPECT_FALSE(lists());
  storage_.Append(LabelSet::Of({{kMetricName, "DCGM_FI_DEV_POWER_USAGE"},
                                {"job", "trained"},
                                {"gpu", "0"},
                                {"rank", "0"}}),
                  kZeroMs, 700);
  EXPECT_TRUE(lists());
}

TEST_F(DerivedStorageTest, PassesWritesAndQuestionsOn) {
  bool is_committed = false;
  WriteRequest request;
  SeriesWrite& series = request.series.emplace_back();
  series.labels = LabelSet::Of({{kMetricName, "written"}, {"job", "w"}});
  series.samples = {{kZeroMs, 7}};
  derived_.Write(std::move(request),
                 [&](const absl::StatusOr<WriteOutcome>& outcome) { is_committed = outcome.ok(); });
  EXPECT_TRUE(is_committed);
  EXPECT_EQ(Selected({Named("written")}, 0, 1), "w : 0=7\n");
  EXPECT_EQ(derived_.Cardinality({}).ok(), storage_.Cardinality({}).ok());
}

TEST_F(DerivedStorageTest, ABudgetThatIsSpentEndsAQuery) {
  AddJob("a", 0, 0, 99, 60);
  for (const char* name : {"lockstep_straggler", "lockstep_job_state", "lockstep_straggler_score",
                           "lockstep_job_verdict", "lockstep_goodput_ratio"}) {
    QueryBudget budget(5, QueryBudget::Clock::time_point::max());
    const std::vector<Matcher> matchers = {Named(name)};
    const auto querier = derived_.NewQuerier();
    EXPECT_FALSE((*querier)->Select({matchers, {kZeroMs, kZeroMs + 100'000}, &budget}).ok())
        << name;
  }
}

}  // namespace
}  // namespace lockstep::answers
