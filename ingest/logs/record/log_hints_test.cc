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
  check("", "||-1|0|");
  check("/", "||-1|0|");
}

}  // namespace
}  // namespace lockstep::logs
