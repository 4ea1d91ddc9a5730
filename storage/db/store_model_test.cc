// Compares the store with a map: random writes, including late ones, retries and overwrites, with
// seals, merges, deletions, restarts, clean stops and crashes in between, on stores of 1, 2 and 7
// shards at once. All return the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

constexpr int kModelSeries = 40;
constexpr uint32_t kShardCounts[] = {1, 2, 7};

class SamplesModel {
 public:
  // The expected outcome of Storage::Write().
  WriteOutcome Write(const WriteRequest& request) {
    WriteOutcome outcome;
    for (const SeriesWrite& write : request.series) {
      for (size_t i = 0; i < write.samples.size(); ++i) {
        const Sample& sample = write.samples[i];
        const int64_t start_ms =
            write.start_timestamps_ms.empty() ? 0 : write.start_timestamps_ms[i];
        Put(write.labels, sample.timestamp_ms,
            absl::StrFormat("%x", std::bit_cast<uint64_t>(sample.value)) + StartText(start_ms),
            outcome);
      }
      for (const HistogramSample& sample : write.histograms) {
        Put(write.labels, sample.timestamp_ms,
            absl::StrFormat("h%g/%g", sample.histogram->count, sample.histogram->sum) +
                StartText(sample.start_timestamp_ms),
            outcome);
      }
    }
    return outcome;
  }

  void Delete(const std::vector<Matcher>& matchers, TimeRange range) {
    for (auto series = series_.begin(); series != series_.end();) {
      auto& [labels, samples] = *series;
      const bool matches = std::all_of(
          matchers.begin(), matchers.end(),
          [&](const Matcher& matcher) { return matcher.Matches(labels.Get(matcher.name())); });
      if (matches && range.min_ms <= range.max_ms) {
        samples.erase(samples.lower_bound(range.min_ms), samples.upper_bound(range.max_ms));
      }
      series = samples.empty() ? series_.erase(series) : std::next(series);
    }
  }

  std::vector<std::string> ValuesOf(const std::string& label) const {
    std::set<std::string> values;
    for (const auto& [labels, samples] : series_) values.emplace(labels.Get(label));
    return {values.begin(), values.end()};
  }

  // The expected output of Dump().
  std::string Dump(TimeRange range) const {
    std::string out;
    for (const auto& [labels, samples] : series_) {
      std::string line;
      for (auto at = samples.lower_bound(range.min_ms);
           at != samples.end() && at->first <= range.max_ms; ++at) {
        line += absl::StrFormat(" %d=%s", at->first, at->second);
      }
      if (!line.empty()) out += labels.ToString() + ":" + line + "\n";
    }
    return out;
  }

 private:
  void Put(const LabelSet& labels, int64_t time_ms, std::string value, WriteOutcome& outcome) {
    const auto [at, is_new] = series_[labels].try_emplace(time_ms, value);
    if (is_new) {
      ++outcome.written_count;
    } else if (at->second == value) {
      ++outcome.duplicate_count;
    } else {
      ++outcome.overwritten_count;
      at->second = std::move(value);
    }
  }

  std::map<LabelSet, std::map<int64_t, std::string>> series_;
};

class RandomWrites {
 public:
  explicit RandomWrites(uint64_t seed) : random_(seed) {}

  uint64_t Below(uint64_t end) { return random_() % end; }

  // Matchers for one series, one job or one metric.
  std::vector<Matcher> Matchers() {
    const int number = static_cast<int>(Below(kModelSeries));
    switch (Below(4)) {
      case 0:
        return {Matcher::Equal("job", "job" + std::to_string(number % 4))};
      case 1:
        return {Matcher::Equal(std::string(kMetricName), "power")};
      default:
        return {Matcher::Equal("rank", std::to_string(number * 100))};
    }
  }
  TimeRange Range() {
    switch (Below(3)) {
      case 0:
        return {INT64_MIN, INT64_MAX};
      case 1:
        return {now_ms_ - static_cast<int64_t>(Below(400)) * 15'000, INT64_MAX};
      default: {
        const int64_t start_ms = Time();
        return {start_ms, start_ms + static_cast<int64_t>(Below(60)) * kHourMs};
      }
    }
  }

  WriteRequest Request() {
    WriteRequest request;
    now_ms_ += 15'000;
    for (uint64_t left = 1 + Below(30); left > 0; --left) {
      const int number = static_cast<int>(Below(kModelSeries));
      SeriesWrite write;
      write.labels = Series(number % 3 == 0 ? "power" : "sm", "job" + std::to_string(number % 4),
                            number * 100);
      // One kind per write, because the order of kinds within a write is up to the store.
      if (number % 10 == 9 && Below(2) == 0) {
        AddHistograms(write);
      } else {
        AddFloats(write);
      }
      request.series.push_back(std::move(write));
    }
    return request;
  }

 private:
  int64_t Time() {
    switch (Below(10)) {
      case 0:
        return now_ms_ - static_cast<int64_t>(Below(20)) * 15'000;  // late, often repeated
      case 1:
        return kTestNowMs - static_cast<int64_t>(Below(40)) * 6 * kHourMs;  // days late
      default:
        return now_ms_;
    }
  }
  void AddFloats(SeriesWrite& write) {
    // No repeated times: samples of one series and request are first compared with one another.
    std::set<int64_t> times;
    for (uint64_t left = Below(8) == 0 ? 5 : 1; left > 0; --left) times.insert(Time());
    for (const int64_t time_ms : times) {
      write.samples.push_back({time_ms, static_cast<double>(Below(3)) / 2});
    }
    std::shuffle(write.samples.begin(), write.samples.end(), random_);
    if (Below(6) != 0) return;
    while (write.start_timestamps_ms.size() < write.samples.size()) {
      write.start_timestamps_ms.push_back(Start());
    }
  }
  int64_t Start() { return static_cast<int64_t>(Below(3)) * 1000; }
  void AddHistograms(SeriesWrite& write) {
    auto histogram = std::make_shared<Histogram>();
    histogram->count = static_cast<double>(Below(3));
    histogram->sum = 1.5;
    histogram->positive_spans = {{0, 1}};
    histogram->positive_counts = {histogram->count};
    write.histograms.push_back({Time(), std::move(histogram), Below(4) == 0 ? Start() : 0});
  }

  std::mt19937_64 random_;
  int64_t now_ms_ = kTestNowMs - 1000 * 15'000;
};

WriteRequest Copy(const WriteRequest& request) { return request; }

class StoreModel : public ::testing::TestWithParam<uint64_t> {
 protected:
  StoreModel() {
    for (size_t i = 0; i < std::size(kShardCounts); ++i) {
      options_.push_back(TestOptions(folders_[i]));
      options_.back().shard_count = kShardCounts[i];
      // So small that some seals start by themselves.
      options_.back().head_bytes = kShardCounts[i] * 40'000;
      stores_.push_back(MustOpen(options_.back()));
    }
  }

  void Step() {
    const uint64_t what = random_.Below(25);
    if (what == 0) {
      for (const auto& store : stores_) ASSERT_TRUE(store->Seal().ok());
    } else if (what == 4) {
      for (const auto& store : stores_) ASSERT_TRUE(store->Settle().ok());
    } else if (what == 1) {
      for (const auto& store : stores_) ASSERT_TRUE(store->Close().ok());
      // The next close may leave everything to the journal.
      const std::chrono::milliseconds patience(random_.Below(2) == 0 ? 0 : 8000);
      for (StoreOptions& options : options_) options.close_patience = patience;
      Reopen();
      ExpectSameNames();
    } else if (what == 5 || what == 6) {
      Delete();
    } else if (what == 2) {
      Reopen();  // without Close(), as after kill -9
    } else if (what == 3) {
      ExpectEqual({kTestNowMs - 120 * kHourMs, kTestNowMs - 48 * kHourMs});
    } else {
      Write();
    }
  }

  void Write() {
    const WriteRequest request = random_.Request();
    const WriteOutcome expected = model_.Write(request);
    const bool by_refs = random_.Below(4) > 0;
    for (const auto& store : stores_) {
      const auto outcome =
          WriteAndWait(*store, by_refs ? WithKnownSeries(*store, Copy(request)) : Copy(request));
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      EXPECT_EQ(outcome->written_count, expected.written_count);
      EXPECT_EQ(outcome->duplicate_count, expected.duplicate_count);
      EXPECT_EQ(outcome->overwritten_count, expected.overwritten_count);
      EXPECT_EQ(outcome->rejected_count, 0u);
    }
  }

  void Delete() {
    const std::vector<Matcher> matchers = random_.Matchers();
    const TimeRange range = random_.Range();
    model_.Delete(matchers, range);
    for (const auto& store : stores_) {
      ASSERT_TRUE(store->DeleteSeries({&matchers, 1}, range).ok());
    }
    ExpectEqual({INT64_MIN, INT64_MAX});
  }

  // Precondition: nothing was written since the start. If a series only received retries of
  // existing samples, the head may still remember its name.
  void ExpectSameNames() {
    for (const auto& store : stores_) {
      ASSERT_TRUE(store->DropExpired().ok());
      const auto querier = store->NewQuerier();
      const auto values = (*querier)->LabelValues("rank", {{}, {INT64_MIN, INT64_MAX}, nullptr});
      ASSERT_EQ(*values, model_.ValuesOf("rank"));
    }
  }

  void Reopen() {
    for (size_t i = 0; i < stores_.size(); ++i) {
      stores_[i] = nullptr;
      stores_[i] = MustOpen(options_[i]);
    }
  }

  void ExpectEqual(TimeRange range) {
    const std::string expected = model_.Dump(range);
    for (const auto& store : stores_) ASSERT_EQ(Dump(*store, range), expected);
  }

  TestFolder folders_[std::size(kShardCounts)];
  std::vector<StoreOptions> options_;
  std::vector<std::unique_ptr<Store>> stores_;
  SamplesModel model_;
  RandomWrites random_{GetParam()};
};

TEST_P(StoreModel, GivesTheSameAnswers) {
  for (int step = 0; step < 150 && !HasFatalFailure(); ++step) {
    Step();
    if (step % 25 == 24) ExpectEqual({INT64_MIN, INT64_MAX});
  }
  Reopen();
  ExpectSameNames();
  ExpectEqual({INT64_MIN, INT64_MAX});
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreModel, ::testing::Range<uint64_t>(1, 4));

}  // namespace
}  // namespace lockstep
