#include "ingest/push/step_batch.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "ingest/logs/log_parser.h"
#include "ingest/push/stored_samples_testing.h"

namespace lockstep::push {
namespace {

constexpr IngestLimits kStepBatchLimits;

struct Batched {
  std::string samples;
  uint64_t refused_count;
  uint64_t refused_cases;
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
  const Refusals refusals = batch.TakeRefusals();
  return {stored.text(), refusals.sample_count(), refusals.count()};
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
  // A line may set its own job and run; its node becomes a label.
  Check(R"({"ts_ms": 1000000000000, "job": "k", "run_id": "s", "host": "n1", "loss": 2})",
        R"(train_loss{attempt="0", job="k", node="n1", run="s"} 2@1000000000000)"
        "\n");
}

TEST(StepBatchTest, LongLabelsOfARecordAreRefusedWithAllItsValues) {
  const auto refused = [](size_t job_bytes) {
    const std::string line = absl::StrFormat(R"({"step": 7, "job": "%s", "loss": 2, "lr": 1})",
                                             std::string(job_bytes, 'j'));
    const Batched batched = BatchOf(line, {});
    return std::pair(batched.refused_count, batched.refused_cases);
  };
  EXPECT_EQ(refused(kStepBatchLimits.max_label_value_bytes), std::pair(uint64_t{0}, uint64_t{0}));
  // Refused before a series is created for each.
  EXPECT_EQ(refused(kStepBatchLimits.max_label_value_bytes + 1),
            std::pair(uint64_t{3}, uint64_t{1}));
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
      R"(train_phase_seconds{agg="max", attempt="0", job="j", phase="optimizer", run="r"} )"
      R"(0.25@5000)"
      "\n");
}

// Steps without times start at their arrival, a millisecond apart; all ranks share a step's time.
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

// Lines of "rank step time", and the times of rank 0's steps in lockstep_step.
void CheckStepTimes(std::string_view lines, std::string_view steps) {
  std::string log;
  for (const auto line : absl::StrSplit(std::string(lines), ';')) {
    int rank = 0, step = 0, time_ms = 0;
    ASSERT_EQ(std::sscanf(std::string(line).c_str(), "%d %d %d", &rank, &step, &time_ms), 3);
    log += absl::StrFormat("{\"rank\": %d, \"step\": %d, \"ts_ms\": %d}\n", rank, step,
                           1'000'000'000'000 + time_ms);
  }
  const std::string samples = BatchOf(log, {}).samples;
  EXPECT_EQ(samples.substr(0, samples.find('\n')),
            absl::StrFormat("lockstep_step{attempt=\"0\", rank=\"0\"}%s", steps))
      << lines;
}

TEST(StepBatchTest, StepsOfOneTimeAreAMillisecondApart) {
  CheckStepTimes(
      "0 1 0;0 2 0;0 3 0;0 4 1;0 5 9",
      " 1@1000000000000 2@1000000000001 3@1000000000002 4@1000000000003 5@1000000000009");
  // Each rank separately.
  CheckStepTimes("0 1 0;1 1 0;0 2 0;1 2 0;0 3 5",
                 " 1@1000000000000 2@1000000000001 3@1000000000005");
  // Lines of one step keep one time.
  CheckStepTimes("0 1 0;0 2 0;0 2 0;0 3 2", " 1@1000000000000 2@1000000000001 3@1000000000002");
}

TEST(StepBatchTest, AClockThatIsSetRightTakesNoTimesOfEarlierSteps) {
  CheckStepTimes(
      "0 1 700;0 2 700;0 3 0;0 4 0;0 5 900",
      " 1@1000000000700 2@1000000000701 3@1000000000702 4@1000000000703 5@1000000000900");
  // Whole seconds: steps 3 and 4 must not get the times of 1 or 2.
  CheckStepTimes("0 1 2000;0 2 2000;0 3 1000;0 4 2000",
                 " 1@1000000002000 2@1000000002001 3@1000000002002 4@1000000002003");
  // A change of local time is trusted.
  CheckStepTimes("0 1 3600700;0 2 3600700;0 3 0;0 4 0",
                 " 3@1000000000000 4@1000000000001 1@1000003600700 2@1000003600701");
  // Lines of one step may come in any order.
  CheckStepTimes("0 1 700;0 1 300", " 1@1000000000300 1@1000000000700");
}

TEST(StepBatchTest, ValuesWithoutAStepOfOneTimeAreAMillisecondApart) {
  Check(
      "{\"ts_ms\": 1000000000000, \"util\": 1, \"temp\": 5}\n"
      "{\"ts_ms\": 1000000000000, \"util\": 2, \"temp\": 5}\n"
      "{\"ts_ms\": 1000000000000, \"util\": 3}\n"
      "{\"ts_ms\": 1000000000001, \"util\": 3}\n",
      "temp{attempt=\"0\", job=\"j\", run=\"r\"} 5@1000000000000\n"
      "util{attempt=\"0\", job=\"j\", run=\"r\"} 1@1000000000000 2@1000000000001"
      " 3@1000000000002 3@1000000000003\n");
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
