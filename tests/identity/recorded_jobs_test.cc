// Thirteen jobs that ran one after another on four GPUs: which rank ran where and when, from
// labels, from registrations, and after restarts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "identity/registration.h"
#include "identity/store/identity_reader.h"
#include "tests/memory_storage.h"
#include "tests/training/gzip_text.h"

namespace lockstep::identity {
namespace {

constexpr std::string_view kPower = "DCGM_FI_DEV_POWER_USAGE";
// The recorder samples once a second and assigns a sample to a job when it writes it.
constexpr int64_t kToleranceMs = 2500;

struct RecordedSample {
  std::vector<LabelView> labels;
  int64_t timestamp_ms = 0;
  double value = 0;
};

// name{a="b",c="d"} VALUE SECONDS. The recording has no escapes in labels.
RecordedSample ParseLine(std::string_view line) {
  RecordedSample sample;
  const size_t open = line.find('{');
  sample.labels.push_back({kMetricName, line.substr(0, open)});
  line.remove_prefix(open + 1);
  while (line.front() != '}') {
    const size_t equals = line.find('=');
    const size_t end = line.find('"', equals + 2);
    sample.labels.push_back({line.substr(0, equals), line.substr(equals + 2, end - equals - 2)});
    line.remove_prefix(end + 1);
    if (line.front() == ',') line.remove_prefix(1);
  }
  const std::string rest(line.substr(2));
  const size_t space = rest.find(' ');
  sample.value = std::stod(rest.substr(0, space));
  sample.timestamp_ms = std::llround(std::stod(rest.substr(space + 1)) * 1e3);
  return sample;
}

const std::string& RecordedText() {
  static const auto* text = new std::string(training::ReadGzip("../../../demo/data/metrics.om.gz"));
  return *text;
}

std::vector<RecordedSample> Recorded() {
  std::vector<RecordedSample> samples;
  for (const std::string_view line : training::Lines(RecordedText())) {
    if (line.starts_with(kPower) || line.starts_with("train_step{")) {
      samples.push_back(ParseLine(line));
    }
  }
  return samples;
}

struct TrueJob {
  std::string name;
  int64_t begin_ms = 0;
  int64_t end_ms = 0;
};

std::vector<TrueJob> TrueJobs() {
  simdjson::dom::parser parser;
  const simdjson::padded_string text(training::ReadGzip("h200/truth.json.gz"));
  std::vector<TrueJob> jobs;
  for (const simdjson::dom::element job : parser.parse(text)["jobs"]) {
    jobs.push_back({std::string(std::string_view(job["job"])), int64_t(job["begin_ms"]),
                    int64_t(job["end_ms"])});
  }
  return jobs;
}

bool NamesJob(const LabelView& label) { return label.name == "job" || label.name == "rank"; }

std::map<std::string, std::string> UuidsByGpu() {
  std::map<std::string, std::string> uuids;
  for (const RecordedSample& sample : Recorded()) {
    const LabelSet labels = LabelSet::Of(sample.labels);
    if (labels.Has("UUID")) uuids[std::string(labels.Get("gpu"))] = labels.Get("UUID");
  }
  return uuids;
}

JobIdentity Read(const MemoryStorage& storage, std::string_view job) {
  const auto querier = storage.NewQuerier();
  auto identity = ReadJobIdentity({**querier, kAllTimes}, job);
  EXPECT_TRUE(identity.ok()) << identity.status();
  return *std::move(identity);
}

// The number of power samples of the rank's device while the rank was on it.
size_t DeviceSamples(const MemoryStorage& storage, const Placement& placement) {
  size_t count = 0;
  const auto querier = storage.NewQuerier();
  for (std::vector<Matcher> matchers : placement.device_matchers) {
    matchers.push_back(Matcher::Equal(std::string(kMetricName), std::string(kPower)));
    const auto series = (*querier)->Select({.matchers = matchers, .range = placement.time});
    SampleColumns columns;
    while ((*series)->Next()) EXPECT_TRUE((*series)->Read(columns).ok());
    count += columns.size();
  }
  return count;
}

void CheckJob(const MemoryStorage& storage, const TrueJob& job) {
  const JobIdentity identity = Read(storage, job.name);
  EXPECT_TRUE(identity.warnings.empty());
  ASSERT_EQ(identity.placements.size(), 4u) << job.name;
  const std::map<std::string, std::string> uuids = UuidsByGpu();
  for (int64_t rank = 0; rank < 4; ++rank) {
    const Placement& placement = identity.placements[static_cast<size_t>(rank)];
    const std::string gpu = std::to_string(rank);
    EXPECT_EQ(placement.attempt, 0);
    EXPECT_EQ(placement.rank, rank);
    EXPECT_EQ(placement.seat, (Seat{"h200-node-0", gpu, uuids.at(gpu), placement.seat.model}));
    EXPECT_NEAR(placement.time.min_ms, job.begin_ms, kToleranceMs) << job.name;
    EXPECT_NEAR(placement.time.max_ms, job.end_ms, kToleranceMs) << job.name;
    const double seconds = static_cast<double>(placement.time.max_ms - placement.time.min_ms) / 1e3;
    EXPECT_NEAR(static_cast<double>(DeviceSamples(storage, placement)), seconds, 2) << job.name;
  }
}

TEST(RecordedJobs, LabelsOfSeries) {
  MemoryStorage storage;
  for (const RecordedSample& sample : Recorded()) {
    storage.Append(LabelSet::Of(sample.labels), sample.timestamp_ms, sample.value);
  }
  const std::vector<TrueJob> jobs = TrueJobs();
  ASSERT_EQ(jobs.size(), 13u);
  for (const TrueJob& job : jobs) CheckJob(storage, job);

  // Every job ran on every GPU, one after another.
  const auto querier = storage.NewQuerier();
  for (const auto& [gpu, uuid] : UuidsByGpu()) {
    const auto stays = ReadGpuHistory({**querier, kAllTimes}, uuid);
    ASSERT_EQ(stays->size(), jobs.size());
    for (size_t i = 0; i < jobs.size(); ++i) {
      const GpuStay& stay = (*stays)[i];
      EXPECT_EQ(stay.job, jobs[i].name);
      EXPECT_EQ(std::to_string(stay.placement.rank), gpu);
      if (i == 0) continue;
      EXPECT_GT(stay.placement.time.min_ms, (*stays)[i - 1].placement.time.max_ms);
    }
  }
}

// Like dcgm-exporter's, these device series have no job label; registrations tell the jobs apart.
TEST(RecordedJobs, BareDeviceSeriesAndRegistrations) {
  MemoryStorage storage;
  for (RecordedSample& sample : Recorded()) {
    const bool is_device = sample.labels.front().value == kPower;
    if (is_device) std::erase_if(sample.labels, NamesJob);
    // Steps as a logger pushes them, without labels for GPU and host.
    if (!is_device) {
      std::erase_if(sample.labels, [](const LabelView& label) {
        return label.name == "gpu" || label.name == "Hostname";
      });
    }
    storage.Append(LabelSet::Of(sample.labels), sample.timestamp_ms, sample.value);
  }
  const std::map<std::string, std::string> uuids = UuidsByGpu();
  for (const TrueJob& job : TrueJobs()) {
    for (int64_t rank = 0; rank < 4; ++rank) {
      Registration registration{.job = job.name, .rank = rank, .from_ms = job.begin_ms};
      registration.seat.uuid = uuids.at(std::to_string(rank));
      const auto info = SeriesOf(registration, 0);
      storage.Append(info->front().labels, job.begin_ms, 1);
    }
  }
  for (const TrueJob& job : TrueJobs()) CheckJob(storage, job);
}

// Three jobs under one name are three attempts, because their step numbers start again.
TEST(RecordedJobs, RestartsAreAttempts) {
  const std::vector<TrueJob> jobs = TrueJobs();
  const std::vector<TrueJob> attempts = {jobs[2], jobs[3], jobs[10]};
  MemoryStorage storage;
  for (RecordedSample& sample : Recorded()) {
    for (LabelView& label : sample.labels) {
      for (const TrueJob& attempt : attempts) {
        if (label.name == "job" && label.value == attempt.name) label.value = "restarted";
      }
    }
    storage.Append(LabelSet::Of(sample.labels), sample.timestamp_ms, sample.value);
  }
  const JobIdentity identity = Read(storage, "restarted");
  ASSERT_EQ(identity.placements.size(), 12u);
  for (size_t i = 0; i < 12; ++i) {
    const Placement& placement = identity.placements[i];
    EXPECT_EQ(placement.attempt, static_cast<int64_t>(i / 4));
    EXPECT_EQ(placement.rank, static_cast<int64_t>(i % 4));
    EXPECT_EQ(placement.seat.gpu, std::to_string(placement.rank));
    // The first step of an attempt ends a few seconds after the attempt begins.
    EXPECT_NEAR(placement.time.min_ms, attempts[i / 4].begin_ms, 5000);
  }
  EXPECT_NEAR(identity.placements.back().time.max_ms, attempts[2].end_ms, kToleranceMs);
}

}  // namespace
}  // namespace lockstep::identity
