#include "answers/derived/derived_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace lockstep::answers {
namespace {

using enum DerivedMetric;

TEST(DerivedMetrics, AreSortedByNameAndFoundByIt) {
  const auto all = AllDerivedMetrics();
  EXPECT_EQ(all.size(), static_cast<size_t>(kJobVerdict) + 1);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &DerivedMetricInfo::name));
  std::set<DerivedMetric> metrics;
  for (const DerivedMetricInfo& info : all) {
    EXPECT_TRUE(info.name.starts_with(kDerivedPrefix)) << info.name;
    EXPECT_EQ(DerivedMetricNamed(info.name), info.metric) << info.name;
    EXPECT_TRUE(info.help.ends_with('.')) << info.name;
    EXPECT_TRUE(info.type == "gauge" || info.type == "counter") << info.name;
    metrics.insert(info.metric);
  }
  EXPECT_EQ(metrics.size(), all.size());
  EXPECT_EQ(DerivedMetricNamed("lockstep_"), std::nullopt);
  EXPECT_EQ(DerivedMetricNamed("up"), std::nullopt);
}

TEST(DerivedMetrics, AQueryMentionsThemByNameOrByRegularExpression) {
  for (const char* query :
       {"lockstep_mfu", "sum(lockstep_mfu) by (job)", "{__name__=~\"lockstep_.*\"}",
        "{__name__=~'lockstep_.*'}", "{__name__=~`lockstep_.*`}", "{__name__ =~ \"lockstep_m\"}",
        "up{job=~\"a\"} + {__name__=~\"lockstep_x\"}"}) {
    EXPECT_TRUE(MentionsDerivedMetric(query)) << query;
  }
  for (const char* query : {"", "up", "lockstep_agent_up", "{__name__=~\".*\"}", "=~",
                            "up{job=~\"a_lockstep_.*\"}", "a =~ lockstep_x"}) {
    EXPECT_FALSE(MentionsDerivedMetric(query)) << query;
  }
}

TEST(DerivedMetrics, AreOfJobsOrOfModels) {
  for (const DerivedMetricInfo& info : AllDerivedMetrics()) {
    EXPECT_EQ(IsOfAnnotations(info.metric), info.metric == kAnnotation) << info.name;
    EXPECT_EQ(IsOfJobs(info.metric),
              !info.name.starts_with("lockstep_gpu_") && info.metric != kAnnotation)
        << info.name;
    EXPECT_EQ(IsOfJobList(info.metric), info.metric == kJobState) << info.name;
    EXPECT_EQ(IsOfStragglers(info.metric),
              info.metric == kStraggler || info.metric == kRankNotReporting)
        << info.name;
  }
}

// "p" for phases, "o" for operations, "l" for links, "b" for steps beyond the frontier, "j" for the
// steps of the job, and the number of device roles.
std::string NeedsText(DerivedMetric metric) {
  const JobNeeds needs = NeedsOf(metric);
  return std::string(needs.job_steps ? "j" : "") + (needs.phases ? "p" : "") +
         (needs.operations ? "o" : "") + (needs.links ? "l" : "") +
         (needs.beyond_frontier ? "b" : "") + " " + std::to_string(needs.devices.count());
}

TEST(DerivedMetrics, NeedOnlyTheDataThatTheyAreComputedFrom) {
  const std::string all = std::to_string(catalogue::kRoleCount);
  EXPECT_EQ(NeedsText(kStepTime), "jb 0");
  EXPECT_EQ(NeedsText(kTokensPerSecond), "job 0");
  EXPECT_EQ(NeedsText(kMfu), "ob 0");
  EXPECT_EQ(NeedsText(kStragglerScore), "jp 0");
  EXPECT_EQ(NeedsText(kStraggler), "jpl " + all);
  EXPECT_EQ(NeedsText(kBottleneck), "j " + all);
  EXPECT_EQ(NeedsText(kRankNotReporting), "j 0");
  const std::string ledger = "jpo " + std::to_string(CountersOfClasses().count());
  EXPECT_EQ(NeedsText(kGoodputRatio), ledger);
  EXPECT_EQ(NeedsText(kWastedGpuSeconds), ledger);
  EXPECT_EQ(NeedsText(kJobVerdict), "jpol " + all);
  EXPECT_TRUE(NeedsOf(kJobVerdict).loss);
  EXPECT_TRUE(NeedsOf(kJobVerdict).memory);
  EXPECT_FALSE(NeedsOf(kStraggler).loss);
}

TEST(DerivedMetrics, DependOnSoMuchOfTheJobBefore) {
  constexpr int64_t kMinute = 60'000;
  EXPECT_EQ(ContextMs(kStepTime), 0);
  EXPECT_EQ(ContextMs(kTokensPerSecond), 0);
  EXPECT_EQ(ContextMs(kMfu), 0);
  EXPECT_EQ(ContextMs(kStragglerScore), 10 * kMinute);
  EXPECT_EQ(ContextMs(kGoodputRatio), 10 * kMinute);
  EXPECT_EQ(ContextMs(kBottleneck), kMinute);
  EXPECT_EQ(ContextMs(kStraggler), 60 * kMinute);
  EXPECT_EQ(ContextMs(kJobState), 60 * kMinute);
  EXPECT_EQ(ContextMs(kRankNotReporting), 60 * kMinute);
  EXPECT_EQ(ContextMs(kJobVerdict), 60 * kMinute);
  EXPECT_EQ(ContextMs(kWastedGpuSeconds), kAllOfItMs);
}

}  // namespace
}  // namespace lockstep::answers
