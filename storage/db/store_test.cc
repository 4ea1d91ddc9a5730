#include "storage/db/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/mutex.h"
#include "storage/db/retention/retention_clock.h"
#include "storage/db/store_testing.h"
#include "storage/db/write/rejection.h"
#include "storage/kv/faults/fault_env.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

TEST(Store, GivesBackWhatWasWritten) {
  TestFolder folder;
  const auto store = MustOpen(TestOptions(folder));
  const auto outcome = WriteFloats(*store, Series("m"), {{kTestNowMs - 1, 1}, {kTestNowMs, 2}});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->written_count, 2u);
  EXPECT_EQ(Dump(*store),
            "m{gpu=\"0\", job=\"train\", rank=\"0\"}: 1699999999999=3ff0000000000000 "
            "1700000000000=4000000000000000\n");
}

TEST(Store, FindsEverythingAfterReopening) {
  TestFolder folder;
  auto store = MustOpen(TestOptions(folder));
  ASSERT_TRUE(WriteFloats(*store, Series("m"), {{kTestNowMs - 1, 1}, {kTestNowMs, 2}}).ok());
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(TestOptions(folder));
  EXPECT_EQ(Dump(*store), before);
}

TEST(Store, KeepsRowsForOthers) {
  TestFolder folder;
  const StoreOptions options = TestOptions(folder);
  auto store = MustOpen(options);
  ASSERT_TRUE(store->WriteKept(KeptKind::kMetadata, {{0, "a"}, {2, "b"}}).ok());
  ASSERT_TRUE(store->WriteKept(KeptKind::kLogStreams, {{1, "c"}}).ok());
  ASSERT_TRUE(store->WriteKept(KeptKind::kMetadata, {{0, ""}, {3, "d"}}).ok());
  // First after a crash, then after a clean stop.
  for (int life = 0; life < 2; ++life) {
    store.reset();
    store = MustOpen(options);
    const auto rows = store->ReadKept(KeptKind::kMetadata);
    ASSERT_TRUE(rows.ok()) << rows.status();
    ASSERT_EQ(rows->size(), 2u);
    EXPECT_EQ((*rows)[0].number * 10 + (*rows)[1].number, 23u);
    EXPECT_EQ((*rows)[0].bytes + (*rows)[1].bytes, "bd");
    std::string visited;
    const auto note = [&visited](uint32_t number, std::string_view bytes) {
      visited += std::to_string(number).append(bytes);
      return absl::OkStatus();
    };
    ASSERT_TRUE(store->VisitKept(KeptKind::kMetadata, 0, 2, note).ok());
    ASSERT_TRUE(store->VisitKept(KeptKind::kMetadata, 3, 3, note).ok());
    ASSERT_TRUE(store->VisitKept(KeptKind::kMetadata, 4, UINT32_MAX, note).ok());
    EXPECT_EQ(visited, "2b3d");
    EXPECT_EQ(*store->ReadKept(KeptKind::kLogStreams, 1), "c");
    EXPECT_EQ(*store->ReadKept(KeptKind::kLogStreams, 0), std::nullopt);
    ASSERT_TRUE(store->Close().ok());
  }
  StoreOptions read_only = options;
  read_only.read_only = true;
  store = MustOpen(read_only);
  EXPECT_EQ(*store->ReadKept(KeptKind::kLogStreams, 1), "c");
  EXPECT_TRUE(absl::IsPermissionDenied(store->WriteKept(KeptKind::kLogStreams, {{1, "d"}})));
}

TEST(Store, SealingChangesNoAnswer) {
  TestFolder folder;
  auto store = MustOpen(TestOptions(folder));
  for (int rank = 0; rank < 200; ++rank) {
    std::vector<Sample> samples;
    for (int i = 0; i < 50; ++i) samples.push_back({kTestNowMs - 60'000 * i, 0.5 * i + rank});
    ASSERT_TRUE(WriteFloats(*store, Series("m", "train", rank), samples).ok());
  }
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Seal().ok());
  EXPECT_EQ(store->stats().head_sample_count, 0u);
  EXPECT_EQ(store->stats().sealed_chunks, 200u);
  EXPECT_EQ(Dump(*store), before);
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(TestOptions(folder));
  EXPECT_EQ(store->stats().head_sample_count, 0u);
  EXPECT_EQ(Dump(*store), before);
}

// Each sample of a request is counted once.
void ExpectCounts(const absl::StatusOr<WriteOutcome>& outcome, uint64_t written, uint64_t duplicate,
                  uint64_t overwritten, uint64_t rejected) {
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->written_count, written);
  EXPECT_EQ(outcome->duplicate_count, duplicate);
  EXPECT_EQ(outcome->overwritten_count, overwritten);
  EXPECT_EQ(outcome->rejected_count, rejected);
}

TEST(Store, CountsRetriesAndOverwritesWhereverTheFirstWriteIs) {
  TestFolder folder;
  const StoreOptions options = TestOptions(folder);
  auto store = MustOpen(options);
  const LabelSet m = Series("m");
  ExpectCounts(WriteFloats(*store, m, {{kTestNowMs, 1}, {kTestNowMs, 1}, {kTestNowMs, 2}}), 1, 1, 1,
               0);
  ExpectCounts(WriteFloats(*store, m, {{kTestNowMs, 2}}), 0, 1, 0, 0);
  ASSERT_TRUE(store->Seal().ok());
  ExpectCounts(WriteFloats(*store, m, {{kTestNowMs, 2}, {kTestNowMs - 1, 5}}), 1, 1, 0, 0);
  ExpectCounts(WriteFloats(*store, m, {{kTestNowMs, 3}}), 0, 0, 1, 0);
  ASSERT_TRUE(store->Seal().ok());
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(options);
  ExpectCounts(WriteFloats(*store, m, {{kTestNowMs, 3}, {kTestNowMs - 1, 5}, {kTestNowMs - 2, 6}}),
               1, 2, 0, 0);
  EXPECT_EQ(store->stats().duplicate_samples, 2u);
  EXPECT_EQ(store->stats().out_of_order_samples, 1u);
}

TEST(Store, SaysWhatItRejectsAndKeepsTheRest) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.retention_ms = 36 * 3'600'000;
  const auto store = MustOpen(options);
  WriteRequest request;
  request.series.push_back(
      {Series("old"), {{kTestNowMs - 37 * 3'600'000, 1}, {kTestNowMs, 1}}, {}});
  request.series.push_back(
      {Series("good"), {{kTestNowMs - 36 * 3'600'000, 1}, {kTestNowMs + kMaxFutureMs, 2}}, {}});
  request.series.push_back({Series("future"), {{kTestNowMs + kMaxFutureMs + 1, 1}}, {}});
  request.series.push_back({LabelSet(), {{kTestNowMs, 1}}, {}});
  request.series.push_back({Series("none"), {}, {{kTestNowMs, nullptr}}});
  request.series.push_back({Series("extreme"), {{INT64_MIN, 1}, {INT64_MAX, 1}}, {}});
  request.series.push_back(
      {Series("starts"), {{kTestNowMs - 1, 1}, {kTestNowMs, 1}}, {}, {kTestNowMs - 9}});
  const auto outcome = WriteAndWait(*store, std::move(request));
  ExpectCounts(outcome, 3, 0, 0, 8);
  ASSERT_EQ(outcome->rejected.size(), 6u);
  EXPECT_EQ(outcome->rejected[0].series_index, 0u);
  EXPECT_EQ(outcome->rejected[0].reason, "1 sample is older than the retention of 36h");
  EXPECT_EQ(outcome->rejected[1].series_index, 2u);
  EXPECT_EQ(outcome->rejected[1].reason, "1 sample is more than 1d in the future");
  EXPECT_EQ(outcome->rejected[2].reason, "the series has no labels");
  EXPECT_THAT(outcome->rejected[3].reason, HasSubstr("histogram"));
  EXPECT_EQ(outcome->rejected[4].reason,
            "1 sample is older than the retention of 36h, 1 sample is more than 1d in the future");
  EXPECT_EQ(outcome->rejected[5].reason, "there are 1 start timestamps for 2 samples");
  EXPECT_EQ(store->stats().series_count, 2u);
}

TEST(Store, TakesSamplesOfSeriesThatItKnows) {
  TestFolder folder;
  const auto store = MustOpen(TestOptions(folder));
  WriteRequest request;
  request.series.push_back({Series("m"), {{kTestNowMs, 1}}, {}});
  EXPECT_TRUE(WithKnownSeries(*store, request).known.empty());
  ExpectCounts(WriteAndWait(*store, request), 1, 0, 0, 0);
  // The newest, a late one, a repeated one, another value, one too far in the future.
  request.series[0].samples = {{kTestNowMs + 1, 2},
                               {kTestNowMs - 1, 0},
                               {kTestNowMs, 1},
                               {kTestNowMs + 1, 3},
                               {kTestNowMs + 2 * kMaxFutureMs, 1}};
  WriteRequest known = WithKnownSeries(*store, request);
  EXPECT_EQ(known.known.size(), 5u);
  EXPECT_TRUE(known.series.empty());
  const auto outcome = WriteAndWait(*store, std::move(known));
  ExpectCounts(outcome, 2, 1, 1, 1);
  ASSERT_EQ(outcome->rejected.size(), 1u);
  EXPECT_EQ(outcome->rejected[0].labels, Series("m"));
  EXPECT_EQ(outcome->rejected[0].reason, "1 sample is more than 1d in the future");
  EXPECT_THAT(Dump(*store), HasSubstr(absl::StrFormat("%d=0 ", kTestNowMs - 1)));
}

TEST(Store, ASeriesThatWasDroppedMeanwhileIsToBeSentAgain) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  HandClock clock(options);
  const auto store = MustOpen(options);
  ExpectCounts(WriteFloats(*store, Series("m"), {{kTestNowMs, 1}}), 1, 0, 0, 0);
  ASSERT_TRUE(store->Seal().ok());
  WriteRequest request;
  request.series.push_back({Series("m"), {{kTestNowMs + 2 * options.retention_ms, 2}}, {}});
  const WriteRequest known = WithKnownSeries(*store, request);
  ASSERT_EQ(known.known.size(), 1u);
  clock.Turn(2 * options.retention_ms);
  ASSERT_TRUE(store->DropExpired().ok());
  EXPECT_TRUE(absl::IsUnavailable(WriteAndWait(*store, known).status()));
  EXPECT_TRUE(WithKnownSeries(*store, request).known.empty());
  ExpectCounts(WriteAndWait(*store, request), 1, 0, 0, 0);
}

TEST(Store, TakesARequestLargerThanABatch) {
  TestFolder folder;
  const StoreOptions options = TestOptions(folder);
  auto store = MustOpen(options);
  std::vector<Sample> samples;
  for (int i = 0; i < 600'000; ++i) samples.push_back({kTestNowMs - i, i / 7.0});
  ExpectCounts(WriteFloats(*store, Series("m"), samples), samples.size(), 0, 0, 0);
  EXPECT_GT(store->stats().commit_count, 1u);
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Seal().ok());
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(options);
  EXPECT_TRUE(Dump(*store) == before);
}

// Together they exceed the maximum size of a journal row.
TEST(Store, TakesManyOfTheLargestHistogramsAtOnce) {
  constexpr size_t kBucketCount = kMaxHistogramNumbers - 2;  // the span takes two numbers
  TestFolder folder;
  const StoreOptions options = TestOptions(folder);
  auto store = MustOpen(options);
  WriteRequest request;
  request.series.push_back({Series("m"), {}, {}});
  for (int i = 0; i < 40; ++i) {
    auto histogram = std::make_shared<Histogram>();
    histogram->count = i;
    histogram->positive_spans = {{0, kBucketCount}};
    histogram->positive_counts.assign(kBucketCount, i + 0.1);
    request.series[0].histograms.push_back({kTestNowMs - i, std::move(histogram)});
  }
  ExpectCounts(WriteAndWait(*store, std::move(request)), 40, 0, 0, 0);
  const std::string before = Dump(*store);
  store = nullptr;  // as after a crash
  store = MustOpen(options);
  EXPECT_TRUE(Dump(*store) == before);
}

TEST(Store, AQuerierKeepsItsMoment) {
  TestFolder folder;
  const auto store = MustOpen(TestOptions(folder));
  const LabelSet m = Series("m");
  ASSERT_TRUE(WriteFloats(*store, m, {{kTestNowMs - 10, 1}}).ok());
  const auto querier = store->NewQuerier();
  ASSERT_TRUE(
      WriteFloats(*store, m, {{kTestNowMs - 10, 2}, {kTestNowMs - 20, 3}, {kTestNowMs, 4}}).ok());
  ASSERT_TRUE(store->Seal().ok());
  ASSERT_TRUE(WriteFloats(*store, m, {{kTestNowMs - 5, 5}}).ok());
  auto set = (*querier)->Select({{}, {INT64_MIN, INT64_MAX}, nullptr});
  ASSERT_TRUE(set.ok());
  ASSERT_TRUE((*set)->Next());
  SampleColumns columns;
  ASSERT_TRUE((*set)->Read(columns).ok());
  EXPECT_THAT(columns.timestamps_ms, ::testing::ElementsAre(kTestNowMs - 10));
  EXPECT_THAT(columns.values, ::testing::ElementsAre(1));
  EXPECT_FALSE((*set)->Next());
}

// The newest sample of m in the range, wherever it is stored; NaN if there is none.
double Newest(const Storage& storage, TimeRange range) {
  const Matcher matcher = Matcher::Equal(std::string(kMetricName), "m");
  const auto querier = storage.NewQuerier();
  const auto set = (*querier)->Select({{&matcher, 1}, range, nullptr, SamplesNeeded::kNewest});
  SampleColumns columns;
  while ((*set)->Next()) EXPECT_TRUE((*set)->Read(columns).ok());
  return columns.values.empty() ? std::nan("") : columns.values.back();
}

TEST(Store, TheNewestAloneIsTheNewestOfAll) {
  TestFolder folder;
  const auto store = MustOpen(TestOptions(folder));
  const int64_t t = kTestNowMs - 100'000;
  const TimeRange all = {t, kTestNowMs};
  const auto write = [&](std::vector<Sample> samples) {
    ASSERT_TRUE(WriteFloats(*store, Series("m"), std::move(samples)).ok());
  };
  write({{t, 1}, {t + 10, 2}, {t + 20, 3}});
  EXPECT_EQ(Newest(*store, all), 3);
  EXPECT_EQ(Newest(*store, {t, t + 19}), 2);
  EXPECT_TRUE(std::isnan(Newest(*store, {t + 21, kTestNowMs})));
  ASSERT_TRUE(store->Seal().ok());
  EXPECT_EQ(Newest(*store, all), 3);
  // Memory has only samples older than the sealed ones, then a newer one too, then another value
  // for it.
  write({{t + 5, 4}});
  EXPECT_EQ(Newest(*store, all), 3);
  write({{t + 30, 5}});
  EXPECT_EQ(Newest(*store, all), 5);
  write({{t + 30, 6}});
  EXPECT_EQ(Newest(*store, all), 6);
  ASSERT_TRUE(store->Seal().ok());
  write({{t + 40, 7}});
  EXPECT_EQ(Newest(*store, all), 7);
  EXPECT_EQ(Newest(*store, {t, t + 39}), 6);
}

TEST(Store, GivesLabelsInOrderOverShards) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.shard_count = 7;
  const auto store = MustOpen(options);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(
        WriteFloats(*store, Series("m", "job" + std::to_string(i)), {{kTestNowMs, 1}}).ok());
  }
  const auto querier = store->NewQuerier();
  const Selection all = {{}, {INT64_MIN, INT64_MAX}, nullptr};
  EXPECT_THAT(*(*querier)->LabelNames(all),
              ::testing::ElementsAre("__name__", "gpu", "job", "rank"));
  const auto jobs = *(*querier)->LabelValues("job", all);
  EXPECT_EQ(jobs.size(), 20u);
  EXPECT_TRUE(std::is_sorted(jobs.begin(), jobs.end()));
  EXPECT_EQ(store->Cardinality({.limit = 1})->series_by_metric_name[0].count, 20u);
  EXPECT_EQ(store->stats().shard_count, 7u);
}

TEST(Store, KeepsTheNumberOfShardsItWasMadeWith) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.shard_count = 3;
  auto store = MustOpen(options);
  ASSERT_TRUE(WriteFloats(*store, Series("m"), {{kTestNowMs, 1}}).ok());
  const std::string before = Dump(*store);
  ASSERT_TRUE(store->Close().ok());
  options.shard_count = 5;
  store = MustOpen(options);
  EXPECT_EQ(store->stats().shard_count, 3u);
  EXPECT_EQ(Dump(*store), before);
}

TEST(Store, RefusesOptionsThatCannotBe) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.retention_ms = 0;
  EXPECT_EQ(OpenStore(options).status().code(), absl::StatusCode::kInvalidArgument);
  options = TestOptions(folder);
  options.shard_count = 5000;
  EXPECT_EQ(OpenStore(options).status().code(), absl::StatusCode::kInvalidArgument);
  options = TestOptions(folder);
  options.data_dir = "";
  EXPECT_EQ(OpenStore(options).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Store, AnswersAnEmptyRequest) {
  TestFolder folder;
  const auto store = MustOpen(TestOptions(folder));
  ExpectCounts(WriteAndWait(*store, {}), 0, 0, 0, 0);
}

TEST(Store, RefusesWritesAfterClosing) {
  TestFolder folder;
  const auto store = MustOpen(TestOptions(folder));
  ASSERT_TRUE(store->Close().ok());
  EXPECT_EQ(WriteFloats(*store, Series("m"), {{kTestNowMs, 1}}).status().code(),
            absl::StatusCode::kUnavailable);
}

// A clock that a test advances, with a door that can be kept shut: the writer asks for the time
// before each group, so while it waits the queue only grows.
class DoorClock {
 public:
  int64_t now_ms() {
    MutexLock lock(mutex_);
    while (!is_open_) changed_.Wait(mutex_);
    return kTestNowMs;
  }
  void Set(bool is_open) {
    MutexLock lock(mutex_);
    is_open_ = is_open;
    changed_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool is_open_ LOCKSTEP_GUARDED_BY(mutex_) = true;
};

TEST(Store, RefusesWhatItsQueueCannotHold) {
  TestFolder folder;
  DoorClock clock;
  StoreOptions options = TestOptions(folder);
  options.now_ms = [&clock] { return clock.now_ms(); };
  options.max_queue_requests = 3;
  const auto store = MustOpen(options);
  clock.Set(false);
  std::atomic<int> stored = 0, refused = 0;
  std::latch answered(10);
  for (int i = 0; i < 10; ++i) {
    WriteRequest request;
    request.series.push_back({Series("m", "train", i), {{kTestNowMs, 1}}, {}});
    store->Write(std::move(request), [&](const absl::StatusOr<WriteOutcome>& outcome) {
      ++(outcome.ok() ? stored : refused);
      if (!outcome.ok()) {
        EXPECT_EQ(outcome.status().code(), absl::StatusCode::kResourceExhausted);
      }
      answered.count_down();
    });
  }
  clock.Set(true);
  answered.wait();
  EXPECT_EQ(stored, 3);
  EXPECT_EQ(refused, 7);
}

// Series that exceed a commit, and the queue.
WriteRequest LargeRequest() {
  WriteRequest request;
  for (int i = 0; i < 3000; ++i) {
    const LabelSet labels = Series("large", "train" + std::string(2000, 'x') + std::to_string(i));
    request.series.push_back({labels, {{kTestNowMs, 1}}, {}});
  }
  return request;
}

TEST(Store, SmallWritesDoNotWaitForLargeOnes) {
  TestFolder folder;
  DoorClock clock;
  StoreOptions options = TestOptions(folder);
  options.now_ms = [&clock] { return clock.now_ms(); };
  options.max_queue_bytes = size_t{2} << 20;
  const auto store = MustOpen(options);
  clock.Set(false);
  std::vector<std::string> answered;  // only the writer thread uses it
  std::latch all_answered(3);
  const auto write = [&](WriteRequest request, std::string name, std::function<void()> then) {
    store->Write(std::move(request), [&answered, &all_answered, name = std::move(name),
                                      then = std::move(then)](const auto& outcome) {
      EXPECT_TRUE(outcome.ok()) << name << ": " << outcome.status();
      answered.push_back(name);
      if (then) then();
      all_answered.count_down();
    });
  };
  const auto small = [](int number) {
    WriteRequest request;
    request.series.push_back({Series("small", "train", number), {{kTestNowMs, 1}}, {}});
    return request;
  };
  write(LargeRequest(), "large", {});
  // The second one arrives when part of the large one is stored, because the large one's first
  // commit answers the first.
  write(small(1), "first", [&] { write(small(2), "second", {}); });
  clock.Set(true);
  all_answered.wait();
  EXPECT_THAT(answered, testing::ElementsAre("first", "second", "large"));
  EXPECT_EQ(store->stats().series_count, 3002u);
}

TEST(Store, RefusesLargeWritesThatItsQueueCannotHold) {
  TestFolder folder;
  DoorClock clock;
  StoreOptions options = TestOptions(folder);
  options.now_ms = [&clock] { return clock.now_ms(); };
  options.max_queue_bytes = size_t{2} << 20;
  const auto store = MustOpen(options);
  clock.Set(false);
  std::atomic<int> stored = 0;
  std::latch answered(2);
  store->Write(LargeRequest(), [&](const auto& outcome) {
    stored += outcome.ok() ? 1 : 0;
    answered.count_down();
  });
  store->Write(LargeRequest(), [&](const auto& outcome) {
    EXPECT_TRUE(absl::IsResourceExhausted(outcome.status())) << outcome.status();
    answered.count_down();
  });
  clock.Set(true);
  answered.wait();
  EXPECT_EQ(stored, 1);
}

TEST(Store, RetentionHidesAtOnceAndDropsWholeWindows) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.retention_ms = 48 * kHourMs;
  HandClock clock(options);
  auto store = MustOpen(options);
  ASSERT_TRUE(WriteFloats(*store, Series("gone"), {{kTestNowMs - kHourMs, 1}}).ok());
  ASSERT_TRUE(WriteFloats(*store, Series("kept"),
                          {{kTestNowMs - kHourMs, 1}, {kTestNowMs + 23 * kHourMs, 2}})
                  .ok());
  ASSERT_TRUE(store->Seal().ok());

  clock.Turn(48 * kHourMs);
  EXPECT_EQ(Dump(*store),
            "kept{gpu=\"0\", job=\"train\", rank=\"0\"}: 1700082800000=4000000000000000\n");
  ASSERT_TRUE(store->DropExpired().ok());
  EXPECT_EQ(store->stats().expired_samples, 0u);  // its window has not expired
  EXPECT_EQ(store->stats().series_count, 2u);

  clock.Turn(12 * kHourMs);
  auto old_querier = store->NewQuerier();
  ASSERT_TRUE(store->DropExpired().ok());
  EXPECT_TRUE((*old_querier)->Select({{}, {INT64_MIN, INT64_MAX}, nullptr}).ok());
  old_querier->reset();
  EXPECT_EQ(store->stats().expired_samples, 2u);
  EXPECT_EQ(store->stats().series_count, 1u);
  EXPECT_EQ(store->stats().min_time_ms, kTestNowMs + 23 * kHourMs);
  const std::string before = Dump(*store);

  // A series that comes back is a new series.
  ASSERT_TRUE(WriteFloats(*store, Series("gone"), {{kTestNowMs + 60 * kHourMs, 3}}).ok());
  const std::string after = Dump(*store);
  EXPECT_NE(after, before);
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(options);
  EXPECT_EQ(Dump(*store), after);
  EXPECT_EQ(store->stats().series_count, 2u);
}

TEST(Store, SeriesThatStoppedLeaveMemoryWithTheNextSeal) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  HandClock clock(options);
  const auto store = MustOpen(options);
  for (int rank = 0; rank < 100; ++rank) {
    ASSERT_TRUE(WriteFloats(*store, Series("m", "ended", rank), {{kTestNowMs, 1}}).ok());
  }
  ASSERT_TRUE(WriteFloats(*store, Series("m", "goes_on"), {{kTestNowMs, 1}}).ok());
  EXPECT_EQ(store->stats().head_series_count, 101u);
  // There are no more writes: the keeper still notices that the head is old.
  clock.Turn(options.head_age_ms);
  while (store->stats().head_series_count > 0) std::this_thread::yield();
  ASSERT_TRUE(WriteFloats(*store, Series("m", "goes_on"), {{kTestNowMs + 1, 1}}).ok());
  EXPECT_EQ(store->stats().head_series_count, 1u);
  EXPECT_EQ(store->stats().series_count, 101u);
}

TEST(Store, AnOldHeadIsSealedByItself) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  HandClock clock(options);
  const auto store = MustOpen(options);
  ASSERT_TRUE(WriteFloats(*store, Series("m"), {{kTestNowMs, 1}}).ok());
  clock.Turn(options.head_age_ms);
  // The next write finds the head old, unless the keeper found it before.
  ASSERT_TRUE(WriteFloats(*store, Series("m"), {{kTestNowMs + 1, 1}}).ok());
  while (store->stats().sealed_chunks == 0) std::this_thread::yield();
}

TEST(Store, RefusesWritesWhileTheDiskIsFullAndReadsOn) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  const auto env = kv::FaultEnv::Make();
  options.env = env;
  auto store = MustOpen(options);
  ASSERT_TRUE(WriteFloats(*store, Series("m"), {{kTestNowMs - 2, 1}}).ok());
  env->SetFull(true);
  const auto refused = WriteFloats(*store, Series("m"), {{kTestNowMs - 1, 1}});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Message(refused.status())), HasSubstr("the disk is full"));
  EXPECT_TRUE(store->stats().read_only);
  EXPECT_EQ(store->stats().failed_writes, 1u);
  EXPECT_THAT(Dump(*store), HasSubstr("1699999999998"));
  env->SetFull(false);
  ASSERT_TRUE(WriteFloats(*store, Series("m"), {{kTestNowMs, 1}}).ok());
  EXPECT_FALSE(store->stats().read_only);
  const std::string before = Dump(*store);
  EXPECT_THAT(before, ::testing::Not(HasSubstr("1699999999999")));
  ASSERT_TRUE(store->Close().ok());
  store = MustOpen(options);
  EXPECT_EQ(Dump(*store), before);
}

}  // namespace
}  // namespace lockstep
