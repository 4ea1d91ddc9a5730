#include "import/traces/tensorboard/tensorboard_tag.h"

#include <gtest/gtest.h>

#include "base/text/float_format.h"

namespace lockstep::traces {
namespace {

// "metric{name=value,...} scale unit"
std::string Describe(std::string_view tag) {
  const TagMeaning meaning = MeaningOfTag(tag);
  std::string text = meaning.metric + "{";
  for (const TraceLabel& label : meaning.labels) text += label.name + "=" + label.value + ",";
  if (text.back() == ',') text.pop_back();
  return text + "} " + FormatSampleValue(meaning.scale) + " " + std::string(meaning.unit);
}

struct Row {
  std::string_view tag;
  std::string_view expected;
};

TEST(TensorboardTagTest, KnowsWhatTrainersWrite) {
  for (const Row& row : {
           Row{"lm loss", "train_loss{} 1 1"},
           Row{"lm loss vs samples", "train_loss{axis=samples} 1 1"},
           Row{"iteration-time", "train_step_time_seconds{} 1 s"},
           Row{"iteration-time vs samples", "train_step_time_seconds{axis=samples} 1 s"},
           Row{"samples vs steps", "train_samples_total{} 1 samples"},
           Row{"lm loss validation", "validation_loss{} 1 1"},
           Row{"lm loss validation vs samples", "validation_loss{axis=samples} 1 1"},
           Row{"lm loss validation ppl", "validation_perplexity{} 1 1"},
           Row{"mtp_1 loss validation", "validation_loss{loss=mtp_1 loss} 1 1"},
           Row{"throughput", "train_tflops_per_gpu{} 1 TFLOP/s"},
           Row{"throughput(tps)", "train_tokens_per_second_per_gpu{} 1 tokens/s"},
           Row{"mfu(%)", "train_mfu_ratio{} 0.01 ratio"},
           Row{"memory/max_active(GiB)", "gpu_torch_memory_active_peak_bytes{} 1073741824 bytes"},
           Row{"train_step_timing in s", "train_step_time_seconds{} 1 s"},
           Row{"train/loss", "train_loss{} 1 1"},
           Row{"train/train_loss", "train_loss_mean{} 1 1"},
           Row{"eval/loss", "validation_loss{} 1 1"},
           Row{"lr-AdamW/pg1", "train_learning_rate{group=AdamW/pg1} 1 1"},
           Row{"lr/group_0", "train_learning_rate{group=group_0} 1 1"},
           Row{"device/flops_per_sec", "train_tflops_per_gpu{} 1e-12 TFLOP/s"},
           Row{"DeviceStatsMonitor.on_train_batch_end/active.all.peak",
               "gpu_torch_memory_stat{stat=active.all.peak,hook=on_train_batch_end} 1 "},
           Row{"Train/Samples/lr", "train_learning_rate{axis=samples} 1 1"},
           Row{"Train/Samples/elapsed_time_ms_step",
               "train_phase_seconds{phase=optimizer,axis=samples} 0.001 s"},
           Row{"Train/Samples/mine", "Train/Samples/mine{axis=samples} 1 "},
       }) {
    EXPECT_EQ(Describe(row.tag), row.expected) << row.tag;
  }
}

TEST(TensorboardTagTest, KeepsWhatItDoesNotKnow) {
  for (const std::string_view tag :
       {"my/own metric", "Loss", "loss ", " validation ", "DeviceStatsMonitor.x"}) {
    EXPECT_EQ(Describe(tag), std::string(tag) + "{} 1 ");
  }
}

TEST(TensorboardTagTest, AnMfuAboveOneAndAHalfIsPercent) {
  EXPECT_DOUBLE_EQ(MeaningOfTag("mfu").InUnit(0.41), 0.41);
  EXPECT_DOUBLE_EQ(MeaningOfTag("mfu").InUnit(41), 0.41);
  EXPECT_DOUBLE_EQ(MeaningOfTag("mfu(%)").InUnit(1.2), 0.012);
  EXPECT_DOUBLE_EQ(MeaningOfTag("loss").InUnit(41), 41);
}

}  // namespace
}  // namespace lockstep::traces
