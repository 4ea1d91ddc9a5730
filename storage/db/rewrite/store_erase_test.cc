// Deletion removes exactly the requested samples, whatever happens before, after or in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "storage/chunk/chunk_row_builder.h"
#include "storage/db/backup/backup_folder.h"
#include "storage/db/check/store_check.h"
#include "storage/db/layout/store_layout.h"
#include "storage/db/rows/window.h"
#include "storage/db/rows/window_row.h"
#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "storage/kv/faults/fault_env.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Matchers = std::vector<Matcher>;

Matchers Name(const std::string& name) { return {Matcher::Equal(std::string(kMetricName), name)}; }

class StoreErase : public ::testing::Test {
 protected:
  void Open() {
    store_ = nullptr;
    store_ = MustOpen(options_);
  }
  // As after a clean stop.
  void Reopen() {
    ASSERT_TRUE(store_->Close().ok());
    Open();
  }
  absl::Status Delete(const Matchers& matchers, TimeRange range = kAllTimes) {
    return store_->DeleteSeries({&matchers, 1}, range);
  }
  std::string Write(const LabelSet& labels, std::vector<Sample> samples) {
    const auto outcome = WriteFloats(*store_, labels, std::move(samples));
    return outcome.ok() ? "" : outcome.status().ToString();
  }
  std::vector<std::string> Names(const std::string& label = std::string(kMetricName)) {
    const auto querier = store_->NewQuerier();
    const auto names = (*querier)->LabelValues(label, {{}, kAllTimes, nullptr});
    return names.ok() ? *names : std::vector<std::string>{names.status().ToString()};
  }
  // The damage in the closed store, and the number of samples in its chunks and its window rows.
  struct Checked {
    std::string damage;
    uint64_t sample_count = 0;
    uint64_t told_sample_count = 0;
  };
  Checked Check() {
    store_ = nullptr;
    Checked checked;
    const auto report = CheckStore(options_.data_dir, options_.env,
                                   {.on_damage =
                                        [&](const std::string& where, const std::string& what) {
                                          checked.damage += where + ": " + what + "\n";
                                        },
                                    .on_progress = [](const std::string&) {}});
    EXPECT_TRUE(report.ok()) << report.status();
    for (const auto& [number, day] : report->days) checked.sample_count += day.totals.sample_count;
    for (uint32_t i = 0; i < options_.shard_count; ++i) {
      auto kv = kv::Store::Open(ShardFolder(options_.data_dir, i), options_.env,
                                std::make_shared<const kv::Resources>(kv::ResourceLimits()));
      for (auto row = (*kv)->NewCursor(kv::Space::kMeta, kv::AllWindowKeys()); row.Valid();
           row.Next()) {
        checked.told_sample_count += DecodeWindowRow(row.value())->totals.sample_count;
      }
    }
    return checked;
  }

  TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  std::unique_ptr<Store> store_ = MustOpen(options_);
};

// Samples every hour: some in memory, some in hot runs of two windows, some cold.
class StoreEraseEverywhere : public StoreErase, public ::testing::WithParamInterface<uint32_t> {
 protected:
  StoreEraseEverywhere() {
    store_ = nullptr;
    options_.data_dir += "-sharded";
    options_.shard_count = GetParam();
    store_ = MustOpen(options_);
    WriteHours(20, 13);
    EXPECT_TRUE(store_->Settle().ok());
    WriteHours(12, 7);
    EXPECT_TRUE(store_->Seal().ok());
    WriteHours(8, 3);  // some of them again
    EXPECT_TRUE(store_->Seal().ok());
    WriteHours(2, 0);
  }
  void WriteHours(int from, int to) {
    WriteRequest request;
    for (int i = 0; i < kSeriesCount; ++i) {
      SeriesWrite write{LabelsOf(i), {}, {}};
      for (int hour = from; hour >= to; --hour)
        write.samples.push_back({kTestNowMs - hour * kHourMs, 1.0 * i});
      request.series.push_back(std::move(write));
    }
    ASSERT_TRUE(WriteAndWait(*store_, std::move(request)).ok());
  }
  static LabelSet LabelsOf(int i) {
    return Series(i % 2 == 0 ? "even" : "odd", "job" + std::to_string(i % 5), i);
  }
  // The output of Dump() without the samples for which `erased` is true.
  template <typename Erased>
  static std::string Left(Erased erased) {
    std::map<LabelSet, std::string> lines;
    for (int i = 0; i < kSeriesCount; ++i) {
      for (int hour = 20; hour >= 0; --hour) {
        if (erased(i, hour)) continue;
        lines[LabelsOf(i)] += absl::StrFormat(" %d=%x", kTestNowMs - hour * kHourMs,
                                              std::bit_cast<uint64_t>(static_cast<double>(i)));
      }
    }
    std::string text;
    for (const auto& [labels, samples] : lines) text += labels.ToString() + ":" + samples + "\n";
    return text;
  }
  template <typename Erased>
  void ExpectLeft(Erased erased) {
    const std::string expected = Left(erased);
    EXPECT_EQ(Dump(*store_), expected);
    Open();  // as after a crash
    EXPECT_EQ(Dump(*store_), expected);
    ASSERT_TRUE(store_->Settle().ok());
    EXPECT_EQ(Dump(*store_), expected);
    Reopen();
    EXPECT_EQ(Dump(*store_), expected);
    const Checked checked = Check();
    EXPECT_EQ(checked.damage, "");
  }

  static constexpr int kSeriesCount = 150;
};

TEST_P(StoreEraseEverywhere, ARangeOfSomeSeries) {
  ASSERT_TRUE(Delete(Name("odd"), {kTestNowMs - 17 * kHourMs, kTestNowMs - kHourMs}).ok());
  ExpectLeft([](int i, int hour) { return i % 2 == 1 && hour >= 1 && hour <= 17; });
}

TEST_P(StoreEraseEverywhere, OneMillisecond) {
  ASSERT_TRUE(Delete(Name("odd"), {kTestNowMs - 10 * kHourMs, kTestNowMs - 10 * kHourMs}).ok());
  ASSERT_TRUE(
      Delete(Name("even"), {kTestNowMs - 10 * kHourMs + 1, kTestNowMs - 9 * kHourMs - 1}).ok());
  ExpectLeft([](int i, int hour) { return i % 2 == 1 && hour == 10; });
}

TEST_P(StoreEraseEverywhere, WhatMatchesOneOfSeveralSets) {
  const std::vector<Matchers> sets = {{Matcher::Equal("job", "job3")},
                                      {Matcher::Equal("job", "job4"), Name("odd")[0]}};
  ASSERT_TRUE(store_->DeleteSeries(sets, {INT64_MIN, kTestNowMs - 5 * kHourMs}).ok());
  ExpectLeft(
      [](int i, int hour) { return hour >= 5 && (i % 5 == 3 || (i % 5 == 4 && i % 2 == 1)); });
}

TEST_P(StoreEraseEverywhere, AllOfSomeSeries) {
  ASSERT_TRUE(Delete(Name("odd")).ok());
  EXPECT_THAT(Names(), ElementsAre("even"));
  EXPECT_EQ(store_->stats().series_count, size_t{kSeriesCount} / 2);
  ExpectLeft([](int i, int) { return i % 2 == 1; });
}

TEST_P(StoreEraseEverywhere, Everything) {
  ASSERT_TRUE(Delete({}).ok());
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_EQ(store_->stats().series_count, 0u);
  EXPECT_EQ(store_->stats().window_count, 0u);
  ExpectLeft([](int, int) { return true; });
}

TEST_P(StoreEraseEverywhere, ASeriesGoesWithItsLastSampleHoweverManyCallsItTakes) {
  ASSERT_TRUE(Delete(Name("odd"), {INT64_MIN, kTestNowMs - 9 * kHourMs}).ok());
  ASSERT_TRUE(Delete(Name("odd"), {kTestNowMs - 4 * kHourMs, INT64_MAX}).ok());
  EXPECT_THAT(Names(), ElementsAre("even", "odd"));
  ASSERT_TRUE(Delete(Name("odd"), {kTestNowMs - 8 * kHourMs, kTestNowMs - 5 * kHourMs}).ok());
  EXPECT_THAT(Names(), ElementsAre("even"));
  ExpectLeft([](int i, int) { return i % 2 == 1; });
}

TEST_P(StoreEraseEverywhere, CountsGoDownByWhatWasErased) {
  ASSERT_TRUE(store_->Settle().ok());
  ASSERT_TRUE(Delete(Name("odd"), {kTestNowMs - 17 * kHourMs, kTestNowMs - kHourMs}).ok());
  ASSERT_TRUE(store_->Close().ok());
  const Checked checked = Check();
  EXPECT_EQ(checked.damage, "");
  EXPECT_EQ(checked.sample_count, size_t{kSeriesCount} * 21 - size_t{kSeriesCount} / 2 * 17);
  EXPECT_EQ(checked.told_sample_count, checked.sample_count);
}

INSTANTIATE_TEST_SUITE_P(Shards, StoreEraseEverywhere, ::testing::Values(1, 2));

TEST_F(StoreErase, NothingMatches) {
  ASSERT_EQ(Write(Series("m"), {{kTestNowMs, 1}}), "");
  const std::string before = Dump(*store_);
  ASSERT_TRUE(Delete(Name("other")).ok());
  ASSERT_TRUE(Delete(Name("m"), {kTestNowMs + 1, INT64_MAX}).ok());
  ASSERT_TRUE(Delete(Name("m"), {kTestNowMs + 1, kTestNowMs - 1}).ok());
  EXPECT_EQ(Dump(*store_), before);
}

TEST_F(StoreErase, BothEndsOfARangeGoAndTheirNeighboursStay) {
  for (const bool is_cold : {false, true}) {
    ASSERT_EQ(Write(Series("m"), {{kTestNowMs - 4, 1},
                                  {kTestNowMs - 3, 1},
                                  {kTestNowMs - 2, 1},
                                  {kTestNowMs - 1, 1},
                                  {kTestNowMs, 1}}),
              "");
    if (is_cold) {
      ASSERT_TRUE(store_->Settle().ok());
    }
    ASSERT_TRUE(Delete(Name("m"), {kTestNowMs - 3, kTestNowMs - 1}).ok());
    EXPECT_EQ(Dump(*store_), Series("m").ToString() +
                                 absl::StrFormat(": %d=3ff0000000000000 %d=3ff0000000000000\n",
                                                 kTestNowMs - 4, kTestNowMs));
  }
}

TEST_F(StoreErase, WhatIsWrittenAfterwardsIsKeptAtTheSameTimesToo) {
  for (const bool is_sealed : {false, true}) {
    ASSERT_EQ(Write(Series("m"), {{kTestNowMs - 2, 1}, {kTestNowMs - 1, 1}, {kTestNowMs, 1}}), "");
    if (is_sealed) {
      ASSERT_TRUE(store_->Settle().ok());
    }
    const std::string before = Dump(*store_);
    ASSERT_TRUE(Delete(Name("m")).ok());
    EXPECT_EQ(Dump(*store_), "");
    const auto outcome = WriteFloats(*store_, Series("m"),
                                     {{kTestNowMs - 2, 1}, {kTestNowMs - 1, 1}, {kTestNowMs, 1}});
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->written_count, 3u);
    EXPECT_EQ(Dump(*store_), before);
    Open();
    EXPECT_EQ(Dump(*store_), before);
  }
}

TEST_F(StoreErase, ASenderThatKnowsASeriesWritesOnAfterARange) {
  ASSERT_EQ(Write(Series("m"), {{kTestNowMs - 3, 1}, {kTestNowMs - 2, 2}}), "");
  ASSERT_TRUE(store_->Seal().ok());
  ASSERT_TRUE(Delete(Name("m"), {kTestNowMs - 2, kTestNowMs}).ok());
  WriteRequest request;
  request.series.push_back({Series("m"), {{kTestNowMs - 2, 2}}, {}});
  request = WithKnownSeries(*store_, std::move(request));
  ASSERT_EQ(request.known.size(), 1u);
  EXPECT_EQ(WriteAndWait(*store_, std::move(request))->written_count, 1u);
  EXPECT_THAT(Dump(*store_), HasSubstr(absl::StrFormat(" %d=", kTestNowMs - 2)));
}

TEST_F(StoreErase, TheNewestSampleThatIsLeftIsKnown) {
  const auto series_count_since = [this](int64_t time_ms) {
    const auto querier = store_->NewQuerier();
    return (*(*querier)->Select({{}, {time_ms, kTestNowMs}, nullptr}))->size();
  };
  const int64_t first_ms = kTestNowMs - 13 * kHourMs, second_ms = kTestNowMs - 9 * kHourMs,
                third_ms = kTestNowMs - 5 * kHourMs;
  ASSERT_EQ(Write(Series("m"), {{first_ms, 1}, {second_ms, 2}, {third_ms, 3}}), "");
  ASSERT_TRUE(store_->Seal().ok());

  ASSERT_TRUE(Delete(Name("m"), {second_ms, second_ms}).ok());
  EXPECT_EQ(series_count_since(third_ms), 1u);
  EXPECT_EQ(WriteFloats(*store_, Series("m"), {{third_ms, 3}})->duplicate_count, 1u);

  ASSERT_TRUE(Delete(Name("m"), {third_ms, third_ms}).ok());
  EXPECT_EQ(series_count_since(second_ms), 0u);
  EXPECT_EQ(series_count_since(first_ms), 1u);
}

// The next process may give the place of a removed series to another one.
TEST_F(StoreErase, ANewSeriesDoesNotGetTheSamplesOfOneThatIsGone) {
  ASSERT_EQ(Write(Series("m", "train", 1), {{kTestNowMs - 2, 1}}), "");
  ASSERT_EQ(Write(Series("m", "train", 2), {{kTestNowMs - 2, 2}}), "");
  ASSERT_TRUE(store_->Seal().ok());
  ASSERT_TRUE(Delete({Matcher::Equal("rank", "2")}).ok());
  Reopen();
  ASSERT_EQ(Write(Series("m", "train", 3), {{kTestNowMs - 1, 3}}), "");
  EXPECT_THAT(Names("rank"), ElementsAre("1", "3"));
  ASSERT_TRUE(Delete({Matcher::Equal("rank", "1")}).ok());
  Open();
  EXPECT_EQ(Dump(*store_), Series("m", "train", 3).ToString() +
                               absl::StrFormat(": %d=4008000000000000\n", kTestNowMs - 1));
  EXPECT_THAT(Names("rank"), ElementsAre("3"));
}

TEST_F(StoreErase, AQuerierKeepsItsMoment) {
  ASSERT_EQ(Write(Series("m"), {{kTestNowMs - 1, 1}, {kTestNowMs, 1}}), "");
  ASSERT_TRUE(store_->Seal().ok());
  const auto querier = store_->NewQuerier();
  const std::string before = Dump(**querier);
  ASSERT_TRUE(Delete(Name("m"), {kTestNowMs, kTestNowMs}).ok());
  EXPECT_EQ(Dump(**querier), before);
  EXPECT_NE(Dump(*store_), before);
}

TEST_F(StoreErase, Histograms) {
  WriteRequest request;
  SeriesWrite write{Series("h"), {}, {}};
  for (int i = 0; i < 100; ++i) {
    auto histogram = std::make_shared<Histogram>();
    histogram->count = i;
    histogram->sum = 1.5;
    histogram->positive_spans = {{i % 3, 2}};
    histogram->positive_counts = {1.0 * i, 0.25};
    write.histograms.push_back({kTestNowMs - i * 1000, std::move(histogram)});
  }
  request.series.push_back(std::move(write));
  request.series.push_back({Series("h", "train", 1), {{kTestNowMs - 50'000, 1}}, {}});
  ASSERT_TRUE(WriteAndWait(*store_, std::move(request)).ok());
  const std::string late = Dump(*store_, {kTestNowMs - 9'000, INT64_MAX});
  const std::string early = Dump(*store_, {INT64_MIN, kTestNowMs - 51'000});
  ASSERT_TRUE(Delete(Name("h"), {kTestNowMs - 50'000, kTestNowMs - 10'000}).ok());
  EXPECT_EQ(Dump(*store_, {kTestNowMs - 9'000, INT64_MAX}), late);
  EXPECT_EQ(Dump(*store_, {INT64_MIN, kTestNowMs - 51'000}), early);
  EXPECT_EQ(Dump(*store_, {kTestNowMs - 50'999, kTestNowMs - 9'001}), "");
  EXPECT_THAT(Names("rank"), ElementsAre("0"));
}

TEST_F(StoreErase, ABackupMadeAfterwardsDoesNotHaveIt) {
  ASSERT_EQ(Write(Series("m"), {{kTestNowMs - 1, 1}, {kTestNowMs, 1}}), "");
  ASSERT_EQ(Write(Series("other"), {{kTestNowMs, 1}}), "");
  ASSERT_TRUE(store_->Settle().ok());
  const std::string backups = folder_.path() + "/backups";
  ASSERT_TRUE(store_->Backup(backups, 10).ok());
  ASSERT_TRUE(Delete(Name("m")).ok());
  const std::string left = Dump(*store_);
  ASSERT_TRUE(store_->Backup(backups, 10).ok());
  ASSERT_TRUE(store_->Close().ok());
  options_.data_dir = folder_.path() + "/restored";
  ASSERT_TRUE((*BackupFolder::Open(backups, options_.env))->Restore(2, options_.data_dir).ok());
  Open();
  EXPECT_EQ(Dump(*store_), left);
  EXPECT_THAT(Names(), ElementsAre("other"));
}

TEST_F(StoreErase, AStoreThatOnlyReadsDeletesNothing) {
  ASSERT_EQ(Write(Series("m"), {{kTestNowMs, 1}}), "");
  Reopen();
  ASSERT_TRUE(store_->Close().ok());
  options_.read_only = true;
  Open();
  EXPECT_EQ(Delete(Name("m")).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(store_->CleanTombstones().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(Dump(*store_), "");
}

// Noise, which does not compress.
std::vector<Sample> Noise(uint64_t seed, int count) {
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    const uint64_t noise = (static_cast<uint64_t>(i) + seed * 1'000'003) * 0x9e3779b97f4a7c15u;
    samples.push_back({kTestNowMs - 100 * i, static_cast<double>(noise)});
  }
  return samples;
}

TEST_F(StoreErase, CleaningGivesTheDiskSpaceBack) {
  options_.env = kv::Env::Default();
  options_.data_dir += "-large";
  Open();
  for (int i = 0; i < 4; ++i) ASSERT_EQ(Write(Series("m", "train", i), Noise(i, 50'000)), "");
  ASSERT_TRUE(store_->Settle().ok());
  const uint64_t before = store_->stats().disk_bytes;
  ASSERT_TRUE(Delete({Matcher::Equal("rank", "1")}).ok());
  ASSERT_TRUE(Delete({Matcher::Equal("rank", "2")}).ok());
  ASSERT_TRUE(Delete({Matcher::Equal("rank", "3")}).ok());
  ASSERT_TRUE(store_->CleanTombstones().ok());
  EXPECT_LT(store_->stats().disk_bytes, before / 2);
}

// A block that takes many batches was written twice: overwritten values never show while it is
// erased, nor after a power cut in the middle.
TEST_F(StoreErase, WhatWasOverwrittenNeverComesBack) {
  constexpr int kCount = 60'000;
  for (int run = 0; run < 2; ++run) {
    for (int i = 0; i < 8; ++i) {
      ASSERT_EQ(Write(Series("m", "train", i), Noise(8 * run + i, kCount)), "");
    }
    ASSERT_TRUE(store_->Seal().ok());
  }
  const auto env = std::static_pointer_cast<kv::FaultEnv>(options_.env);
  int failed_count = 0;
  for (uint64_t n = 1;; ++n) {
    env->FailFrom(n);
    const absl::Status status = Delete(Name("m"));
    env->CutPower();
    store_ = nullptr;
    ASSERT_TRUE(env->RestorePower(kv::UnsyncedTail::kLost).ok());
    Open();
    if (status.ok()) break;
    EXPECT_THAT(Message(status), HasSubstr("send the same request again"));
    ++failed_count;
    const auto querier = store_->NewQuerier();
    const auto set = (*querier)->Select({{}, kAllTimes, nullptr});
    SampleColumns columns;
    for (int i = 0; (*set)->Next(); ++i) {
      columns.Clear();
      ASSERT_TRUE((*set)->Read(columns).ok());
      const std::vector<Sample> written = Noise(8 + i, kCount);
      for (size_t k = 0; k < columns.values.size(); ++k) {
        const auto index = static_cast<size_t>((kTestNowMs - columns.timestamps_ms[k]) / 100);
        ASSERT_EQ(columns.values[k], written[index].value) << "change " << n;
      }
    }
  }
  EXPECT_GT(failed_count, 2);
  EXPECT_EQ(Dump(*store_), "");
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_EQ(Check().damage, "");
}

// A row of the maximum size, with two series that share the times of their floats and one with
// histograms. Without one float the two share nothing, and the row needs more room than there is.
class StoreEraseLargestRow : public StoreErase {
 protected:
  StoreEraseLargestRow() {
    std::mt19937_64 random(1);
    for (int64_t time_ms = kBegin; floats_.size() < 1000; time_ms += 1 + random() % 14'000) {
      floats_.push_back({time_ms, 1});
    }
    while (histograms_.size() < 12) AddHistogram(8'900);
    AddHistogram(1);
    const size_t room = kv::kMaxValueBytes - RowBytes();
    histograms_.pop_back();
    AddHistogram(1 + room / kNumberBytes);
    EXPECT_LE(RowBytes(), kv::kMaxValueBytes);
    WriteRequest request;
    request.series.push_back({Series("m", "train", 0), floats_, {}});
    request.series.push_back({Series("m", "train", 1), floats_, {}});
    request.series.push_back({Series("m", "train", 2), {}, histograms_});
    EXPECT_TRUE(WriteAndWait(*store_, std::move(request)).ok());
    EXPECT_TRUE(store_->Seal().ok());
  }

  // With numbers that do not compress.
  void AddHistogram(size_t number_count) {
    auto histogram = std::make_shared<Histogram>();
    histogram->count = histogram->sum = 0.5;
    histogram->positive_spans = {{0, static_cast<uint32_t>(number_count)}};
    for (size_t i = 0; i < number_count; ++i) histogram->positive_counts.push_back(0.1 + i);
    histograms_.push_back(
        {kBegin + static_cast<int64_t>(histograms_.size()), std::move(histogram)});
  }
  size_t RowBytes() const {
    SampleColumns floats, histograms;
    for (const Sample& sample : floats_) {
      floats.timestamps_ms.push_back(sample.timestamp_ms);
      floats.values.push_back(sample.value);
    }
    histograms.histograms = histograms_;
    ChunkRowBuilder row;
    row.Add(0, floats);
    row.Add(1, floats);
    row.Add(2, histograms);
    return row.Finish().size();
  }
  absl::Status DeleteOneFloat() {
    const int64_t time_ms = floats_[500].timestamp_ms;
    return Delete({Matcher::Equal("rank", "0")}, {time_ms, time_ms});
  }
  static Matchers Others() { return {*Matcher::Make(MatchType::kNotRegex, "rank", "0")}; }
  size_t RowCount() {
    EXPECT_TRUE(store_->Close().ok());
    store_ = nullptr;
    const auto kv = kv::Store::Open(ShardFolder(options_.data_dir, 0), options_.env,
                                    std::make_shared<const kv::Resources>(kv::ResourceLimits()));
    size_t count = 0;
    for (auto row = (*kv)->NewCursor(kv::Space::kHot, {}); row.Valid(); row.Next()) ++count;
    return count;
  }

  static constexpr int64_t kBegin = kTestNowMs / kWindowMs * kWindowMs - kWindowMs;
  static constexpr size_t kNumberBytes = 9;
  std::vector<Sample> floats_;
  std::vector<HistogramSample> histograms_;
};

TEST_F(StoreEraseLargestRow, BecomesTwoAndLosesNothingElse) {
  const std::string others = Dump(*store_, kAllTimes, Others());
  const TimeRange before = {INT64_MIN, floats_[500].timestamp_ms - 1};
  const TimeRange after = {floats_[500].timestamp_ms + 1, INT64_MAX};
  const Matchers rank0 = {Matcher::Equal("rank", "0")};
  const std::string left = Dump(*store_, before, rank0) + Dump(*store_, after, rank0);
  ASSERT_EQ(RowCount(), 1u);
  Open();
  ASSERT_TRUE(DeleteOneFloat().ok());
  EXPECT_EQ(RowCount(), 2u);
  Open();
  EXPECT_EQ(Dump(*store_, kAllTimes, Others()), others);
  EXPECT_EQ(Dump(*store_, before, rank0) + Dump(*store_, after, rank0), left);
  EXPECT_EQ(Dump(*store_, {before.max_ms + 1, after.min_ms - 1}, rank0), "");
  EXPECT_EQ(Check().damage, "");
}

TEST_F(StoreEraseLargestRow, LosesNothingElseWhicheverChangeFails) {
  const auto env = std::static_pointer_cast<kv::FaultEnv>(options_.env);
  const std::string left = Dump(*store_, kAllTimes, Others());
  int failed_count = 0;
  for (uint64_t n = 1;; ++n) {
    env->FailFrom(n);
    const absl::Status status = DeleteOneFloat();
    env->CutPower();
    store_ = nullptr;
    ASSERT_TRUE(env->RestorePower(kv::UnsyncedTail::kLost).ok());
    Open();
    ASSERT_EQ(Dump(*store_, kAllTimes, Others()), left) << "change " << n;
    if (status.ok()) break;
    ++failed_count;
  }
  EXPECT_GT(failed_count, 1);
  EXPECT_EQ(Check().damage, "");
}

TEST_F(StoreErase, NothingIsRewrittenOnAFullDisk) {
  const auto env = std::static_pointer_cast<kv::FaultEnv>(options_.env);
  ASSERT_EQ(Write(Series("m"), {{kTestNowMs - 1, 1}, {kTestNowMs, 1}}), "");
  ASSERT_TRUE(store_->Seal().ok());
  const std::string before = Dump(*store_);
  env->SetFreeBytes(options_.min_free_bytes - 1);
  const absl::Status status = Delete(Name("m"));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Message(status), HasSubstr("the disk is full: 67108863 bytes are free"));
  EXPECT_THAT(Message(status), HasSubstr("send the same request again"));
  EXPECT_EQ(Dump(*store_), before);
  env->SetFreeBytes(options_.min_free_bytes);
  EXPECT_TRUE(Delete(Name("m")).ok());
  EXPECT_EQ(Dump(*store_), "");
}

// Whichever change of a file fails first.
class StoreEraseFaults : public ::testing::TestWithParam<kv::UnsyncedTail> {};

TEST_P(StoreEraseFaults, NothingElseIsLostAndItCanBeAskedForAgain) {
  constexpr uint64_t kStride = 6;
  int failed_count = 0;
  for (uint64_t n = 1 + 2 * static_cast<uint64_t>(GetParam());; n += kStride) {
    const std::string when = "change " + std::to_string(n);
    TestFolder folder;
    StoreOptions options = TestOptions(folder);
    const auto env = kv::FaultEnv::Make();
    options.env = env;
    auto store = MustOpen(options);
    for (int run = 0; run < 3; ++run) {
      for (int i = 0; i < 4; ++i) {
        const int64_t time_ms = kTestNowMs - (3 - run) * kHourMs;
        ASSERT_TRUE(WriteFloats(*store, Series(i < 2 ? "a" : "b", "train", i),
                                {{time_ms, 1.0 * i}, {time_ms + 1, 2.0 * i}})
                        .ok());
      }
      const absl::Status moved = run == 0   ? store->Settle()
                                 : run == 1 ? store->Seal()
                                            : absl::OkStatus();
      ASSERT_TRUE(moved.ok()) << moved;
    }
    const Matchers a = Name("a"), b = Name("b");
    const std::string left = Dump(*store, kAllTimes, b);
    env->FailFrom(n);
    const absl::Status status = store->DeleteSeries({&a, 1}, kAllTimes);
    EXPECT_EQ(Dump(*store, kAllTimes, b), left) << when << ", still open";
    env->CutPower();
    store = nullptr;
    ASSERT_TRUE(env->RestorePower(GetParam()).ok());
    store = MustOpen(options);
    EXPECT_EQ(Dump(*store, kAllTimes, b), left) << when;
    if (status.ok()) {
      EXPECT_EQ(Dump(*store), left) << when;
      break;
    }
    ++failed_count;
    ASSERT_TRUE(store->DeleteSeries({&a, 1}, kAllTimes).ok()) << when;
    EXPECT_EQ(Dump(*store), left) << when;
    EXPECT_EQ(store->stats().series_count, 2u) << when;
    ASSERT_TRUE(store->Close().ok());
    store = MustOpen(options);
    EXPECT_EQ(Dump(*store), left) << when;
    EXPECT_EQ(store->stats().series_count, 2u) << when;
  }
  EXPECT_GT(failed_count, 2);
}

INSTANTIATE_TEST_SUITE_P(Tails, StoreEraseFaults,
                         ::testing::Values(kv::UnsyncedTail::kLost, kv::UnsyncedTail::kTorn,
                                           kv::UnsyncedTail::kZeroed));

// Other threads write, seal and merge meanwhile.
TEST_F(StoreErase, OthersLoseNothingMeanwhile) {
  constexpr int kRounds = 12;
  constexpr int kSeriesCount = 70;
  std::atomic<bool> is_done = false;
  std::jthread merger([&] {
    while (!is_done) EXPECT_TRUE(store_->Settle().ok());
  });
  std::jthread writer([&] {
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < kSeriesCount; ++i) {
        EXPECT_EQ(Write(Series("kept", "train", i), {{kTestNowMs - round * kHourMs, 1.0 * i}}), "");
      }
    }
    is_done = true;
  });
  while (!is_done) {
    ASSERT_EQ(Write(Series("gone"), {{kTestNowMs - 5 * kHourMs, 1}, {kTestNowMs, 1}}), "");
    ASSERT_TRUE(Delete(Name("gone")).ok());
    EXPECT_EQ(Dump(*store_, kAllTimes, Name("gone")), "");
  }
  writer.join();
  merger.join();
  const std::string kept = Dump(*store_);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '='), kSeriesCount * (kRounds + 3));
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), kSeriesCount);
  ASSERT_TRUE(store_->Close().ok());
  EXPECT_EQ(Check().damage, "");
}

}  // namespace
}  // namespace lockstep
