#include "import/files/file_kind.h"

#include <gtest/gtest.h>

#include "import/files/importing_testing.h"
#include "tests/support/source_dir.h"

namespace lockstep::importer {
namespace {

std::string FormatText(const std::string& path, std::string_view head) {
  const auto format = FormatOfFile(path, head);
  return format.ok() ? format->name : std::string("none");
}

void CheckKind(std::string_view head, std::string_view name, const std::string& path = "x") {
  EXPECT_EQ(FormatText(path, head), name) << head;
}

TEST(FileKindTest, Expositions) {
  CheckKind("# TYPE a gauge\na 1 1700000000\n# EOF\n", "openmetrics");
  CheckKind("a 1 1700000000.25\n", "openmetrics");
  CheckKind("a{b=\"c d\"} 1 1700000000000\n", "prometheus");
  // OpenMetrics has neither comments nor empty lines.
  CheckKind("# just a remark\na 1\n\na 2\n", "prometheus");
  // Some lines may be malformed.
  CheckKind("a 1 1700000000\na one\nb 2 1700000000\n", "openmetrics");
  CheckKind("a 1 1700000000\nnothing at all here\nnor here\n", "none");
  // The last line is truncated.
  CheckKind("a 1 1700000000\nb{c=\"", "openmetrics");
  CheckKind("", "none");
  CheckKind("# Notes\n\nNothing to see.\n", "none");
}

TEST(FileKindTest, LogsAndSteps) {
  CheckKind("{\"step\": 1, \"loss\": 2.5}\n", "jsonl", "log");
  CheckKind("{\"step\": 1, \"loss\": 2.5}\n", "steps", "steps.jsonl.gz");
  CheckKind("1772442931640 1e-05 1\n", "mlflow_file", "mlruns/0/5f1c/metrics/lr");
  CheckKind("epoch,lr-AdamW,step,train_loss\n0,1,1,2\n", "lightning_csv", "metrics.csv");
  CheckKind("chatter\niter 10: loss 4.1234, time 123.45ms, mfu 41.20%\n", "nanogpt");
  // A document that ends after the head.
  CheckKind("{\n \"best_metric\": null,\n \"epoch\": 1.0,\n \"log_history\": [\n",
            "hf_trainer_state", "checkpoint-1/trainer_state.json");
  CheckKind("{\"name\": \"a configuration\"}\n", "none", "config.json");
  CheckKind("random text\nof no format\n", "none");
}

TEST(FileKindTest, RecordedTraces) {
  const std::string folder = SourcePath("import/traces/testdata/");
  CheckKind(BytesOf(folder + "tensorboard/hf_trainer.tfevents"), "tensorboard");
  CheckKind(BytesOf(folder + "tensorboard/truncated.tfevents"), "tensorboard");
  CheckKind(BytesOf(folder + "kineto/rank0.pt.trace.json"), "kineto");
  CheckKind(BytesOf(folder + "nsys/profile_cuda_gpu_kern_sum.csv"), "nsys");
  CheckKind(BytesOf(folder + "nsys/profile_nvtx_sum.csv"), "nsys");
}

TEST(FileKindTest, EvidenceOfHangs) {
  const std::string folder = SourcePath("tests/training/flight_recorder/dumps/");
  CheckKind(BytesOf(folder + "nccl_two_groups/nccl_trace_rank_0"), "flight-recorder");
  CheckKind(BytesOf(folder + "json_missing_rank/nccl_trace_rank_0"), "flight-recorder");
  CheckKind(BytesOf(folder + "pipeline_hang/nccl_trace_rank_0"), "flight-recorder");
  CheckKind(BytesOf(folder + "mesh/stack_rank_5.txt"), "stack");
}

TEST(FileKindTest, StoresOfTrackers) {
  CheckKind(std::string(":W&B\xe1\xbe\0rest", 11), "wandb");
  CheckKind(std::string(":W&B\xe1\xbe\1a later version", 22), "none");
  CheckKind(std::string("SQLite format 3\0rest", 20), "mlflow");
}

TEST(FileKindTest, Names) {
  for (const std::string name : {"openmetrics", "prometheus", "tensorboard", "kineto", "nsys",
                                 "steps", "wandb", "mlflow", "megatron", "wandb_history"}) {
    EXPECT_EQ(FormatOfName(name)->name, name);
  }
  EXPECT_TRUE(std::string(Message(FormatOfName("none").status()))
                  .starts_with("unknown format \"none\"; the formats are openmetrics, "));
}

}  // namespace
}  // namespace lockstep::importer
