// Every window of the recorded jobs is classified as what was run.
#include "training/bottlenecks/bottlenecks.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/training/recording.h"

namespace lockstep::training {
namespace {

std::string Planted(const RecordedJob& job) {
  if (job.truth.bound == "comm-bound") return "communication_bound";
  std::string bound = job.truth.bound;
  for (char& c : bound) c = c == '-' ? '_' : c;
  return bound;
}

// While one rank hangs, it is idle and the others wait.
bool IsInHang(const RecordedJob& job, const TimeRange& time) {
  return job.job.name == "hang" && time.min_ms <= job.truth.time.max_ms &&
         time.max_ms >= job.truth.time.min_ms;
}

TEST(RecordedBottlenecks, EveryWindowIsClassedRightly) {
  size_t windows = 0;
  double least_margin = 1;
  for (const char* name : {"h200", "sweep"}) {
    for (const RecordedJob& job : LoadRecording(name)) {
      const BottleneckAnswer with_steps = FindBottlenecks({job.job, job.steps, job.devices});
      EXPECT_EQ(Name(with_steps.verdict), Planted(job)) << job.job.name;
      const BottleneckAnswer answer = FindBottlenecks({job.job, StepTable{}, job.devices});
      EXPECT_EQ(Name(answer.verdict), Planted(job)) << job.job.name << " by devices alone";
      for (const ClassifiedWindow& window : answer.windows) {
        if (IsInHang(job, window.time)) continue;
        for (const Classified& gpu : window.gpus) {
          ++windows;
          if (Name(gpu.bottleneck) == Planted(job)) {
            least_margin = std::min(least_margin, gpu.margin);
            continue;
          }
          ADD_FAILURE() << job.job.name << ": " << Name(gpu.bottleneck);
        }
      }
    }
  }
  EXPECT_GE(windows, 250u);
  RecordProperty("windows", static_cast<int>(windows));
  RecordProperty("least_margin_percent", static_cast<int>(100 * least_margin));
}

TEST(RecordedBottlenecks, InAHangOneIdlesAndTheOthersWait) {
  for (const RecordedJob& job : LoadRecording("h200")) {
    if (job.job.name != "hang") continue;
    size_t inside = 0;
    for (const ClassifiedWindow& window :
         FindBottlenecks({job.job, StepTable{}, job.devices}).windows) {
      const bool is_inside =
          window.time.min_ms > job.truth.time.min_ms && window.time.max_ms < job.truth.time.max_ms;
      if (!is_inside) continue;
      ++inside;
      for (size_t row = 0; row < 4; ++row) {
        EXPECT_EQ(Name(window.gpus[row].bottleneck), row == 3 ? "idle" : "waiting");
      }
    }
    EXPECT_GE(inside, 1u);
  }
}

}  // namespace
}  // namespace lockstep::training
