// Streams of each format: lines in, records out.
#include "ingest/logs/log_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ingest/logs/log_parser_testing.h"
#include "simdjson.h"

namespace lockstep::logs {
namespace {

void Check(std::string_view log, std::string_view records, const LogHints& hints = {}) {
  const ParsedLog parsed = ParseLog(log, hints);
  EXPECT_EQ(parsed.records, records) << log;
  EXPECT_EQ(parsed.rejections, "") << log;
}

void CheckRejected(std::string_view log, std::string_view rejections, const LogHints& hints = {}) {
  EXPECT_EQ(ParseLog(log, hints).rejections, rejections) << log;
}

LogHints Hints(std::string_view format) {
  LogHints hints;
  hints.format = format;
  return hints;
}

// Rows as printed by three generations of the programs.
TEST(LogParserTest, NcclTests) {
  Check(
      "# nccl-tests version 2.18.2 nccl-headers=23007 nccl-library=23007\n"
      "# Collective test starting: all_reduce_perf\n"
      "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 134217728 step: 2(factor) warmup iters: 1\n"
      "#  Rank  0 Group  0 Pid  15784 on  node0 device  0 [0009:01:00] NVIDIA GH200 120GB\n"
      "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
      "time   "
      "algbw   busbw  #wrong \n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             "
      "(us)  "
      "(GB/s)  (GB/s)         \n"
      "     1048576        262144     float     sum      -1   250.50    4.50    8.25       0   "
      "250.00    "
      "4.00    8.00     N/A\n"
      "# Out of bounds values : 0 OK\n"
      "# Avg bus bandwidth    : 8.125 \n",
      "measurement collective=all_reduce message_bytes=1048576 place=out_of_place type=float sum "
      "nccl_test_seconds=0.0002505 nccl_test_algorithm_bandwidth_bytes_per_second=4.5e+09 "
      "nccl_test_bus_bandwidth_bytes_per_second=8.25e+09 nccl_test_wrong_values=0\n"
      "measurement collective=all_reduce message_bytes=1048576 place=in_place type=float sum "
      "nccl_test_seconds=0.00025 nccl_test_algorithm_bandwidth_bytes_per_second=4e+09 "
      "nccl_test_bus_bandwidth_bytes_per_second=8e+09\n"
      "measurement collective=all_reduce nccl_test_out_of_bounds_values=0\n"
      "measurement collective=all_reduce "
      "nccl_test_mean_bus_bandwidth_bytes_per_second=8.125e+09\n");
  // Without the program's name; all_gather has no operation or root; a prefix from mpirun.
  Check(
      "[1,0]<stdout>:#       size         count      type     time   algbw   busbw  error     time "
      "  "
      "algbw   busbw  error\n"
      "[1,0]<stdout>:        1024            64      bfloat16     8.00    0.25    0.50  0e+00     "
      "4.00    "
      "0.50    1.00  0e+00\n",
      "measurement rank=0 message_bytes=1024 place=out_of_place type=bfloat16 "
      "nccl_test_seconds=8e-06 "
      "nccl_test_algorithm_bandwidth_bytes_per_second=2.5e+08 "
      "nccl_test_bus_bandwidth_bytes_per_second=5e+08 nccl_test_wrong_values=0\n"
      "measurement rank=0 message_bytes=1024 place=in_place type=bfloat16 nccl_test_seconds=4e-06 "
      "nccl_test_algorithm_bandwidth_bytes_per_second=5e+08 "
      "nccl_test_bus_bandwidth_bytes_per_second=1e+09 nccl_test_wrong_values=0\n");
  CheckRejected("8 2 float none -1 5.0 0.0 0.0 0 x 0.0 0.0 0\n",
                "1 @0: a cell of a table that is not a number\n", Hints("nccl_tests"));
}

// 2026-03-02 09:00:00 UTC is 1772442000.
TEST(LogParserTest, Megatron) {
  Check(
      " [2026-03-02 09:00:01.571224] iteration       60/     500 | consumed samples:         7680 "
      "| elapsed time per iteration (ms): 7488.1 | lm loss: 4.408391E+00 |\n",
      "step step=60 samples=7680 time=1772442001571 train_samples_total=7680 "
      "train_step_time_seconds=7.4881 train_loss=4.408391\n");
  // Without a time; with an unknown name.
  Check(" iteration 5/ 10 | mtp_1 loss: 1.5E+00 | lm loss: nan |\n",
        "event step=5 nan: lm loss\n"
        "step step=5 mtp_1_loss=1.5 train_loss=NaN\n");
  Check(
      " iteration 1/ 10 | lm loss: 1.0 |\n"
      "times across ranks (ms):\n  forward-compute:\n     rank  0: 10.50\n     rank 11: 1.00\n"
      "(min, max) time across ranks (ms):\n    optimizer ....: (1.00, 2.00)\n"
      "max time across ranks (ms):\n    optimizer ....: 3.00\n",
      "step step=1 train_loss=1\n"
      "+step rank=0 step=1 train_phase_seconds{phase=forward-compute}=0.0105\n"
      "+step rank=11 step=1 train_phase_seconds{phase=forward-compute}=0.001\n"
      "+step step=1 train_phase_seconds{phase=optimizer}{agg=min}=0.001 "
      "train_phase_seconds{phase=optimizer}{agg=max}=0.002\n"
      "+step step=1 train_phase_seconds{phase=optimizer}{agg=max}=0.003\n");
  Check(
      "[2026-03-02 09:00:00] | MnRtt/Rnk: 5826.22ms/13 | MxPwr/Rnk: 666.21W/4\n"
      "^^^^ Bottom 2 Ranks with lowest  Etpt(TF): 256.40/11, 300.32/1,\n",
      "measurement time=1772442000000\n"
      "+measurement rank=13 time=1772442000000 train_straggler_roundtrip_seconds=5.82622\n"
      "+measurement rank=4 time=1772442000000 gpu_power_watts=666.21\n"
      "+measurement rank=11 time=1772442000000 train_tflops_per_gpu=256.4\n"
      "+measurement rank=1 time=1772442000000 train_tflops_per_gpu=300.32\n",
      Hints("megatron"));
  CheckRejected(" iteration 1/ 10 | lm loss: 1.0 |\n iteration 2/ 10 | lm lo\n",
                "2 @34: the line ends before its last '|'\n");
  CheckRejected("times across ranks (ms):\n  forward-compute:\n     rank  x: 10.50\n",
                "3 @44: no rank before a timer's value\n", Hints("megatron"));
}

TEST(LogParserTest, Nemo) {
  Check(
      "Training epoch 0, iteration 19/99 | lr: 3e-06 | global_step: 19 | reduced_train_loss: 7.42 "
      "| "
      "train_step_timing in s: 9.37 | consumed_samples: 2560\n",
      "step step=19 samples=2560 epoch=0 train_learning_rate=3e-06 train_loss=7.42 "
      "train_step_time_seconds=9.37 train_samples_total=2560\n");
  Check("[NeMo I 2026-03-02 09:00:00 exp_manager:450] Step 5: train_step_timing in s=9.3712\n",
        "step step=5 time=1772442000000 train_step_time_seconds=9.3712\n");
  // Nothing of a line stays for the next.
  Check(
      "Training epoch 0, iteration 0/99 | lr: 3e-06 | consumed_samples: 128\n"
      "Training epoch 0, iteration 1/99 | reduced_train_loss: 7.5\n"
      "[NeMo I 2026-03-02 09:00:00 exp_manager:450] Step 2: train_step_timing in s=9.5\n"
      "Training epoch 0, iteration 3/99 | reduced_train_loss: 7\n",
      "step step=0 samples=128 epoch=0 train_learning_rate=3e-06 train_samples_total=128\n"
      "step step=1 epoch=0 train_loss=7.5\n"
      "step step=2 time=1772442000000 train_step_time_seconds=9.5\n"
      "step step=3 epoch=0 train_loss=7\n");
  CheckRejected("Training epoch 0, iteration 19/99 | lr: 3e-\n",
                "1 @0: a cell that is not \"name: number\"\n");
}

TEST(LogParserTest, Torchtitan) {
  Check(
      "[titan] 2026-03-02 09:00:00,354 - root - INFO - \x1b[31mstep: 10  \x1b[32mloss:  9.97551  "
      "\x1b[0mmemory: 2.00GiB(59.75%)  tps: 6,198  mfu: 36.28%\x1b[0m\n",
      "step step=10 time=1772442000354 train_loss=9.97551 "
      "gpu_torch_memory_reserved_peak_bytes=2.147483648e+09 "
      "gpu_torch_memory_reserved_peak_ratio=0.5975 train_tokens_per_second_per_gpu=6198 "
      "train_mfu_ratio=0.3628\n");
  Check(
      "[titan] 2026-03-02 09:00:00,354 - root - INFO - step:  1  mfu: N/A\n"
      "[titan] 2026-03-02 09:00:01,354 - root - INFO - validate step: 1  loss:  5.5\n",
      "step step=1 time=1772442000354\n"
      "evaluation step=1 time=1772442001354 validation_loss=5.5\n");
}

TEST(LogParserTest, HuggingFaceStdout) {
  // A bar redrawn after a dictionary shows its step; one before it may be outdated.
  Check(
      "\r  1%|          | 1/120 [00:01<02:26]\r            \r{'loss': '6.978', 'epoch': '0.008'}\n"
      "\r  2%|          | 2/120 [00:01<02:26]\n",
      "step step=2 train_loss=6.978 epoch=0.008\n");
  // Otherwise the bar before it.
  Check(
      "  1%|| 10/520 [00:30<--:--]\r{'loss': 3.1, 'grad_norm': nan}\n{'loss': 3.0}\n"
      "{'eval_loss': 2.7, 'epoch': 0.3}\n{'train_runtime': 18.2, 'train_loss': 1.4}\n",
      "event step=10 nan: grad_norm\n"
      "step step=10 train_loss=3.1 train_grad_norm=NaN\n"
      "step step=20 train_loss=3\n"
      "evaluation step=20 validation_loss=2.7 epoch=0.3\n"
      "summary step=20 train_runtime_seconds=18.2 train_loss_mean=1.4\n");
  LogHints hints;
  hints.logging_steps = 5;
  Check("{'loss': 3.1}\n{'loss': 3.0}\n", "step step=5 train_loss=3.1\nstep step=10 train_loss=3\n",
        hints);
  // A resumed run counts from its first step, in the same file too.
  const std::string resumed = "  Continuing training from global step 100\n";
  const std::string event = "event checkpoint_loaded: Continuing training from global step 100\n";
  Check(resumed + "{'loss': 3.1}\n{'loss': 3.0}\n" + resumed + "{'loss': 2.9}\n",
        event + "step step=105 train_loss=3.1\nstep step=110 train_loss=3\n" +
            "event step=110 checkpoint_loaded: Continuing training from global step 100\n" +
            "step attempt=1 step=105 train_loss=2.9\n",
        hints);
  Check(resumed + "{'eval_loss': 2.7, 'epoch': 0.3}\n",
        event + "evaluation step=100 validation_loss=2.7 epoch=0.3\n");
  Check("{'loss': 3.1, 'epoch': 0.5}\n", "step train_loss=3.1 epoch=0.5\n");
  CheckRejected("{'loss': 3.1, 'epoch': 0.5}\n{'loss': 3.\n",
                "2 @28: an unterminated dictionary\n");
}

TEST(LogParserTest, TrainerState) {
  Check(
      "{\n \"log_history\": [\n  {\"loss\": 2.5, \"step\": 10},\n  {\"eval_loss\": 2, \"step\": "
      "10},\n"
      "  {\"train_loss\": 1.5, \"train_runtime\": 3, \"step\": 20}\n ],\n \"max_steps\": 20\n}\n",
      "step step=10 train_loss=2.5\nevaluation step=10 validation_loss=2\n"
      "summary step=20 train_loss_mean=1.5 train_runtime_seconds=3\n");
  CheckRejected("{\n \"log_history\": 3\n}\n",
                absl::StrFormat("3 @20: %s\n", simdjson::error_message(simdjson::INCORRECT_TYPE)));
}

TEST(LogParserTest, JsonLines) {
  Check(R"({"step": 1, "ts_ms": 1772442000000, "rank": "3", "job": "j", "loss": 2.5, "ok": true})"
        "\n",
        "step rank=3 step=1 time=1772442000000 train_loss=2.5\n");
  // NaN and Infinity as Python and W&B write them.
  Check("{\"step\": 1, \"a\": NaN, \"b\": -Infinity, \"c\": \"Infinity\", \"d\": null}\n",
        "event step=1 nan: a\nstep step=1 a=NaN b=-Inf c=+Inf\n");
  Check("{\"step\": 1, \"train\": {\"loss\": 2, \"x y\": {\"z\": 3}}, \"list\": [1, {\"q\": 2}]}\n",
        "step step=1 train_loss=2 train_x_y_z=3\n");
  Check("{\"time\": \"2026-03-02T10:00:00+01:00\", \"mfu\": 41.5, \"step_ms\": 250}\n",
        "measurement time=1772442000000 train_mfu_ratio=0.415 train_step_time_seconds=0.25\n");
  // A small time is a duration.
  Check("{\"step\": 1, \"time\": 0.25}\n", "step step=1 time=0.25\n");
  Check("{\"_step\": 40, \"trainer/global_step\": 4, \"_timestamp\": 1772442000.5, \"lr\": 0.5}\n",
        "step step=4 time=1772442000500 train_learning_rate=0.5\n");
  Check("{\"step\": 1, \"a\\\"b\": 1}\n{\"step\": 2, \"a\\\"b\": 1}\n",
        "step step=1 a_b=1\nstep step=2 a_b=1\n");
  Check("{\"step\": 1e2, \"loss\": 1}\n", "step step=100 train_loss=1\n");
  CheckRejected(
      "{\"step\": 1, \"loss\": 2}\nnot json\n{\"step\": 2, \"loss\":\n{\"step\": 3} {}\n"
      "{\"step\": 4, \"a\": tru}\n{\"step\": 5, \"a\": 1.2.3}\n",
      absl::StrFormat("2 @23: the line does not begin with '{'\n"
                      "3 @32: %s\n"
                      "4 @52: text after the end of the object\n"
                      "5 @67: a value that is not valid JSON\n"
                      "6 @89: a value that is not valid JSON\n",
                      simdjson::error_message(simdjson::INCOMPLETE_ARRAY_OR_OBJECT)));
}

TEST(LogParserTest, JsonWithAFormOfItsOwn) {
  Check(R"({"_timestamp":1772442000,"system.gpu.1.smActive":55,"system.gpu.process.1.gpu":9,)"
        R"("system.gpu.1.pcieTxBytes":2,"system.disk./a.b.usageGB":2})"
        "\n",
        "measurement time=1772442000000 gpu_sm_active_ratio{gpu=1}=0.55 "
        "gpu_pcie_tx_bytes_per_second{gpu=1}=2.097152e+06 "
        "node_filesystem_used_bytes{mountpoint=/a.b}=2e+09\n");
  Check(R"({"header":{"id":"0x7f","rank":2,"n_ranks":4},)"
        R"("metadata":{"dump_timestamp_us":1772442000000000},)"
        R"("coll_perf":{"coll":"AllReduce","coll_sn":7,"coll_exec_time_us":5117}})"
        "\n",
        "measurement rank=2 time=1772442000000 comm=0x7f coll=AllReduce nccl_collective_sequence=7 "
        "nccl_collective_seconds=0.005117\n");
  Check(R"({"message": {"message": "RuntimeError: no", )"
        R"("extraInfo": {"py_callstack": "x", "timestamp": "1772442000"}}})",
        "event time=1772442000000 crash: RuntimeError: no\n");
  // A trainer's dumped history: its train_loss is a mean.
  Check(
      "{\"loss\": 3, \"learning_rate\": 1, \"epoch\": 0.5, \"step\": 1}\n"
      "{\"train_runtime\": 3, \"train_loss\": 2, \"epoch\": 0.5, \"step\": 1}\n",
      "step step=1 train_loss=3 train_learning_rate=1 epoch=0.5\n"
      "summary step=1 train_runtime_seconds=3 train_loss_mean=2 epoch=0.5\n");
}

TEST(LogParserTest, Csv) {
  // Several rows per step, with empty cells; a repeated header.
  Check("epoch,lr-AdamW,step,train_loss\n0,,9,4.5\n0,0.5,9,\nepoch,step,val_loss\n1,19,2\n",
        "step step=9 epoch=0 train_loss=4.5\n"
        "+step step=9 epoch=0 train_learning_rate{group=AdamW}=0.5\n"
        "step step=19 epoch=1 validation_loss=2\n");
  Check("step,\"odd, name\"\r\n1,2\r\n", "step step=1 odd_name=2\n");
  // Lightning's monitor of PyTorch's memory.
  Check(
      "step,DeviceStatsMonitor.on_train_batch_end/"
      "active.all.peak,DeviceStatsMonitor.alone\n1,2,3\n",
      "step step=1 gpu_torch_memory_stat{hook=on_train_batch_end}{stat=active.all.peak}=2 "
      "DeviceStatsMonitor_alone=3\n");
  Check("step,train_loss\n1280,7.5\n", "step samples=1280 train_loss=7.5\n",
        Hints("deepspeed_csv"));
  CheckRejected(
      "step,loss\n1,2\n2\nx,3\n",
      "3 @14: not the same number of cells as the header\n4 @16: a step that is not a number\n");
}

// Quoted as by W&B's page: two runs, the second grouped and without a value in the first row.
TEST(LogParserTest, WandbExport) {
  constexpr std::string_view kHeader =
      "\"Step\",\"sun-1 - loss\",\"sun-1 - loss__MIN\",\"sun-1 - loss__MAX\",\"sun-1 - _step\","
      "\"a - b - train/lr\",\"a - b - train/lr__MIN\",\"a - b - train/lr__MAX\"\n";
  Check(std::string(kHeader) +
            "\"10\",\"2.5\",\"2.5\",\"2.5\",\"10\",\"\",\"\",\"\"\n"
            "20,2.25,2.25,2.25,20,0.5,0.25,0.75\n",
        "step step=10 run=sun-1 train_loss=2.5\n"
        "step step=20 run=sun-1 train_loss=2.25\n"
        "+step step=20 run=a - b train_learning_rate=0.5 train_lr_min=0.25 train_lr_max=0.75\n");
  CheckRejected(
      std::string(kHeader) + "10,2.5\nx,1,1,1,1,1,1,1\n",
      "2 @145: not the same number of cells as the header\n3 @152: a step that is not a number\n");
  CheckRejected("1,2\n", "1 @0: a row without a header\n", Hints("wandb_export"));
}

TEST(LogParserTest, Deepspeed) {
  Check(
      "[2026-03-02 09:00:00,125] [INFO] [logging.py:128:log_dist] [Rank 0] step=10, skipped=1, "
      "lr=[1e-05], mom=[(0.9, 0.95)]\n"
      "steps: 10 loss: 2.5 iter time (s): 1.25 samples/sec: 12.5\n"
      "[2026-03-02 09:00:00,125] [INFO] [timer.py:264:stop] epoch=0/micro_step=10/global_step=10, "
      "CurrSamplesPerSec=8.5, MemAllocated=2.0GB\n"
      "[2026-03-02 09:00:00,125] [INFO] [x] [Rank 0] time (ms) | fwd: 820.33 | step: 93.5\n"
      "[2026-03-02 09:00:01,000] [INFO] [x] [Rank 3] comm op: all_reduce | time (ms): 4.5 | "
      "msg size: 256.0 MB | algbw (Gbps): 8.00 | busbw (Gbps): 16.00\n",
      "step step=10 time=1772442000125 train_skipped_steps_total=1 train_learning_rate=1e-05\n"
      "+step step=10 time=1772442000125 train_loss=2.5 train_step_time_seconds=1.25 "
      "train_samples_per_second=12.5\n"
      "+step step=10 time=1772442000125 train_samples_per_second=8.5 "
      "gpu_torch_memory_allocated_bytes=2.147483648e+09\n"
      "+step step=10 time=1772442000125 train_phase_seconds{phase=forward}=0.82033 "
      "train_phase_seconds{phase=optimizer}=0.0935\n"
      "measurement rank=3 time=1772442001000 op=all_reduce comm_op_seconds=0.0045 "
      "comm_op_message_bytes=2.68435456e+08 comm_op_algorithm_bandwidth_bytes_per_second=1e+09 "
      "comm_op_bus_bandwidth_bytes_per_second=2e+09\n");
}

TEST(LogParserTest, OtherFormats) {
  Check(
      "step 0: train loss 4.0, val loss 4.5\niter 0: loss 4.25, time 123.5ms, mfu -100.00%\n"
      "iter 10: loss 4.0, time 100.0ms, mfu 41.20%\n",
      "evaluation step=0 train_loss_estimate=4 validation_loss=4.5\n"
      "step step=0 train_loss=4.25 train_step_time_seconds=0.1235\n"
      "step step=10 train_loss=4 train_step_time_seconds=0.1 "
      "train_mfu_ratio=0.41200000000000003\n");
  Check("1772442000000 2.5 10\n", "step step=10 time=1772442000000 gpu_power_watts{gpu=0}=2.5\n",
        HintsFromPath("mlruns/0/5f1c/metrics/system/gpu_0_power_usage_watts"));
  Check(
      "node0:42:43 [1] NCCL INFO comm 0x5 rank 3 nRanks 4 nNodes 1\n"
      "node0:42:42 [1] NCCL INFO AllReduce: opCount 2a sendbuff 0x7 recvbuff 0x7 count 1024 "
      "datatype 9 op 0 root 0 comm 0x5 [nranks=4]\n",
      "measurement rank=3 coll=AllReduce comm=0x5 nccl_op_count=42 nccl_elements=1024\n");
  Check("2026-03-02 09:00:00,000 INFO GPU relative performance:\n Rank=11 Node=n1 Score=0.68\n",
        "measurement time=1772442000000\n"
        "+measurement rank=11 time=1772442000000 node=n1 straggler_gpu_relative_score=0.68\n");
}

TEST(LogParserTest, Prefixes) {
  constexpr std::string_view kJson = "{\"step\": 1, \"loss\": 2}\n";
  for (const std::string_view prefix :
       {"[default3]:", "[rank3]:", "3: ", "  3: ", "[1,3]<stdout>:",
        "[pod/llama-worker-2/pytorch] ", "[pod/llama-3-x7k2p/main] ",
        "[pod/llama-worker-0/main] [1,3]<stdout>:"}) {
    Check(std::string(prefix).append(kJson), "step rank=3 step=1 train_loss=2\n");
  }
  Check(std::string("2026-03-02T09:00:00.500000000Z ").append(kJson),
        "step step=1 time=1772442000500 train_loss=2\n");
  LogHints hints;
  hints.first_rank = 8;
  Check(std::string("[default3]:").append(kJson), "step rank=11 step=1 train_loss=2\n", hints);
  Check(std::string("3: ").append(kJson), "step rank=3 step=1 train_loss=2\n", hints);
}

TEST(LogParserTest, Attempts) {
  // A decreasing step; a restart announced by the log; a repeated step in a format that prints each
  // step once.
  Check(
      " iteration 1/ 9 | lm loss: 1 |\n iteration 2/ 9 | lm loss: 1 |\n iteration 2/ 9 | lm loss: "
      "1 |\n"
      " iteration 1/ 9 | lm loss: 1 |\n loading checkpoint from x at iteration 5\n iteration 6/ 9 "
      "| lm loss: 1 |\n",
      "step step=1 train_loss=1\nstep step=2 train_loss=1\nstep attempt=1 step=2 train_loss=1\n"
      "step attempt=2 step=1 train_loss=1\n"
      "event attempt=2 step=1 checkpoint_loaded: loading checkpoint from x at iteration 5\n"
      "step attempt=3 step=6 train_loss=1\n");
  // Ranks count separately.
  Check(
      "0: {\"step\": 2, \"loss\": 1}\n1: {\"step\": 1, \"loss\": 1}\n0: {\"step\": 1, \"loss\": "
      "1}\n",
      "step rank=0 step=2 train_loss=1\nstep rank=1 step=1 train_loss=1\n"
      "step rank=0 attempt=1 step=1 train_loss=1\n");
  LogHints hints;
  hints.attempt = 4;
  Check(
      "{\"step\": 2, \"loss\": 1}\n{\"step\": 1, \"loss\": 1}\n{\"step\": 1, \"attempt\": 9, "
      "\"loss\": 1}\n",
      "step attempt=4 step=2 train_loss=1\nstep attempt=5 step=1 train_loss=1\n"
      "+step attempt=9 step=1 train_loss=1\n",
      hints);
}

TEST(LogParserTest, FormatIsFoundBehindChatter) {
  const std::string chatter = "starting up\n{\"hidden_size\": 4096, \"layers\": 32}\n";
  const ParsedLog parsed = ParseLog(chatter + " iteration 1/ 9 | lm loss: 1 |\n");
  EXPECT_EQ(parsed.format, "megatron");
  std::string debug;
  for (int i = 0; i < 3000; ++i)
    debug += "n:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P\n";
  EXPECT_EQ(ParseLog(debug + " iteration 1/ 9 | lm loss: 1 |\n").format, "megatron");
  EXPECT_EQ(ParseLog(std::string(300'000, 'x') + "\n iteration 1/ 9 | lm loss: 1 |\n").format,
            "megatron");
}

TEST(LogParserTest, LongLinesAreCutAndOffsetsGoOn) {
  const std::string good = "{\"step\": 1, \"loss\": 2}\n";
  const std::string log = good + std::string(kMaxLineBytes * 2, 'x') + "\n" + good + "[";
  for (const size_t slice : {size_t{1000}, size_t{1} << 30}) {
    const ParsedLog parsed = ParseInSlices(log, {}, [slice] { return slice; });
    EXPECT_EQ(parsed.rejections, absl::StrFormat("2 @23: the line is longer than 1 MiB\n"
                                                 "4 @%d: the line does not begin with '{'\n",
                                                 2 * good.size() + 2 * kMaxLineBytes + 1));
    EXPECT_EQ(parsed.counts.records.values, 2u);
    EXPECT_EQ(parsed.counts.lines, 4u);
  }
}

void CheckSlices(std::string_view log, std::initializer_list<size_t> slices) {
  const ParsedLog whole = ParseLog(log);
  for (const size_t slice : slices) {
    const ParsedLog sliced = ParseInSlices(log, {}, [slice] { return slice; });
    EXPECT_TRUE(sliced == whole) << slice << ": " << log.substr(0, 100) << "\n"
                                 << sliced.rejections << whole.rejections << sliced.counts.ignored
                                 << " ignored, not " << whole.counts.ignored;
  }
}

TEST(LogParserTest, SlicesDoNotMatter) {
  // An empty line is ignored, whether or not a later one has control characters.
  const std::string_view empty_line = "step,loss\n1,2\n\n2,3\r\n3,\x1b[31m4\n";
  CheckSlices(empty_line, {1, 14, 15, 16});
  EXPECT_EQ(ParseLog(empty_line).counts.ignored, 1u);
  // An overlong line is detected even if it ends before it is cut.
  const std::string good = "{\"step\": 1, \"loss\": 2}\n";
  for (const size_t excess : {0, 1, 2, 5000}) {
    const std::string line = "{\"step\": 2, \"loss\": 3, \"note\": \"";
    const std::string text(kMaxLineBytes + excess - line.size() - 2, 'x');
    const std::string log = good + line + text + "\"}\n" + good;
    CheckSlices(log, {100, 4096, 60'000});
    EXPECT_EQ(ParseLog(log).counts.rejected, excess == 0 ? 0u : 1u) << excess;
  }
  // Bytes in the buffer after the last line are not part of it.
  const std::string braces = "{\"step\": 1, \"note\": \"}}}}}}}}}}}}}}}}}}}}}}\"}\n";
  const std::string broken = "{\"step\": 2, \"loss\": [1}";
  CheckSlices(braces + broken, {1, braces.size()});
  CheckSlices(broken, {1, 5});
}

TEST(LogParserTest, UnknownFormatsHaveNoParser) {
  TextSink sink;
  EXPECT_EQ(LogParser::New(Hints("cobol"), sink).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep::logs
