#include "ingest/push/step_batch.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/check.h"
#include "ingest/logs/log_parser.h"
#include "ingest/push/stored_samples_testing.h"

namespace lockstep::push {
namespace {

constexpr IngestLimits kStepBatchLimits;

struct Batched {
  std::string samples;
  uint64_t refused_count;
};

Batched BatchOf(std::string_view log, const logs::LogHints& hints) {
  StepBatch batch(hints, kStepBatchLimits);
  batch.set_arrival_ms(5000);
  auto parser = logs::LogParser::New(hints, batch);
  LOCKSTEP_CHECK(parser.ok());
  (*parser)->Feed(log);
  (*parser)->Finish();
  StoredSamples stored;
  stored.Write(batch.TakeRequest());
  return {stored.text(), batch.TakeRefusals().sample_count()};
}

void Check(std::string_view log, std::string_view samples) {
  logs::LogHints hints;
  hints.job = "j";
  hints.run = "r";
  const Batched batched = BatchOf(log, hints);
  EXPECT_EQ(batched.samples, samples) << log;
  EXPECT_EQ(batched.refused_count, 0u) << log;
}

TEST(StepBatchTest, ValuesAndTheirSteps) {
  Check(R"({"step": 7, "ts_ms": 1000000000000, "rank": 3, "loss": 2.5, "step_ms": 250})",
        R"(lockstep_step{attempt="0", job="j", rank="3", run="r"} 7@1000000000000)"
        "\n"
        R"(train_loss{attempt="0", job="j", rank="3", run="r"} 2.5@1000000000000)"
        "\n"
        R"(train_step_time_seconds{attempt="0", job="j", rank="3", run="r"} 0.25@1000000000000)"
        "\n");
  // A line's own job and run; its node is a label of its values.
  Check(R"({"ts_ms": 1000000000000, "job": "k", "run_id": "s", "host": "n1", "loss": 2})",
        R"(train_loss{attempt="0", job="k", node="n1", run="s"} 2@1000000000000)"
        "\n");
}

TEST(StepBatchTest, LabelsOfTheMetric) {
  Check(
      " iteration 1/ 9 | lm loss: nan |\nmax time across ranks (ms):\n    optimizer ....: 250.0\n",
      R"(lockstep_event{attempt="0", event="nan", job="j", run="r"} 1@5000)"
      "\n"
      R"(lockstep_step{attempt="0", job="j", run="r"} 1@5000)"
      "\n"
      R"(train_loss{attempt="0", job="j", run="r"} NaN@5000)"
      "\n"
      R"(train_phase_seconds{agg="max", attempt="0", job="j", phase="optimizer", run="r"} 0.25@5000)"
      "\n");
}

// Without times, steps are a millisecond apart from when they arrived; those of several ranks have one.
TEST(StepBatchTest, StepsWithoutTimesAndAttempts) {
  Check(
      "0: {\"step\": 1, \"a\": 1}\n1: {\"step\": 1, \"a\": 2}\n0: {\"step\": 2, \"a\": 3}\n"
      "0: {\"step\": 1, \"a\": 4}\n",
      R"(a{attempt="0", job="j", rank="0", run="r"} 1@5000 3@5001)"
      "\n"
      R"(a{attempt="0", job="j", rank="1", run="r"} 2@5000)"
      "\n"
      R"(a{attempt="1", job="j", rank="0", run="r"} 4@5002)"
      "\n"
      R"(lockstep_step{attempt="0", job="j", rank="0", run="r"} 1@5000 2@5001)"
      "\n"
      R"(lockstep_step{attempt="0", job="j", rank="1", run="r"} 1@5000)"
      "\n"
      R"(lockstep_step{attempt="1", job="j", rank="0", run="r"} 1@5002)"
      "\n");
}

TEST(StepBatchTest, LabelsThatAreNoTextAreRefused) {
  const Batched batched = BatchOf(
      "2026-03-02 09:00:00,000 INFO GPU relative performance:\n Rank=1 Node=n\xff Score=0.5\n"
      " Rank=2 Node=n Score=0.5\n",
      {});
  EXPECT_EQ(batched.samples,
            R"(straggler_gpu_relative_score{attempt="0", node="n", rank="2"} 0.5@1772442000000)"
            "\n");
  EXPECT_EQ(batched.refused_count, 1u);
}

}  // namespace
}  // namespace lockstep::push
