#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/derived/derived_metrics.h"
#include "training/devices/gpu_catalogue.h"

namespace lockstep::answers {
namespace {

using training::RankMatrix;

constexpr int64_t kStartMs = 1'700'000'000'000 / 60'000 * 60'000;

// Steps of one second from kStartMs on.
LoadedJob SteppedJob(size_t ranks, size_t steps) {
  LoadedJob job;
  job.job.name = "j";
  for (size_t row = 0; row < ranks; ++row) {
    job.job.ranks.push_back({.rank = static_cast<int64_t>(row), .host = "n", .gpu = "g"});
  }
  job.gpu_models.assign(ranks, "NVIDIA H200");
  for (size_t n = 0; n < steps; ++n) {
    job.steps.step.push_back(static_cast<int64_t>(n));
    job.steps.end_ms.push_back(kStartMs + 1000 * (static_cast<int64_t>(n) + 1));
  }
  job.steps.attempt_first_step = -1000;
  job.steps.step_seconds = RankMatrix(ranks, steps, 1.0);
  job.time = job.whole = {kStartMs, kStartMs + 1000 * static_cast<int64_t>(steps)};
  job.newest_ms = job.time.max_ms;
  return job;
}

// "1=5 2=6 9=end ": seconds after kStartMs, values, and the marker of the end.
std::string ShownSamples(const DerivedSeries& series) {
  std::string text;
  for (size_t i = 0; i < series.samples.size(); ++i) {
    const double value = series.samples.values[i];
    absl::StrAppendFormat(&text, "%g=%s ", (series.samples.timestamps_ms[i] - kStartMs) / 1000.0,
                          IsStaleNan(value) ? "end" : absl::StrFormat("%g", value));
  }
  return text;
}

std::string OnlyOne(const std::vector<DerivedSeries>& all) {
  return all.size() == 1 ? ShownSamples(all[0]) : absl::StrFormat("%d series", all.size());
}

std::string LabelsText(const LabelSet& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    absl::StrAppendFormat(&text, "%s=%s ", name, value);
  }
  return text;
}

TEST(DerivedSeries, StepTimesEndAfterTenMoreStepsAndAMinute) {
  LoadedJob job = SteppedJob(1, 3);
  job.steps.step_seconds(0, 1) = training::kUnknown;
  const std::vector<DerivedSeries> all = DerivedSeriesOf(DerivedMetric::kStepTime, job);
  EXPECT_EQ(OnlyOne(all), "1=1 3=1 73=end ");
  EXPECT_EQ(LabelsText(all[0].labels), "__name__=lockstep_step_time_seconds job=j ");
}

TEST(DerivedSeries, EndWhereTheJobEnds) {
  LoadedJob job = SteppedJob(1, 2);
  const auto ends = [&job] { return OnlyOne(DerivedSeriesOf(DerivedMetric::kStepTime, job)); };
  // Steps that some ranks have not reported yet.
  job.newest_ms = kStartMs + 5000;
  EXPECT_EQ(ends(), "1=1 2=1 75=end ");
  job.exit_ms = kStartMs + 4000;
  EXPECT_EQ(ends(), "1=1 2=1 4=end ");
  job.exit_ms = kStartMs + 1500;  // clocks differ
  EXPECT_EQ(ends(), "1=1 2=1 2.001=end ");
  job.exit_ms.reset();
  job.time.max_ms = kStartMs + 9000;
  EXPECT_EQ(ends(), "1=1 2=1 79=end ");
  job.steps.step_seconds = RankMatrix(1, 2, training::kUnknown);
  job.steps.job_step_seconds = {1, 1};
  EXPECT_EQ(ends(), "1=1 2=1 69=end ");
  job.steps.step_seconds = {};
  EXPECT_EQ(ends(), "1=1 2=1 69=end ");
}

TEST(DerivedSeries, OfTwoStepsThatEndAtOnceTheFirstCounts) {
  LoadedJob job = SteppedJob(1, 3);
  job.steps.end_ms[1] = job.steps.end_ms[0];
  job.steps.step_seconds(0, 1) = 9;
  EXPECT_EQ(OnlyOne(DerivedSeriesOf(DerivedMetric::kStepTime, job)), "1=1 3=1 73=end ");
}

TEST(DerivedSeries, NothingKnownIsNoSeries) {
  LoadedJob job = SteppedJob(1, 2);
  EXPECT_TRUE(DerivedSeriesOf(DerivedMetric::kTokensPerSecond, job).empty());
  EXPECT_TRUE(DerivedSeriesOf(DerivedMetric::kMfu, job).empty());
  EXPECT_TRUE(DerivedSeriesOf(DerivedMetric::kStragglerScore, job).empty());
  EXPECT_TRUE(DerivedSeriesOf(DerivedMetric::kRankNotReporting, job).empty());
  EXPECT_TRUE(DerivedSeriesOf(DerivedMetric::kBottleneck, job).empty());
}

TEST(DerivedSeries, TokensAreReportedOrThoseOfTheBatch) {
  LoadedJob job = SteppedJob(3, 2);
  job.steps.job_step_seconds = {0.5, 2};
  job.facts.parallelism.global_batch = 8;
  job.facts.sequence_length = 100;
  EXPECT_EQ(OnlyOne(DerivedSeriesOf(DerivedMetric::kTokensPerSecond, job)), "1=1600 2=400 72=end ");
  job.steps.tokens = RankMatrix(3, 2, 1000);
  job.steps.tokens(0, 0) = 5;
  for (size_t row = 0; row < 3; ++row) job.steps.tokens(row, 1) = 0;
  EXPECT_EQ(OnlyOne(DerivedSeriesOf(DerivedMetric::kTokensPerSecond, job)), "1=2000 72=end ");
}

TEST(DerivedSeries, MfuIsOperationsPerSecondOverThePeak) {
  LoadedJob job = SteppedJob(3, 2);
  job.gpu_models[1] = "unheard of";
  job.gpu_models[2] = "NVIDIA L4";
  job.steps.step_seconds = RankMatrix(3, 2, 2.0);
  job.steps.model_flops = RankMatrix(3, 2, 121e12);
  job.steps.model_flops(2, 1) = training::kUnknown;
  const auto all = DerivedSeriesOf(DerivedMetric::kMfu, job);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(LabelsText(all[1].labels),
            "__name__=lockstep_mfu convention=reported dtype=bf16 gpu=g host=n job=j rank=2 ");
  EXPECT_EQ(ShownSamples(all[1]), "1=0.5 82=end ");
  EXPECT_DOUBLE_EQ(all[0].samples.values[0], 60.5 / 989.4);
  job.steps.step_seconds = {};
  EXPECT_TRUE(DerivedSeriesOf(DerivedMetric::kMfu, job).empty());
}

// Rank 1 computes a tenth of a second longer than rank 0, then three tenths.
LoadedJob LateJob(size_t steps, size_t later_from) {
  LoadedJob job = SteppedJob(2, steps);
  RankMatrix forward(2, steps, 0.5);
  for (size_t n = 0; n < steps; ++n) forward(1, n) = n < later_from ? 0.625 : 0.75;
  job.steps.phases = {{"forward", training::PhaseKind::kForward, std::move(forward)}};
  return job;
}

double ScoreAt(const DerivedSeries& series, int64_t seconds) {
  for (size_t i = 0; i < series.samples.size(); ++i) {
    if (series.samples.timestamps_ms[i] == kStartMs + 1000 * seconds) {
      return series.samples.values[i];
    }
  }
  return training::kUnknown;
}

TEST(DerivedSeries, AScoreIsTheMedianOfUpToTwentyFiveSteps) {
  const auto all = DerivedSeriesOf(DerivedMetric::kStragglerScore, LateJob(60, 30));
  ASSERT_EQ(all.size(), 2u);
  const DerivedSeries& late = all[1];
  EXPECT_EQ(LabelsText(late.labels),
            "__name__=lockstep_straggler_score gpu=g host=n job=j rank=1 ");
  EXPECT_TRUE(std::isnan(ScoreAt(late, 9)));
  EXPECT_EQ(ScoreAt(late, 10), 0.125);
  EXPECT_EQ(ScoreAt(late, 30), 0.125);
  // With step 43, 13 of the last 25 are later.
  EXPECT_EQ(ScoreAt(late, 42), 0.125);
  EXPECT_EQ(ScoreAt(late, 43), 0.25);
  EXPECT_EQ(ScoreAt(all[0], 43), -0.25);
}

TEST(DerivedSeries, AScoreOfAnEvenNumberOfStepsIsBetweenTheMiddleTwo) {
  LoadedJob job = LateJob(12, 5);
  // Ten steps are known from the eleventh on.
  job.steps.phases[0].seconds(1, 2) = training::kUnknown;
  const auto all = DerivedSeriesOf(DerivedMetric::kStragglerScore, job);
  EXPECT_TRUE(std::isnan(ScoreAt(all[1], 10)));
  // Four times 0.125 and six times 0.25.
  EXPECT_EQ(ScoreAt(all[1], 11), 0.25);
  const auto even = DerivedSeriesOf(DerivedMetric::kStragglerScore, LateJob(10, 5));
  EXPECT_EQ(ScoreAt(even[1], 10), 0.1875);
}

TEST(DerivedSeries, AStragglerIsOneInItsEpisodes) {
  LoadedJob job = SteppedJob(2, 6);
  training::StragglerAnswer answer;
  answer.ranks = {{.row = 1,
                   .cause = training::StragglerCause::kLoader,
                   .episodes = {{.time = {kStartMs + 1000, kStartMs + 3000}},
                                {.time = {kStartMs + 5500, kStartMs + 9000}}}}};
  const auto all = DerivedSeriesOf(DerivedMetric::kStraggler, job, answer);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(LabelsText(all[0].labels),
            "__name__=lockstep_straggler cause=loader gpu=g host=n job=j rank=1 ");
  EXPECT_EQ(ShownSamples(all[0]), "1=0 2=1 3=1 4=0 5=0 6=1 76=end ");
  // Without steps, every 15 s.
  job.steps = {};
  job.time = {kStartMs, kStartMs + 45'000};
  job.newest_ms = 0;
  answer.ranks[0].episodes = {{.time = {kStartMs + 15'000, kStartMs + 30'000}}};
  EXPECT_EQ(OnlyOne(DerivedSeriesOf(DerivedMetric::kStraggler, job, answer)),
            "15=0 30=1 45=0 105=end ");
}

TEST(DerivedSeries, ARankThatDoesNotReportIsOneSinceThen) {
  LoadedJob job = SteppedJob(2, 4);
  job.not_reporting = {{.row = 1, .since_ms = kStartMs + 3000}};
  const auto all = DerivedSeriesOf(DerivedMetric::kRankNotReporting, job);
  EXPECT_EQ(OnlyOne(all), "1=0 2=0 3=1 4=1 74=end ");
  EXPECT_EQ(LabelsText(all[0].labels),
            "__name__=lockstep_rank_not_reporting gpu=g host=n job=j rank=1 ");
  EXPECT_EQ(OnlyOne(DerivedSeriesOf(DerivedMetric::kRankNotReporting, job, {})),
            "1=0 2=0 3=1 4=1 74=end ");
}

TEST(DerivedSeries, EachClassOfADeviceIsASeries) {
  LoadedJob job;
  job.job.name = "j";
  job.job.ranks = {{.rank = 4}};
  job.devices.resize(1);
  const auto put = [&job](catalogue::Role role, int64_t seconds, double value) {
    job.devices[0][role].timestamp_ms.push_back(kStartMs + 1000 * seconds);
    job.devices[0][role].value.push_back(value);
  };
  // Streams memory, then computes.
  for (int64_t at = 0; at <= 20; ++at) {
    put(catalogue::Role::kGpuGrEngineActiveRatio, at, 0.98);
    put(catalogue::Role::kGpuSmActiveRatio, at, 0.9);
    put(catalogue::Role::kGpuTensorActiveRatio, at, at <= 9 ? 0.0 : 0.5);
    put(catalogue::Role::kGpuDramActiveRatio, at, at <= 9 ? 0.9 : 0.3);
  }
  job.time = job.whole = {kStartMs - 1000, kStartMs + 20'000};
  const auto all = DerivedSeriesOf(DerivedMetric::kBottleneck, job);
  ASSERT_EQ(all.size(), 2u);
  // Windows of five seconds begin with the time that the first sample covers.
  EXPECT_EQ(LabelsText(all[0].labels),
            "__name__=lockstep_bottleneck class=memory_bound job=j rank=4 ");
  EXPECT_EQ(ShownSamples(all[0]), "4=1 9=1 14=0 19=0 80=end ");
  EXPECT_EQ(LabelsText(all[1].labels),
            "__name__=lockstep_bottleneck class=compute_bound job=j rank=4 ");
  EXPECT_EQ(ShownSamples(all[1]), "4=0 9=0 14=1 19=1 80=end ");
}

TEST(DerivedSeries, GoodputIsThatOfTheLastFiveMinutes) {
  LoadedJob job = SteppedJob(1, 400);
  RankMatrix checkpoint(1, 400);
  checkpoint(0, 99) = 0.75;
  job.steps.phases = {{"checkpoint", training::PhaseKind::kCheckpoint, std::move(checkpoint)}};
  const auto all = DerivedSeriesOf(DerivedMetric::kGoodputRatio, job);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(LabelsText(all[0].labels), "__name__=lockstep_goodput_ratio job=j ");
  // From the end of the first step on.
  EXPECT_TRUE(std::isnan(ScoreAt(all[0], 1)));
  EXPECT_EQ(ScoreAt(all[0], 2), 1);
  EXPECT_EQ(ScoreAt(all[0], 99), 1);
  EXPECT_DOUBLE_EQ(ScoreAt(all[0], 101), 1 - 0.75 / 100);
  EXPECT_DOUBLE_EQ(ScoreAt(all[0], 399), 1 - 0.75 / 300);
  EXPECT_EQ(ScoreAt(all[0], 400), 1);
}

TEST(DerivedSeries, WasteIsCountedSinceTheJobBegan) {
  LoadedJob job = SteppedJob(2, 4);
  RankMatrix data(2, 4, 0.25);
  job.steps.phases = {{"data", training::PhaseKind::kData, std::move(data)}};
  job.whole.min_ms = kStartMs - 10'000;  // it had its devices ten seconds earlier
  const auto all = DerivedSeriesOf(DerivedMetric::kWastedGpuSeconds, job);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(LabelsText(all[0].labels),
            "__name__=lockstep_wasted_gpu_seconds bin=data_stall job=j ");
  // The first step is a normal one as a whole.
  EXPECT_EQ(ShownSamples(all[0]), "1=0 2=0.25 3=0.5 4=0.75 74=end ");
  EXPECT_EQ(LabelsText(all[1].labels), "__name__=lockstep_wasted_gpu_seconds bin=start_up job=j ");
  EXPECT_EQ(ShownSamples(all[1]), "1=10 2=10 3=10 4=10 74=end ");
  // A later attempt begins when it begins.
  job.attempt = 1;
  job.steps.phases.clear();
  EXPECT_TRUE(DerivedSeriesOf(DerivedMetric::kWastedGpuSeconds, job).empty());
}

// "running 0=1 15=1 ", one a line.
std::string ShownStates(const ListedJob& job, const TimeRange& time) {
  std::string text;
  for (const DerivedSeries& series : DerivedSeriesOfState(job, time)) {
    absl::StrAppendFormat(&text, "%s %s\n", series.labels.Get("state"), ShownSamples(series));
  }
  return text;
}

TEST(DerivedSeries, TheStateIsOneOfFour) {
  ListedJob job;
  job.job.name = "j";
  job.signs = {.last_step_end_ms = kStartMs - 1000, .usual_step_seconds = 1};
  job.signs.exit_ms = kStartMs + 20'000;
  EXPECT_EQ(ShownStates(job, {kStartMs, kStartMs + 32'000}),
            "running 0=1 15=1 32=0 \nstalled 0=0 15=0 32=0 \nended 0=0 15=0 32=1 \n"
            "crashed 0=0 15=0 32=0 \n");
  EXPECT_EQ(LabelsText(DerivedSeriesOfState(job, {kStartMs, kStartMs})[0].labels),
            "__name__=lockstep_job_state job=j state=running ");
  EXPECT_EQ(ShownStates(job, {kStartMs, kStartMs + 15'000}),
            "running 0=1 15=1 \nstalled 0=0 15=0 \nended 0=0 15=0 \ncrashed 0=0 15=0 \n");
  EXPECT_EQ(ShownStates(job, {kStartMs + 7, kStartMs + 7}),
            "running 0.007=1 \nstalled 0.007=0 \nended 0.007=0 \ncrashed 0.007=0 \n");
  // Before its first step it has none.
  EXPECT_EQ(ShownStates(job, {kStartMs - 5000, kStartMs - 2000}), "");
}

TEST(DerivedSeries, SoManySamplesAStateMayHave) {
  ListedJob job;
  job.signs = {.last_step_end_ms = kStartMs - 1000, .usual_step_seconds = 1};
  for (const int64_t length : {0, 1, 14'999, 15'000, 15'001, 100'000}) {
    int64_t count = 0;
    for (const DerivedSeries& series : DerivedSeriesOfState(job, {kStartMs, kStartMs + length})) {
      count += static_cast<int64_t>(series.samples.size());
    }
    EXPECT_LE(count, MostStateSamples({kStartMs, kStartMs + length})) << length;
  }
  EXPECT_EQ(MostStateSamples({0, 30'000}), 4 * 4);
}

TEST(DerivedSeries, ModelsAreShownEveryMinute) {
  const auto bandwidths =
      DerivedSeriesOfModels(DerivedMetric::kGpuMemoryBandwidth, {kStartMs + 1, kStartMs + 120'000});
  ASSERT_EQ(bandwidths.size(), training::AllGpuModels().size());
  const auto peaks =
      DerivedSeriesOfModels(DerivedMetric::kGpuPeakFlops, {kStartMs, kStartMs + 59'999});
  std::string shown;
  for (const auto& all : {bandwidths, peaks}) {
    for (const DerivedSeries& series : all) {
      if (series.labels.Get("model") != "l4") continue;
      shown += LabelsText(series.labels) + ShownSamples(series) + "\n";
    }
  }
  // NVIDIA's data sheet of the L4: 300 GB/s; 30.3, 120, 242 and 485 TFLOPS, the latter three with
  // sparsity.
  EXPECT_EQ(shown,
            "__name__=lockstep_gpu_memory_bandwidth_bytes_per_second model=l4 60=3e+11 120=3e+11 \n"
            "__name__=lockstep_gpu_peak_flops dtype=fp32 model=l4 0=3.03e+13 \n"
            "__name__=lockstep_gpu_peak_flops dtype=tf32 model=l4 0=6e+13 \n"
            "__name__=lockstep_gpu_peak_flops dtype=fp16 model=l4 0=1.21e+14 \n"
            "__name__=lockstep_gpu_peak_flops dtype=bf16 model=l4 0=1.21e+14 \n"
            "__name__=lockstep_gpu_peak_flops dtype=fp8 model=l4 0=2.42e+14 \n"
            "__name__=lockstep_gpu_peak_flops dtype=int8 model=l4 0=2.42e+14 \n");
}

// A job whose phases show that it works.
LoadedJob WorkingJob(size_t steps) {
  LoadedJob job = SteppedJob(2, steps);
  job.steps.phases = {{"data", training::PhaseKind::kData, RankMatrix(2, steps, 0.01)},
                      {"forward", training::PhaseKind::kForward, RankMatrix(2, steps, 0.9)}};
  return job;
}

std::string ShownVerdicts(const LoadedJob& job, const JobEnding& ending) {
  std::string text;
  for (const DerivedSeries& series : DerivedSeriesOfVerdict(job, ending)) {
    absl::StrAppendFormat(&text, "%s %s\n", series.labels.Get("verdict"), ShownSamples(series));
  }
  return text;
}

TEST(DerivedSeries, AVerdictOfAShortJobIsThatOfItsEnd) {
  EXPECT_EQ(ShownVerdicts(WorkingJob(60), {}), "healthy 60=1 130=end \n");
}

TEST(DerivedSeries, VerdictsAreAMinuteApart) {
  EXPECT_EQ(ShownVerdicts(WorkingJob(150), {}), "healthy 30=1 90=1 150=1 220=end \n");
  // No more than ten before the end; each is repeated so that a query finds it.
  LoadedJob job = WorkingJob(1200);
  EXPECT_EQ(ShownVerdicts(job, {}),
            "healthy 120=1 180=1 240=1 300=1 360=1 420=1 480=1 540=1 600=1 660=1 720=1 780=1 840=1 "
            "900=1 960=1 1020=1 1080=1 1140=1 1200=1 1270=end \n");
}

TEST(DerivedSeries, ALargeJobHasAVerdictOfItsEndAlone) {
  LoadedJob job = SteppedJob(1, 150);
  job.job.ranks.resize(6667, {.rank = 0});  // times 150 steps is a little more than a million
  for (size_t row = 0; row < job.job.ranks.size(); ++row) {
    job.job.ranks[row].rank = static_cast<int64_t>(row);
  }
  job.steps.step_seconds = {};
  EXPECT_EQ(ShownVerdicts(job, {}), "unknown 150=1 210=end \n");
  job.job.ranks.resize(6666);
  EXPECT_EQ(ShownVerdicts(job, {}), "unknown 30=1 90=1 150=1 210=end \n");
}

TEST(DerivedSeries, ACrashIsShownForAnHourAndAHangForAWeek) {
  const LoadedJob job = WorkingJob(60);
  const auto last = [&job](training::JobState state, int64_t now_s) {
    const auto all = DerivedSeriesOfVerdict(job, {state, kStartMs + 1000 * now_s});
    const SampleColumns& samples = all.at(0).samples;
    return absl::StrFormat("%s %d%s", all[0].labels.Get("verdict"),
                           (samples.timestamps_ms.back() - kStartMs) / 1000,
                           IsStaleNan(samples.values.back()) ? " end" : "");
  };
  using enum training::JobState;
  EXPECT_EQ(last(kCrashed, 100), "crashed 100");
  EXPECT_EQ(last(kCrashed, 3660), "crashed 3660");
  EXPECT_EQ(last(kCrashed, 3700), "crashed 3660");
  EXPECT_EQ(last(kStalled, 7 * 86'400), "hanging 604800");
  EXPECT_EQ(last(kStalled, 8 * 86'400), "hanging 604860");
  EXPECT_EQ(last(kEnded, 100), "healthy 130 end");
  EXPECT_EQ(last(kCrashed, 60), "crashed 130 end");
  EXPECT_EQ(last(kCrashed, 10), "crashed 130 end");
}

TEST(DerivedSeries, AVerdictThatChangesIsZeroBeforeAndAfter) {
  LoadedJob job = WorkingJob(130);
  job.not_reporting = {{.row = 1, .since_ms = kStartMs + 100'000}};
  // Earlier verdicts know nothing of who does not report at the end.
  EXPECT_EQ(ShownVerdicts(job, {}),
            "not_reporting 10=0 70=0 130=1 200=end \nhealthy 10=1 70=1 130=0 200=end \n");
}

}  // namespace
}  // namespace lockstep::answers
