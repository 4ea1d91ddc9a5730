#include "import/traces/tensorboard/tensorboard_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <protozero/pbf_writer.hpp>
#include <set>

#include "import/traces/records/traces_testing.h"
#include "import/traces/tensorboard/tfrecord_testing.h"

namespace lockstep::traces {
namespace {

struct ReadFile {
  std::vector<TraceRecord> records;
  TensorboardCounts counts;
  std::string problems;
  size_t tag_count = 0;
};

ReadFile ReadTfevents(std::string_view file, size_t piece_bytes = size_t{1} << 30) {
  TensorboardReader reader;
  ReadFile read;
  for (size_t at = 0; at < file.size(); at += piece_bytes) {
    reader.Feed(file.substr(at, piece_bytes), read.records);
  }
  reader.Finish();
  read.counts = reader.counts();
  read.problems = reader.problems().ToString();
  read.tag_count = reader.tag_count();
  return read;
}

ReadFile ReadSample(std::string_view name) {
  return ReadTfevents(ReadTestFile("tensorboard/" + std::string(name) + ".tfevents"));
}

TEST(TensorboardReaderTest, ReadsMegatron) {
  const ReadFile read = ReadSample("megatron");
  EXPECT_EQ(read.problems, "");
  EXPECT_EQ(read.tag_count, 6u);
  EXPECT_EQ(read.counts.scalars, 6u * 52);
  const auto losses = WithMetric(read.records, "train_loss");
  ASSERT_EQ(losses.size(), 2u * 52);
  std::vector<TraceRecord> by_samples;
  std::vector<TraceRecord> by_step;
  for (const TraceRecord& loss : losses) {
    (LabelOf(loss, "axis") == "samples" ? by_samples : by_step).push_back(loss);
  }
  ASSERT_EQ(by_samples.size(), 52u);
  ASSERT_EQ(by_step.size(), 52u);
  EXPECT_EQ(by_step[0].step, 1);
  EXPECT_EQ(by_samples[0].step, 128);
  EXPECT_FLOAT_EQ(static_cast<float>(by_step[0].value), 11.5784f);
  for (size_t i = 0; i < by_step.size(); ++i) {
    EXPECT_EQ(by_step[i].value, by_samples[i].value);
    EXPECT_EQ(*by_samples[i].step, 128 * *by_step[i].step);
    EXPECT_EQ(by_step[i].written, "lm loss");
    EXPECT_GE(*by_step[i].time_ms, 1'772'442'930'000);
  }
  const auto times = WithMetric(read.records, "train_step_time_seconds");
  ASSERT_EQ(times.size(), 52u);
  EXPECT_FLOAT_EQ(static_cast<float>(times[0].value), 6.4f);
  EXPECT_EQ(times[0].unit, "s");
}

TEST(TensorboardReaderTest, ReadsTorchtitanInItsUnits) {
  const ReadFile read = ReadSample("torchtitan");
  EXPECT_EQ(read.problems, "");
  EXPECT_EQ(read.tag_count, 8u);
  EXPECT_EQ(WithMetric(read.records, "train_loss").size(), 52u);
  EXPECT_NEAR(WithMetric(read.records, "train_mfu_ratio")[0].value, 0.363, 1e-6);
  EXPECT_NEAR(WithMetric(read.records, "gpu_torch_memory_active_peak_bytes")[0].value,
              44.12 * 1073741824, 1e5);
}

TEST(TensorboardReaderTest, ReadsTensorsWithANanAmongThem) {
  const ReadFile read = ReadSample("tensor_values");
  EXPECT_EQ(read.problems, "");
  EXPECT_EQ(read.tag_count, 1u);
  ASSERT_EQ(read.records.size(), 52u);
  for (const TraceRecord& record : read.records) {
    EXPECT_EQ(std::isnan(record.value), record.step == 30) << *record.step;
  }
}

TEST(TensorboardReaderTest, ReadsWhatIsWholeOfATornFile) {
  const ReadFile read = ReadSample("truncated");
  EXPECT_EQ(read.records.size(), 51u);
  EXPECT_EQ(read.tag_count, 1u);
  EXPECT_EQ(read.problems, "1 x torn last record (first at byte 3508)");
}

// Written by transformers on a real GPU.
TEST(TensorboardReaderTest, ReadsARealHuggingFaceFile) {
  const ReadFile read = ReadSample("hf_trainer");
  EXPECT_EQ(read.problems, "");
  EXPECT_EQ(read.counts.events, 448u);
  EXPECT_EQ(read.tag_count, 15u);
  EXPECT_EQ(read.counts.other_values, 2u);  // two texts
  const auto losses = WithMetric(read.records, "train_loss");
  ASSERT_EQ(losses.size(), 60u);
  EXPECT_EQ(losses.front().step, 2);
  EXPECT_NEAR(losses.front().value, 6.978335, 1e-6);
  EXPECT_EQ(losses.back().step, 120);
  EXPECT_NEAR(losses.back().value, 6.342394, 1e-6);
  const auto evaluations = WithMetric(read.records, "validation_loss");
  ASSERT_EQ(evaluations.size(), 3u);
  EXPECT_NEAR(evaluations[2].value, 6.271109, 1e-6);
}

// The first 60 kB of a file from Lightning's TensorBoardLogger; the last record is incomplete.
TEST(TensorboardReaderTest, ReadsTheBeginOfARealLightningFile) {
  const ReadFile read = ReadSample("lightning_begin");
  EXPECT_NE(read.problems.find("1 x torn last record"), read.problems.npos) << read.problems;
  const auto rates = WithMetric(read.records, "train_learning_rate");
  ASSERT_FALSE(rates.empty());
  EXPECT_EQ(rates[0].step, 1);
  EXPECT_NEAR(rates[0].value, 0.000299926, 1e-9);
  EXPECT_EQ(LabelOf(rates[0], "group"), "AdamW");
  const auto losses = WithMetric(read.records, "train_loss");
  ASSERT_FALSE(losses.empty());
  EXPECT_EQ(losses[0].step, 1);
  EXPECT_NEAR(losses[0].value, 7.008103, 1e-6);
  std::set<std::string> stats;
  for (const TraceRecord& stat : WithMetric(read.records, "gpu_torch_memory_stat")) {
    stats.insert(LabelOf(stat, "stat") + " " + LabelOf(stat, "hook"));
  }
  EXPECT_EQ(stats.size(), 244u);
}

TEST(TensorboardReaderTest, AFollowedFileGivesTheSameRecords) {
  const std::string file = ReadTestFile("tensorboard/tensor_values.tfevents");
  const ReadFile whole = ReadTfevents(file);
  for (const size_t piece_bytes : {1, 2, 13, 67, 1000}) {
    const ReadFile followed = ReadTfevents(file, piece_bytes);
    ASSERT_EQ(followed.records.size(), whole.records.size());
    for (size_t i = 0; i < whole.records.size(); ++i) {
      EXPECT_EQ(followed.records[i].step, whole.records[i].step);
      EXPECT_EQ(followed.records[i].time_ms, whole.records[i].time_ms);
    }
  }
}

TEST(TensorboardReaderTest, EveryFlippedBitIsNoticed) {
  const std::string file = ReadTestFile("tensorboard/tensor_values.tfevents").substr(0, 700);
  const size_t whole = ReadTfevents(file).records.size();
  for (size_t bit = 0; bit < 8 * 600; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const ReadFile read = ReadTfevents(flipped);
    EXPECT_NE(read.problems.find("damaged"), read.problems.npos) << bit;
    EXPECT_LE(read.records.size(), whole);
  }
}

// One event with one value of `kind` for `plugin`.
std::string EventOf(std::string_view tag, std::string_view plugin, int field) {
  std::string message;
  protozero::pbf_writer event(message);
  event.add_double(1, 1.5e9);
  event.add_int64(2, 4);
  {
    protozero::pbf_writer summary(event, 5);
    protozero::pbf_writer value(summary, 1);
    value.add_string(1, std::string(tag));
    if (!plugin.empty()) {
      protozero::pbf_writer metadata(value, 9);
      protozero::pbf_writer data(metadata, 1);
      data.add_string(1, std::string(plugin));
    }
    if (field == 2) value.add_float(2, 3);
    if (field == 5) value.add_bytes(5, "histogram");
    if (field == 8) {
      protozero::pbf_writer tensor(value, 8);
      tensor.add_enum(1, 1);
      tensor.add_float(5, 3);
    }
  }
  std::string file;
  PutTfRecord(file, message);
  return file;
}

struct KindRow {
  std::string file;
  uint64_t scalars;
  uint64_t histograms;
  uint64_t other_values;
};

TEST(TensorboardReaderTest, CountsWhatIsNoScalar) {
  for (const KindRow& row : {
           KindRow{EventOf("a", "", 2), 1, 0, 0},
           KindRow{EventOf("a", "scalars", 8), 1, 0, 0},
           KindRow{EventOf("a", "", 8), 1, 0, 0},
           KindRow{EventOf("a", "", 5), 0, 1, 0},
           KindRow{EventOf("a", "histograms", 8), 0, 1, 0},
           KindRow{EventOf("a", "text", 8), 0, 0, 1},
           KindRow{EventOf("a", "images", 0), 0, 0, 1},
           // The plugin is written with a tag's first value, and applies to all.
           KindRow{EventOf("a", "histograms", 8) + EventOf("a", "", 8), 0, 2, 0},
           KindRow{EventOf("a", "histograms", 8) + EventOf("b", "", 8), 1, 1, 0},
       }) {
    const ReadFile read = ReadTfevents(row.file);
    EXPECT_EQ(read.counts.scalars, row.scalars);
    EXPECT_EQ(read.counts.histograms, row.histograms);
    EXPECT_EQ(read.counts.other_values, row.other_values);
    EXPECT_EQ(read.records.size(), row.scalars);
  }
}

TEST(TensorboardReaderTest, CountsWhatIsNoEvent) {
  std::string file;
  PutTfRecord(file, "\xff\xff\xff no protobuf");
  const size_t second = file.size();
  file += EventOf("", "", 2);
  file += EventOf("good", "", 2);
  const ReadFile read = ReadTfevents(file);
  EXPECT_EQ(read.records.size(), 1u);
  EXPECT_EQ(read.problems,
            "1 x record that is not an event (first at byte 0), 1 x tag that is empty or too long "
            "(first at byte " +
                std::to_string(second) + ")");
}

}  // namespace
}  // namespace lockstep::traces
