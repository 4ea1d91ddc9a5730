// Which format a line shows.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ingest/logs/log_formats.h"
#include "ingest/logs/record/log_limits.h"

namespace lockstep::logs {
namespace {

std::string FormatOf(std::string_view line, bool is_first = false) {
  const LogFormatKind* kind = LogFormatOfLine(line, is_first);
  return kind == nullptr ? "" : std::string(kind->name);
}

void ExpectFormat(std::string_view format, std::initializer_list<std::string_view> lines) {
  for (const std::string_view line : lines) EXPECT_EQ(FormatOf(line), format) << line;
}

void ExpectFirst(std::string_view format, std::initializer_list<std::string_view> lines) {
  for (const std::string_view line : lines) {
    EXPECT_EQ(FormatOf(line, true), format) << line;
    EXPECT_EQ(FormatOf(line, false), "") << line;
  }
}

TEST(FormatDetectionTest, LightningHasAnEpochAndAStep) {
  ExpectFirst("lightning_csv", {"epoch,step", "lr,step,epoch,train_loss", "\"epoch\",\"step\""});
  ExpectFirst("csv", {"epoch,epoch,step", "epoch,step,step", "epoch,time", "step,loss"});
}

TEST(FormatDetectionTest, ATableHasNamesAndAnAxis) {
  ExpectFirst("csv", {"loss, step ", "time,loss", "timestamp,gpu_util_percent"});
  ExpectFirst("", {"step", "loss,lr", "step,", "step,2.5", "step,{loss}", "step,a:b", "step,a|b",
                   "step,1e3"});
  const std::string longest(kMaxKeyBytes, 'n');
  ExpectFirst("csv", {"step," + longest});
  ExpectFirst("", {"step," + longest + "n"});
}

TEST(FormatDetectionTest, AnExportOfWandbHasRunsAndMetrics) {
  ExpectFirst("wandb_export", {"\"Step\",\"sun-1 - loss\"", "Step,a - b,a - c", "Step,a - b - c"});
  ExpectFirst("", {"Step", "\"Step\"", "Step,loss", "Step, - loss", "Step,a - b,loss"});
  // Another column may be a step, too.
  ExpectFirst("csv", {"Steps,a - b,step"});
}

TEST(FormatDetectionTest, MlflowsTimesAreMillisecondsSince2001) {
  ExpectFirst("mlflow_file", {"1000000000000 2.5 10", "1772442000000 nan 0", "1772442000000 1 -1"});
  ExpectFirst("", {"999999999999 2.5 10", "1772442000000 2.5", "1772442000000 x 10",
                   "1772442000000,2.5,10", "1772442000000 2.5,10", "1772442000000 2.5 x"});
}

TEST(FormatDetectionTest, TrainerStateBeginsWithABrace) {
  ExpectFirst("hf_trainer_state", {"{", " { "});
  EXPECT_EQ(FormatOf("{\"log_history\": []}", true), "hf_trainer_state");
  // Later lines with a brace are just JSON.
  EXPECT_EQ(FormatOf("{\"log_history\": []}", false), "jsonl");
  ExpectFirst("", {"}", "x {", "\"log_history\": ["});
}

TEST(FormatDetectionTest, JsonByItsNames) {
  ExpectFormat("jsonl", {"{\"a\": 1}", "  {\"a\":1}", "{\"_step\": 1}", "{\"_timestamp\": 1}",
                         "{\"system.cpu\": 1}", "{\"message\": 1}", "{\"py_callstack\": 1}"});
  ExpectFormat("", {"{a: 1}", "{\"a\"}", "[\"a\": 1]", "x {\"a\": 1}"});
  ExpectFormat("wandb_history", {"{\"_step\": 1, \"_timestamp\": 2}"});
  ExpectFormat("wandb_events", {"{\"_timestamp\": 2, \"system.cpu\": 1}"});
  ExpectFormat("nccl_inspector", {"{\"coll_perf\": {}}"});
  ExpectFormat("torchelastic_error", {"{\"message\": {\"py_callstack\": \"x\"}}"});
  ExpectFormat("", {"\"coll_perf\": {}", "\"_step\": 1, \"_timestamp\": 2",
                    "\"_timestamp\": 2, \"system.cpu\": 1", "\"message\": \"py_callstack\""});
}

TEST(FormatDetectionTest, Megatron) {
  ExpectFormat("megatron", {" iteration 1/ 9 | lm loss: 1 |", "iteration 1/9 |",
                            " [2026-03-02 09:00:00] iteration 1/9 |"});
  ExpectFormat("", {"iteration 1 |", "iteration 1/9", " [yesterday] iteration 1/9 |",
                    " [2026-03-02 09:00:00 iteration 1/9 |", "an iteration 1/9 |"});
  ExpectFormat("megatron_straggler", {"[2026-03-02 09:00:00] | MnRtt/Rnk: 1ms/3"});
  ExpectFormat("", {"x | MnRtt/Rnk: 1ms/3", "[2026-03-02 09:00:00] | MxRtt/Rnk: 1ms/3"});
}

TEST(FormatDetectionTest, Nemo) {
  ExpectFormat("nemo", {"Training epoch 0, iteration 19/99 | lr: 3e-06"});
  ExpectFormat("", {"Training epoch 0", "x Training epoch 0, iteration 1/9"});
  ExpectFormat("nemo_delta", {"[NeMo I 2026-03-02 09:00:00 x:450] Step 5: train in s=9.3"});
  ExpectFormat(
      "", {"[NeMo I 2026-03-02 09:00:00 x:450] Step 5: done",
           "[NeMo I 2026-03-02 09:00:00 x:450] train in s=9.3", "[Nemo] Step 5: train in s=9.3"});
}

TEST(FormatDetectionTest, Torchtitan) {
  ExpectFormat("torchtitan", {"[titan] 2026-03-02 09:00:00,354 - root - INFO - Starting",
                              "2026-03-02 09:00:00,354 - root - INFO - step: 1 loss: 2"});
  ExpectFormat("", {"2026-03-02 09:00:00,354 - root - INFO - Starting",
                    "[titan] 2026-03-02 09:00:00,354 - root - WARN - step: 1",
                    "[titan] 2026-03-02 09:00:00,354 root - INFO - step: 1",
                    "[titan] today - root - INFO - step: 1"});
}

TEST(FormatDetectionTest, HuggingFaceStdout) {
  ExpectFormat("hf_stdout", {"{'loss': 3.1}", " {'epoch': 0.5} ", "{'a': 1, 'loss': 2}"});
  ExpectFormat("", {"{'a': 1}", "{'loss': 3.1", "{'loss':3.1}", "('loss': 3.1}", "'loss': 3.1}"});
}

TEST(FormatDetectionTest, Deepspeed) {
  constexpr std::string_view kHead = "[2026-03-02 09:00:00,125] [INFO] [x] [Rank 0] ";
  ExpectFormat("deepspeed", {"steps: 10 loss: 2.5 iter time (s): 1.25",
                             std::string(kHead) + "steps: 10 loss: 2.5 iter time (s): 1.25",
                             std::string(kHead) + "step=10, skipped=1, lr=[1]",
                             std::string(kHead) + "epoch=0/micro_step=1/global_step=1, x=1",
                             std::string(kHead) + "time (ms) | fwd: 820.33"});
  ExpectFormat("", {"steps: 10 loss: 2.5", std::string(kHead) + "steps: 10 loss: 2.5",
                    "step=10, skipped=1, lr=[1]", "epoch=0/micro_step=1/global_step=1, x=1",
                    "time (ms) | fwd: 820.33", std::string(kHead) + "step=10, lr=[1]",
                    std::string(kHead) + "x=10, skipped=1", std::string(kHead) + "epoch=0",
                    std::string(kHead) + "x=0/micro_step=1/global_step=1"});
  ExpectFormat("deepspeed_comms", {"comm op: all_reduce | time (ms): 4.5 | algbw (Gbps): 8.00",
                                   std::string(kHead) + "comm op: x | algbw (Gbps): 8.00"});
  ExpectFormat("", {"comm op: all_reduce | time (ms): 4.5", "op: x | algbw (Gbps): 8.00"});
}

TEST(FormatDetectionTest, Nanogpt) {
  ExpectFormat("nanogpt", {"iter 0: loss 4.25, time 1ms", "step 0: train loss 4.0, val loss 4.5",
                           "step 0: loss 4.0"});
  ExpectFormat("",
               {"iter 0: time 1ms", "iter x: loss 4.25", "epoch 0: loss 4.25", "iter 0 loss 1"});
}

TEST(FormatDetectionTest, ReportsAndCollectives) {
  ExpectFormat("nvrx", {"2026-03-02 09:00:00,000 INFO GPU relative performance:"});
  ExpectFormat("", {"GPU individual performance:", "GPU performance:"});
  ExpectFormat("nccl", {"n:1:1 [0] NCCL INFO x", "n:1:1 [0] NCCL WARN x"});
  ExpectFormat("", {"n:1:1 [0] NCCL TRACE x", "NCCL INFO x"});
  ExpectFormat("nccl_tests", {"# Collective test starting: all_reduce_perf",
                              "#   size  count  type   time   algbw   busbw  #wrong"});
  ExpectFormat("", {"Collective test starting: all_reduce_perf", "# nThread 1 nGpus 1",
                    "   size  count  type   time   algbw   busbw  #wrong",
                    "#  count  type   time   algbw   busbw  #wrong",
                    "#   size  count  type   time   busbw  #wrong",
                    "#   size  count  type   time   algbw  #wrong"});
}

TEST(FormatDetectionTest, EveryFormatIsFoundByItsName) {
  ASSERT_FALSE(LogFormatNames().empty());
  ASSERT_EQ(LogFormatNames().size(), LogFormatKinds().size());
  for (const std::string_view name : LogFormatNames()) {
    const LogFormatKind* kind = LogFormatByName(name);
    ASSERT_NE(kind, nullptr) << name;
    EXPECT_EQ(kind->name, name);
    EXPECT_NE(kind->make(), nullptr);
  }
  EXPECT_EQ(LogFormatByName("cobol"), nullptr);
  // Only a hint names it: its lines look like those of any table.
  EXPECT_NE(LogFormatByName("deepspeed_csv"), nullptr);
}

}  // namespace
}  // namespace lockstep::logs
