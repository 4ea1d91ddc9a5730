// What trainers print: details and damage of the lines of each format.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ingest/logs/log_parser_testing.h"

namespace lockstep::logs {
namespace {

struct StdoutCase {
  std::string_view line;
  std::string_view reason;  // "": the line is ignored
};

// None of the lines makes a record after those of `before`.
void ExpectNothingAfter(std::string_view format, const std::string& before,
                        std::initializer_list<StdoutCase> cases) {
  const ParsedLog without = ParseLogAs(format, before);
  for (const auto& [line, reason] : cases) {
    const ParsedLog parsed = ParseLogAs(format, before + std::string(line) + "\n");
    EXPECT_EQ(parsed.records, without.records) << line;
    EXPECT_EQ(parsed.counts.ignored - without.counts.ignored, reason.empty() ? 1u : 0u) << line;
    EXPECT_EQ(parsed.rejections, reason.empty()
                                     ? ""
                                     : absl::StrFormat("%d @%d: %s\n", without.counts.lines + 1,
                                                       before.size(), reason))
        << line;
  }
}

void ExpectNothing(std::string_view format, std::initializer_list<StdoutCase> cases) {
  ExpectNothingAfter(format, "", cases);
}

std::string StdoutRecords(std::string_view format, std::string_view log, LogHints hints = {}) {
  hints.format = format;
  const ParsedLog parsed = ParseLog(log, hints);
  EXPECT_EQ(parsed.rejections, "") << log;
  EXPECT_EQ(parsed.counts.ignored, 0u) << log;
  return parsed.records;
}

// An hour east of UTC: 10:00 there is 09:00 UTC, which is 1772442000 on 2026-03-02.
LogHints HintsOfParis() {
  LogHints hints;
  hints.utc_offset_s = 3600;
  return hints;
}

TEST(MegatronLinesTest, WhatIsNoIteration) {
  ExpectNothing("megatron",
                {{"", ""},
                 {"hello", ""},
                 {" [yesterday] iteration 1/ 10 | lm loss: 1 |", ""},
                 {" [2026-03-02 09:00:00 iteration 1/ 10 | lm loss: 1 |", ""},
                 {" iteration x/ 10 | lm loss: 1 |", "no step after \"iteration\""},
                 {" iteration 1 10 | lm loss: 1 |", "no step after \"iteration\""},
                 {" iteration 1/ 10 lm loss: 1", "no step after \"iteration\""},
                 {" iteration 1/ 10 | lm loss: 1 | x", "the line ends before its last '|'"}});
}

TEST(MegatronLinesTest, CellsWithoutANumberAreLeftOut) {
  EXPECT_EQ(StdoutRecords("megatron", " iteration 1/ 10 | hello | lm loss: x | grad norm: 2.0 |\n"),
            "step step=1 train_grad_norm=2\n");
}

TEST(MegatronLinesTest, TimesAreInTheZoneOfTheHints) {
  EXPECT_EQ(StdoutRecords("megatron",
                          " [2026-03-02 10:00:00] iteration 1/ 10 | lm loss: 1 |\n"
                          "[2026-03-02 10:00:01] | MnRtt/Rnk: 5.0ms/13\n",
                          HintsOfParis()),
            "step step=1 time=1772442000000 train_loss=1\n"
            "measurement time=1772442001000\n"
            "+measurement rank=13 time=1772442001000 train_straggler_roundtrip_seconds=0.005\n");
}

TEST(MegatronLinesTest, MemoryIsOfARankAndTheLastIteration) {
  EXPECT_EQ(StdoutRecords("megatron",
                          " iteration 1/ 10 | lm loss: 1 |\n"
                          "[Rank 15] (after 1 iterations) memory (MB) | allocated: 2.0 | max "
                          "allocated: 3.0\n"),
            "step step=1 train_loss=1\n"
            "+step rank=15 step=1 gpu_torch_memory_allocated_bytes=2.097152e+06 "
            "gpu_torch_memory_peak_bytes=3.145728e+06\n");
  ExpectNothing("megatron", {{"[Rank x] memory (MB) | allocated: 2.0", ""},
                             {"[Rank 15] starts", ""},
                             {"[Rank 15] | allocated: 2.0", ""}});
}

TEST(MegatronLinesTest, HeadingsOfTimersAreTaken) {
  EXPECT_EQ(StdoutRecords("megatron",
                          "times across ranks (ms):\n(min, max) time across ranks (ms):\n"
                          "max time across ranks (ms):\n"),
            "");
}

TEST(MegatronLinesTest, DamagedTimers) {
  const std::string iteration = " iteration 1/ 10 | lm loss: 1 |\n";
  ExpectNothingAfter("megatron", iteration + "times across ranks (ms):\n  forward:\n",
                     {{"    forward", "neither a timer nor a rank's time"},
                      {"    rank x: 1.0", "no rank before a timer's value"},
                      {"    rank 1 1.0", "no rank before a timer's value"},
                      {"    rank 1: x", "a timer's value is not a number"}});
  ExpectNothingAfter("megatron", iteration + "max time across ranks (ms):\n",
                     {{"    optimizer 3.00", "no ':' after a timer's name"},
                      {"    optimizer: x", "a timer's value is not a number"}});
  constexpr std::string_view kNoPair = "a timer's value is not \"(lowest, highest)\"";
  ExpectNothingAfter("megatron", iteration + "(min, max) time across ranks (ms):\n",
                     {{"    optimizer", "no ':' after a timer's name"},
                      {"    optimizer: 1.00, 2.00)", kNoPair},
                      {"    optimizer: (x, 2.00)", kNoPair},
                      {"    optimizer: (1.00 2.00)", kNoPair},
                      {"    optimizer: (1.00, x)", kNoPair},
                      {"    optimizer: (1.00, 2.00", kNoPair},
                      {"    optimizer: (1.00, 2.00))", kNoPair}});
}

TEST(MegatronLinesTest, TimersEndAtALineThatIsNotIndented) {
  constexpr std::string_view kTimer = "    optimizer ....: 3.00";
  const std::string iteration = " iteration 1/ 10 | lm loss: 1 |\n";
  const std::string section = "max time across ranks (ms):\n";
  ExpectNothingAfter("megatron", iteration, {{kTimer, ""}});
  ExpectNothingAfter("megatron", section + "done\n", {{kTimer, ""}});
  ExpectNothingAfter("megatron", section + iteration, {{kTimer, ""}});
}

TEST(MegatronLinesTest, DamagedStragglerReports) {
  ExpectNothing("megatron",
                {{"[today] | MnRtt/Rnk: 5826.22ms/13", "no time before a straggler report"},
                 {"^^^^ Bottom 2 Ranks", ""},
                 {"^^^^ Etpt(TF): 256.40", "no value/rank among the extremes"},
                 {"^^^^ Etpt(TF): x/11", "no value/rank among the extremes"},
                 {"^^^^ Etpt(TF): 256.40/x", "no value/rank among the extremes"}});
  for (const std::string_view cell : {"Rtt/Rnk: 5ms/13", "MnRtt: 5ms/13", "MxRtt/Rnk: 5ms",
                                      "MxRtt/Rnk: x/13", "MxRtt/Rnk: 5ms/x", ""}) {
    const ParsedLog parsed = ParseLogAs(
        "megatron", absl::StrFormat("[2026-03-02 09:00:00] | MnRtt/Rnk: 5.0ms/1 | %s\n", cell));
    EXPECT_EQ(parsed.rejections, "1 @0: a cell without value/rank\n") << cell;
    // What came before the damage stays.
    EXPECT_EQ(parsed.records,
              "measurement time=1772442000000\n"
              "+measurement rank=1 time=1772442000000 train_straggler_roundtrip_seconds=0.005\n");
  }
}

TEST(NemoLinesTest, WhatIsNoProgress) {
  constexpr std::string_view kNoEpoch = "no epoch and iteration after \"Training\"";
  constexpr std::string_view kNoIteration = "no iteration in a progress line";
  constexpr std::string_view kNoCell = "a cell that is not \"name: number\"";
  ExpectNothing("nemo", {{"", ""},
                         {"Training", ""},
                         {"Training epoch x, iteration 1/99", kNoEpoch},
                         {"Training epoch 0 iteration 1/99", kNoEpoch},
                         {"Training epoch 0, iteration x/99", kNoIteration},
                         {"Training epoch 0, iteration 1 99", kNoIteration},
                         {"Validation: iteration x/99", kNoIteration},
                         {"Training epoch 0, iteration 1/99 | lr", kNoCell},
                         {"Training epoch 0, iteration 1/99 | lr: x", kNoCell},
                         {"Training epoch 0, iteration 1/99 | lr: 1 | x | y: 1", kNoCell}});
}

TEST(NemoLinesTest, WhatIsNoLoggedTime) {
  ExpectNothing("nemo",
                {{"[NeMo ", ""},
                 {"[NeMo I 2026-03-02 09:00:00 x:450] hello", ""},
                 {"[NeMo I 2026-03-02 09:00:00 x:450] Step x: a=9.5", ""},
                 {"[NeMo I 2026-03-02 09:00:00 x:450] Step 5 a=9.5", ""},
                 {"[NeMo I 2026-03-02 09:00:00 x:450] Step 5: done", ""},
                 {"[NeMo I 2026-03-02 09:00:00 x:450] Step 5: a=x", "no number after '='"}});
  EXPECT_EQ(StdoutRecords("nemo", "[NeMo I yesterday x:450] Step 5: a in s=9.5\n"),
            "step step=5 a_in_s=9.5\n");
  EXPECT_EQ(StdoutRecords("nemo", "[NeMo I 2026-03-02 10:00:00 x:450] Step 5: a in s=9.5\n",
                          HintsOfParis()),
            "step step=5 time=1772442000000 a_in_s=9.5\n");
}

TEST(NemoLinesTest, ValidationIsAnEvaluation) {
  EXPECT_EQ(StdoutRecords("nemo", "Validation: iteration 3/10 | validation_loss: 2.5\n"),
            "evaluation step=3 validation_loss=2.5\n");
}

TEST(NemoLinesTest, AnIterationThatComesAgainIsANewAttempt) {
  EXPECT_EQ(
      StdoutRecords("nemo", "Training epoch 0, iteration 1/99\nTraining epoch 0, iteration 1/99\n"),
      "step step=1 epoch=0\nstep attempt=1 step=1 epoch=0\n");
}

TEST(TorchtitanLinesTest, WhatIsNoStep) {
  const std::string head = "[titan] 2026-03-02 09:00:00,354 - root - INFO - ";
  constexpr std::string_view kNoCell = "a cell that is not \"name: value\"";
  ExpectNothing("torchtitan",
                {{"", ""},
                 {head + "hello", ""},
                 {"[titan] 2026-03-02 09:00:00,354 - root - WARN - step: 1 loss: 2", ""},
                 {"[titan] 2026-03-02 09:00:00,354 root - INFO - step: 1 loss: 2", ""},
                 {"[titan] today - root - INFO - step: 1 loss: 2", ""},
                 {head + "step: x loss: 2", "no number after \"step:\""},
                 {head + "step: 1 loss", kNoCell},
                 {head + "step: 1 loss: x", kNoCell}});
}

TEST(TorchtitanLinesTest, ValidationHasNamesOfItsOwn) {
  const std::string head = "2026-03-02 10:00:00,354 - root - INFO - ";
  EXPECT_EQ(StdoutRecords("torchtitan",
                          head + "validate step: 1  loss:  5.5  memory: 1.00MiB(50.00%)\n" + head +
                              "step: 2  loss:  5.25  memory: 2.00GiB(x)\n",
                          HintsOfParis()),
            "evaluation step=1 time=1772442000354 validation_loss=5.5 "
            "validation_torch_memory_reserved_peak_bytes=1.048576e+06 "
            "validation_torch_memory_reserved_peak_ratio=0.5\n"
            "step step=2 time=1772442000354 train_loss=5.25 "
            "gpu_torch_memory_reserved_peak_bytes=2.147483648e+09\n");
}

TEST(TorchtitanLinesTest, AStepThatComesAgainIsANewAttempt) {
  const std::string step = "2026-03-02 09:00:00,354 - root - INFO - step: 1\n";
  EXPECT_EQ(StdoutRecords("torchtitan", step + step),
            "step step=1 time=1772442000354\nstep attempt=1 step=1 time=1772442000354\n");
}

TEST(NanogptLinesTest, WhatIsNoIteration) {
  constexpr std::string_view kNoCell = "a cell that is not \"name number\"";
  ExpectNothing("nanogpt", {{"", ""},
                            {"epoch 1: loss 2", ""},
                            {"iter x: loss 2", ""},
                            {"iter 1 loss 2", ""},
                            {"iter 1: loss", kNoCell},
                            {"iter 1: loss x", kNoCell},
                            {"step 1: train loss 2, val", kNoCell}});
}

TEST(NanogptLinesTest, OnlyANegativeMfuIsNone) {
  EXPECT_EQ(
      StdoutRecords("nanogpt", "iter 4: loss -1.5, mfu -100.00%\niter 5: loss -1.5, mfu 0.00%\n"),
      "step step=4 train_loss=-1.5\nstep step=5 train_loss=-1.5 train_mfu_ratio=0\n");
}

TEST(NanogptLinesTest, AnIterationThatComesAgainIsANewAttempt) {
  EXPECT_EQ(StdoutRecords("nanogpt", "iter 1: loss 2\niter 1: loss 2\n"),
            "step step=1 train_loss=2\nstep attempt=1 step=1 train_loss=2\n");
}

TEST(DeepspeedLinesTest, WhatIsNoStep) {
  constexpr std::string_view kNoCell = "a cell that is not \"name: number\"";
  constexpr std::string_view kNoTimer = "a timer that is not \"name: number\"";
  ExpectNothing("deepspeed",
                {{"", ""},
                 {"hello", ""},
                 {"[step=10, skipped=0, lr=[1]", ""},
                 {"step=x, skipped=0", "no number after \"step=\""},
                 {"steps: x loss: 2.5", "no number after \"steps:\""},
                 {"steps: 10 loss: x", "no number after a name and ':'"},
                 {"steps: 10 loss: 2.5 iter time (s)", "the line ends within a name"},
                 {"epoch=0/micro_step=40", ""},
                 {"epoch=0/micro_step=40/global_step=x", "no number after \"global_step=\""},
                 {"epoch=0/global_step=10, MemAllocated", "the line ends within a name"},
                 {"epoch=0/global_step=10, MemAllocated=x", "no number after '='"},
                 {"time (ms) | fwd", kNoTimer},
                 {"time (ms) | fwd: x", kNoTimer},
                 {"comm op: all_reduce", "no '|' after a comm op"},
                 {"comm op: all_reduce | time (ms)", kNoCell},
                 {"comm op: all_reduce | time (ms): x", kNoCell}});
}

TEST(DeepspeedLinesTest, PartsOfAStepMayBeMissing) {
  EXPECT_EQ(StdoutRecords("deepspeed",
                          "step=1, mom=[(0.9, 0.95)]\nstep=2, skipped=x, lr=[0.5]\n"
                          "epoch=0/global_step=3\n"),
            "step step=1\nstep step=2 train_learning_rate=0.5\nstep step=3\n");
}

TEST(DeepspeedLinesTest, UnitsAreBinary) {
  EXPECT_EQ(StdoutRecords("deepspeed",
                          "epoch=0/micro_step=1/global_step=3, MemAllocated=1.5KB, "
                          "MaxMemAllocated=2.0MB, CurrSamplesPerSec=8.5\n"),
            "step step=3 gpu_torch_memory_allocated_bytes=1536 "
            "gpu_torch_memory_peak_bytes=2.097152e+06 train_samples_per_second=8.5\n");
}

TEST(DeepspeedLinesTest, TheHeadHasATimeAndARank) {
  // The first time is the line's; a step is of all ranks.
  EXPECT_EQ(StdoutRecords("deepspeed",
                          "[2026-03-02 10:00:00,125] [2026-03-02 11:00:00,000] [Rank 3] step=1\n",
                          HintsOfParis()),
            "step step=1 time=1772442000125\n");
  EXPECT_EQ(StdoutRecords("deepspeed",
                          "[Rank 3] comm op: broadcast | time (ms): 4.0\n"
                          "[Rank x] comm op: broadcast | time (ms): 4.0\n"),
            "measurement rank=3 op=broadcast comm_op_seconds=0.004\n"
            "measurement op=broadcast comm_op_seconds=0.004\n");
}

TEST(NvrxLinesTest, ScoresAreOfTheReportAboveThem) {
  constexpr std::string_view kRank = " Rank=11 Node=n1 Score=0.5\n Rank=2 Score=0.75\n";
  EXPECT_EQ(
      StdoutRecords("nvrx",
                    "2026-03-02 10:00:00,000 GPU individual performance:\n" + std::string(kRank) +
                        "GPU relative performance:\n" + std::string(kRank),
                    HintsOfParis()),
      "measurement time=1772442000000\n"
      "+measurement rank=11 time=1772442000000 node=n1 straggler_gpu_individual_score=0.5\n"
      "+measurement rank=2 time=1772442000000 straggler_gpu_individual_score=0.75\n"
      "measurement\n"
      "+measurement rank=11 node=n1 straggler_gpu_relative_score=0.5\n"
      "+measurement rank=2 straggler_gpu_relative_score=0.75\n");
}

TEST(NvrxLinesTest, DamagedScores) {
  ExpectNothing("nvrx", {{" Rank=11 Node=n1 Score=0.5", ""}, {" Rank=x", ""}, {"hello", ""}});
  ExpectNothingAfter("nvrx", "GPU relative performance:\n",
                     {{" Rank=x Score=0.5", "no rank and score in a report"},
                      {" Rank=1 Node=n1", "no rank and score in a report"},
                      {" Rank=1 Score=x", "a score that is not a number"},
                      {"Rank=1 Score=0.5", ""}});
}

}  // namespace
}  // namespace lockstep::logs
