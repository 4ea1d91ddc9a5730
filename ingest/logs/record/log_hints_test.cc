#include "ingest/logs/record/log_hints.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"

namespace lockstep::logs {
namespace {

std::string HintsText(const LogHints& hints) {
  return absl::StrFormat("%s|%s|%d|%d|%s", hints.format, hints.run, hints.rank.value_or(-1),
                         hints.attempt, hints.metric);
}

TEST(LogHintsTest, Paths) {
  const auto check = [](std::string_view path, std::string_view hints) {
    EXPECT_EQ(HintsText(HintsFromPath(path)), hints) << path;
  };
  check("logs/8f2c_q1w2e3/attempt_1/3/stdout.log", "|8f2c|3|1|");
  check("my_run_q1w2e3/attempt_0/12/error.json", "torchelastic_error|my_run|12|0|");
  check("attempt_0/3/stdout.log", "||-1|0|");
  check("x/attempt_a/3/stdout.log", "||-1|0|");
  check("slurm-4242_3.out", "|4242_3|-1|0|");
  check("lightning_logs/version_2/metrics.csv", "|version_2|-1|0|");
  check("mlruns/0/5f1c/metrics/system/cpu", "mlflow_file|5f1c|-1|0|system/cpu");
  check("store/7/5f1c0d2e9a7b4c3d8e6f7a1b2c3d4e5f/metrics/loss",
        "mlflow_file|5f1c0d2e9a7b4c3d8e6f7a1b2c3d4e5f|-1|0|loss");
  check("out/Train_Samples_lr.csv", "deepspeed_csv||-1|0|");
  check("checkpoint-120/trainer_state.json", "hf_trainer_state||-1|0|");
  check("nemo_log_globalrank-3_localrank-1.txt", "||3|0|");
  check("localrank-1/local_rank_2/frank5/x.log", "||-1|0|");
  check("nccl/rank12.log", "||12|0|");
  check("job/rank_7/train.log", "||7|0|");
  check("rank_last.log", "||-1|0|");
  // The last of several launches; what is no number is none.
  check("a_x/attempt_1/2/b_y/attempt_3/4/stdout.log", "|b|4|3|");
  check("a_x/attempt_1/b/stdout.log", "||-1|0|");
  check("a_x/attempt_1/2", "||-1|0|");
  check("a/attempt_1/2/stdout.log", "|a|2|1|");
  check("slurm-4242.err", "||-1|0|");
  check("x-slurm-4242.out", "||-1|0|");
  check("4242.out", "||-1|0|");
  check("version_2/loss.csv", "||-1|0|");
  check("conversion_2/metrics.csv", "||-1|0|");
  check("metrics.csv", "||-1|0|");
  check("mlruns/0/5f1c/metrics", "||-1|0|");
  check("mlruns/0/5f1c/params/lr", "||-1|0|");
  check("mlruns/0/5f1c/params/mlruns/0/6a/metrics/loss", "mlflow_file|6a|-1|0|loss");
  check("mlruns/0/5f1c/metrics/a/mlruns/0/6a/metrics/loss",
        "mlflow_file|5f1c|-1|0|a/mlruns/0/6a/metrics/loss");
  check("store/7/5f1c0d2e9a7b4c3d8e6f7a1b2c3d4e5g/metrics/loss", "||-1|0|");
  check("store/7/5f1c0d2e9a7b4c3d8e6f7a1b2c3d4e5/metrics/loss", "||-1|0|");
  check("Train_Samples_lr.txt", "||-1|0|");
  check("My_Train_Samples_lr.csv", "||-1|0|");
  check("rank-3.log", "||3|0|");
  check("rank=3", "||3|0|");
  check("rank.3.log", "||3|0|");
  check("rank--3.log", "||-1|0|");
  check("rank", "||-1|0|");
  check("rank99999999.log", "||-1|0|");
  check("rank_x_rank5.log", "||5|0|");
  check("Frank5_crank6_0rank7", "||7|0|");
  check("rank1/rank2.log", "||2|0|");
  check("rank1/out.log", "||1|0|");
  check("local_rank_2_rank_3.log", "||3|0|");
  check("", "||-1|0|");
  check("/", "||-1|0|");
}

}  // namespace
}  // namespace lockstep::logs
