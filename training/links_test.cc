#include "training/links.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "training/stragglers.h"

namespace lockstep::training {
namespace {

constexpr int64_t kScrapeMs = 5000;
constexpr size_t kSteps = 200;
constexpr size_t kSlowFrom = 100;
constexpr size_t kHosts = 4;
constexpr double kQuickSeconds = 1.0;
constexpr double kUsualBytesPerS = 1e9;

// Two ranks on each of four hosts, with one interface a host. From step 100 on all steps are longer, and no rank does
// more of its own.
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
      Count(links.back()[LinkCounter::kSentBytes], kUsualBytesPerS, kUsualBytesPerS);
      Count(links.back()[LinkCounter::kSymbolErrors], 0, 0);
    }
    for (size_t row = 0; row < 2 * kHosts; ++row) {
      job.ranks.push_back({.rank = static_cast<int64_t>(row), .host = Host(row / 2)});
    }
    devices.resize(2 * kHosts);
  }

  static std::string Host(size_t host) { return absl::StrFormat("node-%d", host); }

  // A counter that grows by so much a second before the steps became longer, and from then on.
  void Count(CounterSeries& series, double before, double after) const {
    series = {};
    double total = 1000;
    for (int64_t at = job.begin_ms; at <= steps.end_ms.back(); at += kScrapeMs) {
      series.timestamp_ms.push_back(at);
      series.value.push_back(total);
      total += (at < slow_ms ? before : after) * kScrapeMs / 1000;
    }
  }

  // "slow_rank network: 4 5" or the verdict alone.
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
  LinkCounter counter;
  double before;
  double after;
  std::string expected;
};

// What host 2's interface counts, and what is said of the job.
TEST(NetworkStragglers, RanksBehindALinkInTrouble) {
  const std::string named = "slow_rank network:4 network:5";
  const std::vector<LinkRow> rows = {
      {LinkCounter::kSymbolErrors, 0, 2, named},
      {LinkCounter::kLinkDowned, 0, 0.02, named},
      {LinkCounter::kRetransmits, 0.001, 3, named},
      {LinkCounter::kSentBytes, kUsualBytesPerS, kUsualBytesPerS / 4, named},
      {LinkCounter::kSymbolErrors, 0, 0.01, "job_slow_all"},  // an error in two minutes
      {LinkCounter::kSymbolErrors, 2, 2, "job_slow_all"},     // as before
      {LinkCounter::kSentBytes, kUsualBytesPerS, 0.8 * kUsualBytesPerS, "job_slow_all"},
      {LinkCounter::kSentBytes, 0, 0, "job_slow_all"},  // an interface that the job does not use
  };
  for (const LinkRow& row : rows) {
    NetworkJob made(kSlow);
    for (NetworkLink& link : made.links) {
      if (link[row.counter].empty()) made.Count(link[row.counter], 0, 0);
    }
    made.Count(made.links[2][row.counter], row.before, row.after);
    EXPECT_EQ(made.Found(), row.expected) << static_cast<int>(row.counter) << " " << row.after;
  }
}

TEST(NetworkStragglers, ALowerRateThanOfTheOthers) {
  NetworkJob made(kSlow);
  for (NetworkLink& link : made.links) {
    link[LinkCounter::kRateBytesPerS] = {{made.slow_ms + 1000, made.slow_ms + 2000}, {5e10, 5e10}};
  }
  EXPECT_EQ(made.Found(), "job_slow_all");
  made.links[0][LinkCounter::kRateBytesPerS].value = {2.5e10, 2.5e10};
  EXPECT_EQ(made.Found(), "slow_rank network:0 network:1");
}

TEST(NetworkStragglers, NvlinkOfOneGpu) {
  NetworkJob made(kSlow);
  for (GpuCounters& device : made.devices) made.Count(device[DeviceCounter::kNvlinkReplays], 0, 0);
  EXPECT_EQ(made.Found(), "job_slow_all");
  made.Count(made.devices[3][DeviceCounter::kNvlinkReplays], 0, 5);
  EXPECT_EQ(made.Found(), "slow_rank network:3");
}

TEST(NetworkStragglers, NobodyWhereTheJobIsAsQuickAsEver) {
  NetworkJob made(kQuickSeconds);
  made.Count(made.links[2][LinkCounter::kSymbolErrors], 0, 2);
  EXPECT_EQ(made.Found(), "none");
}

TEST(NetworkStragglers, NobodyWhereAllLinksSufferAlike) {
  NetworkJob made(kSlow);
  for (NetworkLink& link : made.links) made.Count(link[LinkCounter::kSymbolErrors], 0, 2);
  EXPECT_EQ(made.Found(), "job_slow_all");
}

// Steps as long as ever, but one rank is in its exchange for longer than it leaves to the others.
TEST(NetworkStragglers, ARankThatExchangesLonger) {
  NetworkJob made(kQuickSeconds);
  made.Count(made.links[2][LinkCounter::kSymbolErrors], 0, 2);
  for (size_t n = kSlowFrom; n < kSteps; ++n) made.steps.phases[1].seconds(4, n) += 0.1;
  EXPECT_EQ(made.Found(), "slow_rank network:4");
  made.Count(made.links[2][LinkCounter::kSymbolErrors], 0, 0);
  EXPECT_EQ(made.Found(), "none");
}

// By waits in collectives, what a rank sends is its own time: it is the one that is waited for.
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

}  // namespace
}  // namespace lockstep::training
