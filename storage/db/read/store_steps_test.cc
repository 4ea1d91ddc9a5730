// Selections that need only the newest sample at each step, and selections of few or many series,
// over rows of several runs and samples in memory: against all samples of each series alone.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "storage/db/rows/window.h"
#include "storage/db/store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int kSeriesOfJob = 70;  // two blocks
const int64_t kBeginMs = RangeOfWindow(WindowOf(kTestNowMs) - 5).min_ms;

using Samples = std::map<int64_t, double>;

class StoreSteps : public ::testing::Test {
 protected:
  StoreSteps() {
    const int64_t end_ms = kBeginMs + 5 * kWindowMs;
    // Three runs, where later ones overwrite some samples, and the memory.
    for (int round = 0; round < 4; ++round) {
      WriteRequest request;
      for (const char* name : {"a", "b", "c"}) {
        for (int number = 0; number < kSeriesOfJob; ++number) {
          if (round > 0 && number % 3 != round % 3) continue;
          AddTo(request, Series(name, "train", number), kBeginMs + number * 100, end_ms,
                round == 0 ? 2 * kMinuteMs : 11 * kMinuteMs);
        }
      }
      EXPECT_TRUE(WriteAndWait(*store_, std::move(request)).ok());
      if (round < 3) {
        EXPECT_TRUE(store_->Seal().ok());
      }
      if (round == 1) {
        EXPECT_TRUE(store_->Settle().ok());
      }
    }
  }

  void AddTo(WriteRequest& request, const LabelSet& labels, int64_t begin_ms, int64_t end_ms,
             int64_t step_ms) {
    SeriesWrite write{labels, {}, {}};
    Samples& model = model_[labels.ToString()];
    for (int64_t t = begin_ms; t < end_ms; t += step_ms) {
      const auto value = static_cast<double>(random_() % 1000);
      write.samples.push_back({t, value});
      model[t] = value;
    }
    request.series.push_back(std::move(write));
  }

  // What each of the series has at each step: "time=value ...".
  std::map<std::string, std::string> Read(const Selection& selection, size_t parts) {
    const auto querier = store_->NewQuerier();
    auto set = (*querier)->Select(selection);
    std::map<std::string, std::string> found;
    for (const auto& part : (*set)->Split(parts)) {
      SampleColumns columns;
      while (part->Next()) {
        columns.Clear();
        EXPECT_TRUE(part->Read(columns).ok());
        Samples samples;
        for (size_t i = 0; i < columns.values.size(); ++i) {
          samples[columns.timestamps_ms[i]] = columns.values[i];
        }
        EXPECT_EQ(samples.size(), columns.values.size());
        found[part->labels().ToString()] = AtSteps(samples, selection);
      }
      EXPECT_TRUE(part->status().ok());
    }
    return found;
  }

  // The same of the model, of the series whose text begins with `prefix`.
  std::map<std::string, std::string> Expected(const Selection& selection, std::string_view prefix) {
    std::map<std::string, std::string> expected;
    for (const auto& [labels, samples] : model_) {
      if (!labels.starts_with(prefix)) continue;
      const auto begin = samples.lower_bound(selection.range.min_ms);
      const auto end = samples.upper_bound(selection.range.max_ms);
      expected[labels] = AtSteps(Samples(begin, end), selection);
    }
    return expected;
  }

  static std::string AtSteps(const Samples& samples, const Selection& selection) {
    std::string all;
    const auto add = [&all](Samples::const_iterator at) {
      all += std::to_string(at->first) + "=" + std::to_string(at->second) + " ";
    };
    if (selection.steps.empty()) {
      for (auto at = samples.begin(); at != samples.end(); ++at) add(at);
      return all;
    }
    for (int64_t step = selection.steps.NotBefore(selection.range.min_ms);
         step <= selection.range.max_ms; step += selection.steps.step_ms) {
      const auto after = samples.upper_bound(step);
      if (after != samples.begin()) add(std::prev(after));
    }
    return all;
  }

  TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  std::unique_ptr<Store> store_ = MustOpen(options_);
  std::mt19937_64 random_{7};
  std::map<std::string, Samples> model_;
};

TEST_F(StoreSteps, GiveWhatAllSamplesWouldGive) {
  const std::vector<Matcher> one_name = {*Matcher::Make(MatchType::kEqual, "__name__", "b")};
  const TimeRange all{kBeginMs, kBeginMs + 5 * kWindowMs};
  const TimeRange some{kBeginMs + 12'345'678, kBeginMs + 3 * kWindowMs + 4'321};
  for (const bool is_one_name : {false, true}) {
    for (const TimeRange range : {all, some}) {
      for (const StepTimes steps : {StepTimes{},
                                    {kBeginMs + 17, 10 * kMinuteMs},
                                    {kBeginMs, 7 * kWindowMs / 5},
                                    {0, 90'000}}) {
        Selection selection{std::span(one_name).first(is_one_name ? 1 : 0), range};
        selection.steps = steps;
        if (!steps.empty()) selection.needed = SamplesNeeded::kNewest;
        for (const size_t parts : {1u, 500u}) {
          ASSERT_EQ(Read(selection, parts), Expected(selection, is_one_name ? "b{" : ""))
              << steps.step_ms << " " << parts;
        }
      }
    }
  }
}

TEST_F(StoreSteps, FewSeriesOfManyBlocksAreReadTogether) {
  for (const int number : {0, 5, 64, 69}) {
    const std::vector<Matcher> matchers = {
        *Matcher::Make(MatchType::kEqual, "rank", std::to_string(number))};
    const TimeRange all{kBeginMs, kBeginMs + 5 * kWindowMs};
    std::map<std::string, std::string> expected;
    for (const char* name : {"a", "b", "c"}) {
      const std::string labels = Series(name, "train", number).ToString();
      expected[labels] = AtSteps(model_.at(labels), {matchers, all});
    }
    EXPECT_EQ(Read({matchers, all}, 1), expected);
    EXPECT_EQ(Read({matchers, all}, 2), expected);
  }
}

}  // namespace
}  // namespace lockstep
