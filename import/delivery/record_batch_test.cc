#include "import/delivery/record_batch.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::importer {
namespace {

std::string SamplesOf(const std::vector<traces::TraceRecord>& records) {
  logs::LogHints hints;
  hints.job = "j";
  hints.rank = 4;
  SampleTimes times;
  RecordBatch batch(times, 5000);
  for (const traces::TraceRecord& record : records) batch.Add(hints, record);
  std::string text;
  for (const SeriesWrite& series : batch.request().series) {
    text += series.labels.ToString();
    for (const Sample& sample : series.samples) {
      absl::StrAppendFormat(&text, " %g@%d", sample.value, sample.timestamp_ms);
    }
    text += "\n";
  }
  return text;
}

traces::TraceRecord MadeRecord(std::string metric, double value, std::optional<int64_t> step,
                               std::optional<int64_t> time_ms) {
  traces::TraceRecord record;
  record.metric = std::move(metric);
  record.value = value;
  record.step = step;
  record.time_ms = time_ms;
  return record;
}

TEST(RecordBatchTest, ValuesAndTheirSteps) {
  traces::TraceRecord labelled = MadeRecord("train_phase_seconds", 0.5, 1, 1000);
  labelled.rank = 3;
  labelled.labels = {{"phase", "forward"}};
  EXPECT_EQ(
      SamplesOf({MadeRecord("train_loss", 2, 1, 1000), MadeRecord("lr/x", 3, 1, 1000),
                 MadeRecord("train_loss", 1, 2, 2000), labelled}),
      "train_loss{attempt=\"0\", job=\"j\", rank=\"4\"} 2@1000 1@2000\n"
      "lockstep_step{attempt=\"0\", job=\"j\", rank=\"4\"} 1@1000 2@2000\n"
      "lr_x{attempt=\"0\", job=\"j\", rank=\"4\"} 3@1000\n"
      "train_phase_seconds{attempt=\"0\", job=\"j\", phase=\"forward\", rank=\"3\"} 0.5@1000\n"
      "lockstep_step{attempt=\"0\", job=\"j\", rank=\"3\"} 1@1000\n");
}

TEST(RecordBatchTest, StepsOfOneTimeFollowOneAnother) {
  // All values of one tag, then of the next, as some writers do.
  std::vector<traces::TraceRecord> records;
  for (const std::string metric : {"train_loss", "lr"}) {
    for (int64_t step = 1; step <= 3; ++step) {
      records.push_back(MadeRecord(metric, 0.5, step, 1000));
    }
  }
  records.push_back(MadeRecord("lr", 0.5, 3, 1000));   // again
  records.push_back(MadeRecord("lr", 0.25, 3, 1000));  // and with another value
  EXPECT_EQ(SamplesOf(records),
            "train_loss{attempt=\"0\", job=\"j\", rank=\"4\"} 0.5@1000 0.5@1001 0.5@1002\n"
            "lockstep_step{attempt=\"0\", job=\"j\", rank=\"4\"} 1@1000 2@1001 3@1002 3@1003\n"
            "lr{attempt=\"0\", job=\"j\", rank=\"4\"} 0.5@1000 0.5@1001 0.5@1002 0.25@1003\n");
}

// A request is sent when it has enough samples, those of the steps included.
TEST(RecordBatchTest, CountsItsSamples) {
  logs::LogHints hints;
  hints.job = "j";
  SampleTimes times;
  RecordBatch batch(times, 5000);
  EXPECT_EQ(batch.sample_count(), 0u);
  for (int i = 0; i < 2; ++i) {
    batch.Add(hints, MadeRecord("train_loss", 2 + i, 1 + i, 1000 + i));  // and its step
    EXPECT_EQ(batch.sample_count(), 2u);
    batch.Add(hints, MadeRecord("lr", 3, 1 + i, 1000 + i));
    EXPECT_EQ(batch.sample_count(), 3u);
    size_t in_request = 0;
    for (const SeriesWrite& series : batch.request().series) in_request += series.samples.size();
    EXPECT_EQ(in_request, 3u);
    batch.Clear();
    EXPECT_EQ(batch.sample_count(), 0u);
    EXPECT_TRUE(batch.request().series.empty());
  }
}

TEST(RecordBatchTest, CountsOfSamplesAreNoSteps) {
  // Different values at the same counts and times are not shared, and equal ones at different
  // counts stay distinct.
  std::vector<traces::TraceRecord> records;
  for (const int64_t samples : {512, 1024}) {
    records.push_back(MadeRecord("train_loss", 2, samples, 1000));
    records.back().labels = {{"axis", "samples"}};
  }
  EXPECT_EQ(SamplesOf(records),
            "train_loss{attempt=\"0\", axis=\"samples\", job=\"j\", rank=\"4\"} 2@1000 2@1001\n");
}

TEST(RecordBatchTest, WithoutTimesAndSteps) {
  traces::TraceRecord samples = MadeRecord("train_loss", 2, 512, 1000);
  samples.labels = {{"axis", "samples"}};
  EXPECT_EQ(SamplesOf({MadeRecord("nsys_kernel_seconds", 2, std::nullopt, std::nullopt), samples}),
            "nsys_kernel_seconds{attempt=\"0\", job=\"j\", rank=\"4\"} 2@5000\n"
            "train_loss{attempt=\"0\", axis=\"samples\", job=\"j\", rank=\"4\"} 2@1000\n");
}

}  // namespace
}  // namespace lockstep::importer
