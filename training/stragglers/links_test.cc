#include "training/devices/links.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::training {
namespace {

constexpr int64_t kScrapeMs = 5000;
constexpr size_t kSteps = 200;
constexpr size_t kSlowFrom = 100;
constexpr size_t kHosts = 4;
constexpr double kQuickSeconds = 1.0;
constexpr double kUsualBytesPerS = 1e9;

// Two ranks on each of four hosts, with one interface per host. From step 100 on, all steps are
// longer, but no rank's own time is.
struct NetworkJob {
  explicit NetworkJob(double slow_seconds) {
    steps.step_seconds = RankMatrix(2 * kHosts, kSteps);
    RankMatrix forward(2 * kHosts, kSteps, 0.5);
    int64_t end_ms = job.begin_ms;
    for (size_t n = 0; n < kSteps; ++n) {
      const double seconds = n < kSlowFrom ? kQuickSeconds : slow_seconds;
      if (n == kSlowFrom) slow_ms = end_ms;
      end_ms += static_cast<int64_t>(seconds * 1000);
      steps.step.push_back(static_cast<int64_t>(n));
      steps.end_ms.push_back(end_ms);
      for (size_t row = 0; row < 2 * kHosts; ++row) steps.step_seconds(row, n) = seconds;
    }
    RankMatrix allreduce = steps.step_seconds;
    for (size_t row = 0; row < 2 * kHosts; ++row) {
      for (double& value : allreduce.Row(row)) value -= 0.5;
    }
    steps.phases = {{"forward", PhaseKind::kForward, std::move(forward)},
                    {"allreduce", PhaseKind::kCommunication, std::move(allreduce)}};
    for (size_t host = 0; host < kHosts; ++host) {
      links.push_back({LinkKind::kInfiniBand, Host(host), "mlx5_0", {}});
      Count(links.back()[Role::kNicTransmitBytesTotal], kUsualBytesPerS, kUsualBytesPerS);
      Count(links.back()[Role::kNicSymbolErrorsTotal], 0, 0);
    }
    for (size_t row = 0; row < 2 * kHosts; ++row) {
      job.ranks.push_back({.rank = static_cast<int64_t>(row), .host = Host(row / 2)});
    }
    devices.resize(2 * kHosts);
  }

  static std::string Host(size_t host) { return absl::StrFormat("node-%d", host); }

  // A counter with one rate before the steps became longer and another one after that.
  void Count(CounterSeries& series, double before, double after) const {
    series = {};
    double total = 1000;
    for (int64_t at = job.begin_ms; at <= steps.end_ms.back(); at += kScrapeMs) {
      series.timestamp_ms.push_back(at);
      series.value.push_back(total);
      total += (at < slow_ms ? before : after) * kScrapeMs / 1000;
    }
  }

  // "slow_rank network: 4 5", or only the verdict.
  std::string Found() const {
    const StragglerAnswer answer = FindStragglers({job, steps, devices, nullptr, links});
    std::string text(Name(answer.verdict));
    for (const SlowRankFinding& finding : answer.ranks) {
      text += absl::StrFormat(" %s:%d", Name(finding.cause), finding.row);
    }
    return text;
  }

  Job job{.name = "made", .ranks = {}, .begin_ms = 1'700'000'000'000};
  StepTable steps;
  std::vector<GpuCounters> devices;
  std::vector<NetworkLink> links;
  int64_t slow_ms = 0;
};

constexpr double kSlow = 1.3;

struct LinkRow {
  Role role;
  double before;
  double after;
  std::string expected;
};

// The counters of host 2's interface, and the verdict of the job.
TEST(NetworkStragglers, RanksBehindALinkInTrouble) {
  const std::string named = "slow_rank network:4 network:5";
  const std::vector<LinkRow> rows = {
      {Role::kNicSymbolErrorsTotal, 0, 2, named},
      {Role::kNicLinkDownedTotal, 0, 0.02, named},
      {Role::kNicRetransmitsTotal, 0.001, 3, named},
      {Role::kNicTransmitBytesTotal, kUsualBytesPerS, kUsualBytesPerS / 4, named},
      {Role::kNicSymbolErrorsTotal, 0, 0.01, "job_slow_all"},  // one error per two minutes
      {Role::kNicSymbolErrorsTotal, 2, 2, "job_slow_all"},     // as before
      {Role::kNicTransmitBytesTotal, kUsualBytesPerS, 0.8 * kUsualBytesPerS, "job_slow_all"},
      {Role::kNicTransmitBytesTotal, 0, 0,
       "job_slow_all"},  // an interface that the job does not use
  };
  for (const LinkRow& row : rows) {
    NetworkJob made(kSlow);
    for (NetworkLink& link : made.links) {
      if (link[row.role].empty()) made.Count(link[row.role], 0, 0);
    }
    made.Count(made.links[2][row.role], row.before, row.after);
    EXPECT_EQ(made.Found(), row.expected) << static_cast<int>(row.role) << " " << row.after;
  }
}

TEST(NetworkStragglers, ALowerRateThanOfTheOthers) {
  NetworkJob made(kSlow);
  for (NetworkLink& link : made.links) {
    link[Role::kNicRateBytesPerSecond] = {{made.slow_ms + 1000, made.slow_ms + 2000}, {5e10, 5e10}};
  }
  EXPECT_EQ(made.Found(), "job_slow_all");
  made.links[0][Role::kNicRateBytesPerSecond].value = {2.5e10, 2.5e10};
  EXPECT_EQ(made.Found(), "slow_rank network:0 network:1");
}

TEST(NetworkStragglers, NvlinkOfOneGpu) {
  NetworkJob made(kSlow);
  for (GpuCounters& device : made.devices)
    made.Count(device[Role::kGpuNvlinkReplayErrorsTotal], 0, 0);
  EXPECT_EQ(made.Found(), "job_slow_all");
  made.Count(made.devices[3][Role::kGpuNvlinkReplayErrorsTotal], 0, 5);
  EXPECT_EQ(made.Found(), "slow_rank network:3");
}

TEST(NetworkStragglers, NobodyWhereTheJobIsAsQuickAsEver) {
  NetworkJob made(kQuickSeconds);
  made.Count(made.links[2][Role::kNicSymbolErrorsTotal], 0, 2);
  EXPECT_EQ(made.Found(), "none");
}

TEST(NetworkStragglers, NobodyWhereAllLinksSufferAlike) {
  NetworkJob made(kSlow);
  for (NetworkLink& link : made.links) made.Count(link[Role::kNicSymbolErrorsTotal], 0, 2);
  EXPECT_EQ(made.Found(), "job_slow_all");
}

// Steps are no longer than before, but one rank communicates longer than the others.
TEST(NetworkStragglers, ARankThatExchangesLonger) {
  NetworkJob made(kQuickSeconds);
  made.Count(made.links[2][Role::kNicSymbolErrorsTotal], 0, 2);
  for (size_t n = kSlowFrom; n < kSteps; ++n) made.steps.phases[1].seconds(4, n) += 0.1;
  EXPECT_EQ(made.Found(), "slow_rank network:4");
  made.Count(made.links[2][Role::kNicSymbolErrorsTotal], 0, 0);
  EXPECT_EQ(made.Found(), "none");
}

// With collective waits, sending is a rank's own time, so the others wait for that rank.
TEST(NetworkStragglers, ByWaitsARankThatSendsLonger) {
  NetworkJob made(kQuickSeconds);
  made.links.clear();
  RankMatrix wait(2 * kHosts, kSteps, 0.3);
  RankMatrix send(2 * kHosts, kSteps, 0.2);
  for (size_t n = kSlowFrom; n < kSteps; ++n) {
    wait(6, n) -= 0.1;
    send(6, n) += 0.1;
  }
  made.steps.phases[1] = {"send", PhaseKind::kCommunication, std::move(send)};
  made.steps.phases.push_back({"wait", PhaseKind::kWait, std::move(wait)});
  EXPECT_EQ(made.Found(), "slow_rank network:6");
}

TEST(NetworkStragglers, SayWhichLinkAndWhatItCosts) {
  NetworkJob made(kSlow);
  made.Count(made.links[2][Role::kNicSymbolErrorsTotal], 0, 2);
  const StragglerAnswer answer =
      FindStragglers({made.job, made.steps, made.devices, nullptr, made.links});
  ASSERT_EQ(answer.ranks.size(), 2u);
  const SlowRankFinding& finding = answer.ranks[0];
  EXPECT_EQ(finding.evidence.front().signal, "step_seconds");
  EXPECT_EQ(finding.evidence.back().signal, "symbol_errors");
  EXPECT_NEAR(finding.score, 0.3, 1e-9);
  EXPECT_EQ(finding.episodes.at(0).first_step, 100);
  // A hundred steps of 0.3 s too many, on eight GPUs.
  EXPECT_NEAR(finding.lost_seconds, 30, 1e-6);
  EXPECT_NEAR(answer.lost_seconds, 30, 1e-6);
  EXPECT_NEAR(answer.lost_gpu_seconds, 240, 1e-6);
  EXPECT_NEAR(answer.what_if.step_seconds_now, 1.3, 1e-9);
  EXPECT_EQ(answer.also, std::vector{StragglerVerdict::kJobSlowAll});
}

TEST(NetworkStragglers, SayHowMuchLongerTheyExchange) {
  NetworkJob made(kQuickSeconds);
  made.Count(made.links[2][Role::kNicSymbolErrorsTotal], 0, 2);
  for (size_t n = kSlowFrom; n < kSteps; ++n) made.steps.phases[1].seconds(4, n) += 0.125;
  const StragglerAnswer answer =
      FindStragglers({made.job, made.steps, made.devices, nullptr, made.links});
  ASSERT_EQ(answer.ranks.size(), 1u);
  const Evidence& excess = answer.ranks[0].evidence.back();
  EXPECT_EQ(excess.signal, "exchange_excess");
  EXPECT_DOUBLE_EQ(excess.value, 0.125);
  EXPECT_EQ(excess.words, "communication time above the peers' median");
  EXPECT_EQ(answer.ranks[0].evidence.front().signal, "symbol_errors");
  EXPECT_EQ(answer.ranks[0].episodes.at(0).first_step, 100);
}

}  // namespace
}  // namespace lockstep::training
