// Replays every recorded job: at every step, the answer from the state kept between queries equals
// that from loading the whole job.
#include <gtest/gtest.h>

#include "tests/live/replay.h"

namespace lockstep::live {
namespace {

void CheckRecording(std::string_view name) {
  for (const training::RecordedJob& job : training::LoadRecording(name)) {
    if (job.steps.size() == 0) continue;
    Replay replay;
    // Ranks push once a second; the second rank's sender is half a second late.
    std::vector<int64_t> late_ms(job.job.ranks.size(), 0);
    late_ms[1] = 500;
    replay.AddJob(job, 1000, late_ms);
    size_t compared = 0;
    for (size_t n = 0; n < job.steps.size(); ++n) {
      const int64_t now_ms = job.steps.end_ms[n] + 1;
      replay.AdvanceTo(now_ms);
      const Replay::Answer live = replay.AskLive(job.job.name, now_ms);
      const Replay::Answer whole = replay.AskWhole(job.job.name, now_ms);
      ASSERT_EQ(live.text, whole.text) << job.job.name << " at step " << job.steps.step[n];
      compared += live.text.empty() ? 0 : 1;
      if (n == job.steps.size() / 2) replay.Restart();
    }
    EXPECT_GT(2 * compared, job.steps.size()) << job.job.name;
  }
}

TEST(LiveRecordings, EachStepOfTheJobs) { CheckRecording("h200"); }
TEST(LiveRecordings, EachStepOfTheSweep) { CheckRecording("sweep"); }

}  // namespace
}  // namespace lockstep::live
