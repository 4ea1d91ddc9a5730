// Compares MFU with what was measured when the jobs ran.
#include "training/efficiency/efficiency.h"

#include <gtest/gtest.h>

#include "tests/training/recording.h"

namespace lockstep::training {
namespace {

// The part of a job to which a measured MFU belongs.
RecordedJob PartOf(const RecordedJob& job, const std::string& part) {
  if (part == "off") return StepRangeOf(job, 0, static_cast<size_t>(job.truth.from_step) - 1);
  if (part != "on") return job;
  return StepRangeOf(job, static_cast<size_t>(job.truth.from_step),
                     static_cast<size_t>(job.truth.until_step));
}

TEST(RecordedEfficiency, MfuOfEachRankIsWithinOnePercent) {
  size_t checked = 0;
  for (const char* name : {"h200", "sweep"}) {
    for (const RecordedJob& job : LoadRecording(name)) {
      for (const auto& [part, by_rank] : job.truth.mfu_bf16) {
        const RecordedJob piece = PartOf(job, part);
        const EfficiencyAnswer answer =
            EfficiencyOf({.job = piece.job, .steps = piece.steps, .devices = piece.devices});
        EXPECT_EQ(answer.gpu_model, "h200-sxm5-141gb");
        for (const auto& [rank, mfu] : by_rank) {
          EXPECT_NEAR(answer.ranks.at(static_cast<size_t>(rank)).mfu / mfu, 1, 0.01)
              << job.job.name << " " << part << " rank " << rank;
          ++checked;
        }
      }
    }
  }
  EXPECT_GE(checked, 80u);
}

TEST(RecordedEfficiency, TokensAreThoseOfTheWholeJob) {
  const RecordedJob job = LoadRecording("sweep").front();
  const EfficiencyAnswer answer =
      EfficiencyOf({.job = job.job, .steps = job.steps, .devices = job.devices});
  // 4 ranks of 8 sequences of 2048 tokens, 76 steps of 0.201 s.
  EXPECT_EQ(answer.consumed_tokens, 76 * 65536);
  EXPECT_NEAR(answer.tokens_per_second, 65536 / 0.2012, 500);
}

}  // namespace
}  // namespace lockstep::training
