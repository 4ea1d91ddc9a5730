// Queries of a store with rollup rows return exactly what they return without rollups: from all
// samples of the same store, and from the store in memory, which has no rollups.
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "query/engine/engine.h"
#include "storage/db/store.h"
#include "tests/all_samples.h"
#include "tests/memory_storage.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kHourMs = 60 * kMinuteMs;
// A boundary between windows.
constexpr int64_t kEnd = 118'055 * 4 * kHourMs;
constexpr int64_t kStart = kEnd - 12 * kHourMs;
constexpr int64_t kNow = kEnd + 30 * kMinuteMs;

using Random = std::mt19937_64;

int64_t Pick(Random& random, std::vector<int64_t> choices) {
  return choices[random() % choices.size()];
}

std::shared_ptr<const Histogram> MakeHistogram(double count) {
  Histogram histogram;
  histogram.count = count;
  histogram.sum = count * 2;
  histogram.zero_count = count;
  return std::make_shared<const Histogram>(std::move(histogram));
}

// The kind of a series, by its number.
enum Kind : int {
  kCounter,         // ascending integers, with occasional resets
  kFractions,       // a counter of fractions without resets
  kGauge,           // positive and negative decimals
  kWholeGauge,      // integers
  kZeros,           // positive and negative
  kWithNans,        // and infinities
  kWithMarkers,     // stale markers and gaps
  kWithHistograms,  // long stretches of floats and histograms in turn
  kSparse,          // one sample a minute
  kKindCount,
};

double NextValue(int kind, double last, Random& random) {
  const auto noise = static_cast<double>(random() % 2001) / 10 - 100;
  switch (kind) {
    case kCounter:
    case kSparse:
      return random() % 400 == 0 ? 0 : last + static_cast<double>(random() % 5);
    case kFractions:
      return last + static_cast<double>(random() % 1000) / 997;
    case kWholeGauge:
      return std::floor(noise);
    case kZeros:
      return random() % 2 == 0 ? 0.0 : -0.0;
    case kWithNans:
      if (random() % 900 == 0) return std::bit_cast<double>(0x7ff8000000000000 + random() % 9);
      return random() % 500 == 0 ? INFINITY * noise : noise;
    case kWithMarkers:
      return random() % 200 == 0 ? StaleNan() : noise;
    default:
      return noise;
  }
}

SeriesWrite MakeSeries(int number, int64_t start_ms, int64_t end_ms, Random& random) {
  const int kind = number % kKindCount;
  SeriesWrite write;
  write.labels = LabelSet::Of({{kMetricName, "m_total"},
                               {"job", "job" + std::to_string(number % 3)},
                               {"kind", std::to_string(kind)},
                               {"rank", std::to_string(number)}});
  const int64_t step_ms =
      kind == kSparse ? kMinuteMs : Pick(random, {5'000, 15'000, 15'000, 29'999});
  const int64_t jitter_ms = Pick(random, {0, 0, 700});
  double value = 0;
  bool is_histogram = false;
  for (int64_t time_ms = start_ms + Pick(random, {0, 0, 1, 4'321}); time_ms < end_ms;
       time_ms += step_ms) {
    if (random() % 700 == 0) time_ms += static_cast<int64_t>(random() % 40) * kMinuteMs;
    if (kind == kWithHistograms && random() % 300 == 0) is_histogram = !is_histogram;
    const int64_t at_ms =
        time_ms + (jitter_ms == 0 ? 0 : static_cast<int64_t>(random()) % jitter_ms);
    if (at_ms >= kNow) break;
    value = std::isnan(value) ? 0 : value;
    value = NextValue(kind, value, random);
    if (is_histogram) {
      write.histograms.push_back({at_ms, MakeHistogram(static_cast<double>(random() % 100))});
    } else {
      write.samples.push_back({at_ms, value});
    }
  }
  return write;
}

void Write(Storage& storage, WriteRequest request) {
  std::promise<absl::StatusOr<WriteOutcome>> answer;
  storage.Write(std::move(request), [&answer](absl::StatusOr<WriteOutcome> outcome) {
    answer.set_value(std::move(outcome));
  });
  const absl::StatusOr<WriteOutcome> outcome = answer.get_future().get();
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  ASSERT_EQ(outcome->rejected_count, 0u);
}

std::string ToText(double value, const Histogram* histogram) {
  if (histogram == nullptr) return absl::StrFormat("%x", std::bit_cast<uint64_t>(value));
  return absl::StrFormat("{%x %x %x}", std::bit_cast<uint64_t>(histogram->count),
                         std::bit_cast<uint64_t>(histogram->sum),
                         std::bit_cast<uint64_t>(histogram->zero_count));
}

std::string ToText(const engine::QueryResult& result) {
  std::string text;
  if (const auto* vector = std::get_if<engine::VectorResult>(&result.value)) {
    for (const engine::VectorElement& element : *vector) {
      text +=
          element.labels.ToString() + " " + ToText(element.value, element.histogram.get()) + "\n";
    }
  } else {
    for (const engine::MatrixSeries& series : std::get<engine::MatrixResult>(result.value)) {
      text += series.labels.ToString();
      const SampleColumns& samples = series.samples;
      for (size_t i = 0; i < samples.values.size(); ++i) {
        text +=
            absl::StrFormat(" %d=%s", samples.timestamps_ms[i], ToText(samples.values[i], nullptr));
      }
      for (const HistogramSample& sample : samples.histograms) {
        text += absl::StrFormat(" %d=%s", sample.timestamp_ms, ToText(0, sample.histogram.get()));
      }
      text += "\n";
    }
  }
  for (const std::string& warning : result.annotations.warnings) text += warning + "\n";
  for (const std::string& info : result.annotations.infos) text += info + "\n";
  return text + absl::StrFormat("samples %d", result.stats.total_samples);
}

struct Question {
  std::string text;
  int64_t start_ms = 0;
  int64_t end_ms = 0;
  int64_t step_ms = 0;  // 0: an instant query at the end
  std::vector<engine::Reduction> reductions = {};
};

absl::StatusOr<engine::QueryResult> Ask(const Storage& storage, const Question& question) {
  const engine::Engine engine(storage, {});
  QueryBudget budget(int64_t{1} << 40, QueryBudget::Clock::time_point::max());
  const engine::QueryOptions options{.plan = true};
  if (question.step_ms == 0) {
    return engine.Execute(engine::InstantQuery{question.text, question.end_ms, 0, options}, budget);
  }
  return engine.Execute(engine::RangeQuery{question.text, question.start_ms, question.end_ms,
                                           question.step_ms, 0, options, 0, question.reductions},
                        budget);
}

std::string AnswerOf(const Storage& storage, const Question& question) {
  const absl::StatusOr<engine::QueryResult> result = Ask(storage, question);
  return result.ok() ? ToText(*result) : result.status().ToString();
}

std::vector<engine::Reduction> RandomReductions(Random& random) {
  std::vector<engine::Reduction> reductions;
  for (const engine::Reduction reduction : engine::AllReductions()) {
    // Sums and means need all samples, and then there is nothing to find out.
    const bool is_of_all =
        reduction == engine::Reduction::kSum || reduction == engine::Reduction::kAvg;
    if (random() % (is_of_all ? 20 : 2) == 0) reductions.push_back(reduction);
  }
  if (reductions.empty()) reductions.push_back(engine::Reduction::kLast);
  return reductions;
}

Question RandomQuestion(Random& random) {
  static const std::vector<std::string> kFunctions = {"max_over_time",
                                                      "min_over_time",
                                                      "count_over_time",
                                                      "present_over_time",
                                                      "last_over_time",
                                                      "first_over_time",
                                                      "ts_of_last_over_time",
                                                      "ts_of_first_over_time",
                                                      "rate",
                                                      "increase",
                                                      "delta",
                                                      "resets",
                                                      "changes",
                                                      "sum_over_time",
                                                      "avg_over_time",
                                                      "ts_of_max_over_time",
                                                      "absent_over_time"};
  Question question;
  std::string selector = random() % 3 == 0 ? absl::StrFormat("m_total{kind=\"%d\"}", random() % 9)
                                           : "m_total{job=\"job1\"}";
  const bool is_aligned = random() % 4 != 0;
  const std::vector<int64_t> ranges = {5, 10, 15, 60, 240, 300};
  const int64_t range_ms = is_aligned ? Pick(random, ranges) * kMinuteMs
                                      : Pick(random, {90'000, 7 * kMinuteMs, 3'600'001});
  std::string modifiers;
  if (random() % 3 == 0) {
    modifiers = absl::StrFormat(" offset %s", random() % 3 == 0 ? "1m" : "10m");
  }
  if (random() % 6 == 0) {
    modifiers += absl::StrFormat(" @ %d", (kEnd - Pick(random, {0, 5, 60, 61}) * kMinuteMs) / 1000);
  }
  const std::string& call = kFunctions[random() % kFunctions.size()];
  question.text = absl::StrFormat("%s(%s[%dms]%s)", call, selector, range_ms, modifiers);
  if (random() % 5 == 0) {
    question.text = absl::StrFormat("max_over_time(%s[30m:5m])", question.text);
  }
  question.start_ms = kStart + Pick(random, {-60, 0, 5, 230, 235, 240}) * kMinuteMs;
  question.end_ms = question.start_ms + Pick(random, {0, 60, 400, 600}) * kMinuteMs;
  if (random() % 4 == 0) question.start_ms += Pick(random, {1, -1, 30'000});
  question.step_ms = Pick(random, {0, 5 * kMinuteMs, 10 * kMinuteMs, kHourMs, 3 * kMinuteMs});
  if (question.step_ms == 0 && random() % 2 == 0) question.end_ms = kEnd;
  if (question.step_ms != 0 && random() % 4 == 0) {
    question.text = selector + modifiers;
    question.reductions = RandomReductions(random);
  }
  return question;
}

// A store in a folder of its own.
struct RealStore {
  explicit RealStore(uint32_t shard_count) {
    StoreOptions options;
    options.data_dir = folder.path() + "/data";
    options.shard_count = shard_count;
    options.now_ms = [] { return kNow; };
    absl::StatusOr<std::unique_ptr<Store>> opened = OpenStore(std::move(options));
    LOCKSTEP_CHECK(opened.ok());
    store = *std::move(opened);
  }

  TestFolder folder;
  std::unique_ptr<Store> store;
};

class RollupAnswers : public ::testing::TestWithParam<uint32_t> {
 protected:
  RollupAnswers() : real_(GetParam()) {}

  void WriteToBoth(const WriteRequest& request) {
    Write(memory_, request);
    Write(*real_.store, request);
  }

  void WriteSeries(int64_t start_ms, int64_t end_ms, uint64_t one_in) {
    WriteRequest request;
    for (int number = 0; number < 27; ++number) {
      if (random_() % one_in == 0) {
        request.series.push_back(MakeSeries(number, start_ms, end_ms, random_));
      }
    }
    WriteToBoth(request);
  }

  void ExpectSameAnswers(int count) {
    for (int i = 0; i < count; ++i) {
      const Question question = RandomQuestion(random_);
      const std::string answer = AnswerOf(*real_.store, question);
      const std::string asked =
          absl::StrFormat("%s from %d to %d by %d", question.text, question.start_ms,
                          question.end_ms, question.step_ms);
      ASSERT_EQ(answer, AnswerOf(AllSamples(*real_.store), question)) << asked;
      ASSERT_EQ(answer, AnswerOf(memory_, question)) << asked;
    }
  }

  Random random_{GetParam()};
  MemoryStorage memory_;
  RealStore real_;
};

TEST_P(RollupAnswers, AreThoseOfTheSamples) {
  WriteSeries(kStart, kEnd + 20 * kMinuteMs, 1);
  ExpectSameAnswers(20);
  ASSERT_TRUE(real_.store->Settle().ok());
  ExpectSameAnswers(150);
  // Late samples and overwrites in some windows of some series: first in the head, then in hot
  // runs.
  WriteSeries(kStart + kHourMs, kStart + 2 * kHourMs, 4);
  ExpectSameAnswers(60);
  ASSERT_TRUE(real_.store->Seal().ok());
  WriteSeries(kStart + 6 * kHourMs, kStart + 7 * kHourMs, 6);
  ExpectSameAnswers(60);
  ASSERT_TRUE(real_.store->Settle().ok());
  ExpectSameAnswers(100);
}

// Rollups are really read.
TEST_P(RollupAnswers, HoldFewSamples) {
  WriteSeries(kStart, kEnd, 1);
  ASSERT_TRUE(real_.store->Settle().ok());
  for (const std::string call : {"max_over_time", "min_over_time", "count_over_time",
                                 "last_over_time", "first_over_time", "increase"}) {
    const std::string text =
        absl::StrFormat("%s(m_total{kind=\"%d\"}[1h])", call, static_cast<int>(kFractions));
    const Question question{text, kStart, kEnd, kHourMs};
    const auto few = Ask(*real_.store, question), all = Ask(memory_, question);
    ASSERT_TRUE(few.ok() && all.ok());
    EXPECT_LT(few->stats.peak_samples, all->stats.peak_samples / 3) << text;
    EXPECT_EQ(few->stats.total_samples, all->stats.total_samples);
    const engine::SelectorCost& selector = few->plan->children.at(0).selector.value();
    EXPECT_EQ(selector.sample_count + selector.left_out_count,
              all->plan->children.at(0).selector.value().sample_count);
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, RollupAnswers, ::testing::Values(1, 2, 7));

}  // namespace
}  // namespace lockstep
