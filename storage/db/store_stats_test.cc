// What a store says about itself, and how it divides requests among its shards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/mutex.h"
#include "storage/db/layout/slot.h"
#include "storage/db/layout/store_layout.h"
#include "storage/db/rows/window.h"
#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "storage/kv/faults/fault_env.h"
#include "storage/kv/key_schema.h"
#include "storage/kv/store.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

// A series of the store's shard with this number.
LabelSet SeriesOfShard(uint32_t shard, uint32_t shard_count, int number = 0) {
  for (int i = 0;; ++i) {
    const LabelSet labels = Series("m", "job" + std::to_string(i));
    if (ShardOfSlot(SlotOf(labels), shard_count) != shard) continue;
    if (number-- == 0) return labels;
  }
}

class StoreStats : public ::testing::Test {
 protected:
  StoreStats() {
    options_.shard_count = 2;
    store_ = MustOpen(options_);
  }
  void Write(uint32_t shard, std::vector<Sample> samples, int number = 0) {
    ASSERT_TRUE(WriteFloats(*store_, SeriesOfShard(shard, 2, number), std::move(samples)).ok());
  }

  TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  std::unique_ptr<Store> store_;
};

TEST_F(StoreStats, AnEmptyStoreHasNothing) {
  const StorageStats stats = store_->stats();
  EXPECT_EQ(stats.series_count, 0u);
  EXPECT_EQ(stats.head_series_count, 0u);
  EXPECT_EQ(stats.min_time_ms, 0);
  EXPECT_EQ(stats.max_time_ms, 0);
  EXPECT_EQ(stats.window_count, 0u);
  EXPECT_EQ(stats.commit_count, 0u);
  EXPECT_EQ(stats.shard_count, 2u);
  EXPECT_FALSE(stats.read_only);
}

TEST_F(StoreStats, SumsWhatItsShardsHave) {
  const int64_t old_ms = kTestNowMs - 3 * kWindowMs;
  Write(0, {{old_ms, 1}, {kTestNowMs - 10, 1}});
  Write(1, {{kTestNowMs - 5, 1}});
  StorageStats stats = store_->stats();
  EXPECT_EQ(stats.series_count, 2u);
  EXPECT_EQ(stats.head_series_count, 2u);
  EXPECT_EQ(stats.head_sample_count, 3u);
  EXPECT_EQ(stats.min_time_ms, old_ms);
  EXPECT_EQ(stats.max_time_ms, kTestNowMs - 5);
  // In each shard: the metric, its job, the rank and the GPU.
  EXPECT_EQ(stats.label_pair_count, 8u);
  EXPECT_EQ(stats.window_count, 0u);
  EXPECT_EQ(stats.run_count, 0u);

  ASSERT_TRUE(store_->Seal().ok());
  Write(1, {{kTestNowMs - 2, 1}});
  stats = store_->stats();
  EXPECT_EQ(stats.series_count, 2u);
  EXPECT_EQ(stats.head_series_count, 1u);
  EXPECT_EQ(stats.head_sample_count, 1u);
  EXPECT_EQ(stats.min_time_ms, old_ms);
  EXPECT_EQ(stats.max_time_ms, kTestNowMs - 2);
  EXPECT_EQ(stats.window_count, 3u);
  EXPECT_EQ(stats.cold_window_count, 0u);
  EXPECT_EQ(stats.run_count, 3u);
  EXPECT_EQ(stats.sealed_chunks, 3u);

  ASSERT_TRUE(store_->Settle().ok());
  Write(0, {{kTestNowMs - 3, 1}});
  ASSERT_TRUE(store_->Seal().ok());
  stats = store_->stats();
  EXPECT_EQ(stats.window_count, 3u);
  EXPECT_EQ(stats.cold_window_count, 2u);
  EXPECT_EQ(stats.run_count, 4u);
  EXPECT_EQ(stats.merge_count, 3u);
}

TEST_F(StoreStats, CountsEachSampleByWhatBecameOfIt) {
  for (uint32_t shard = 0; shard < 2; ++shard) {
    Write(shard, {{kTestNowMs - 10, 1}, {kTestNowMs - 5, 1}});
    Write(shard, {{kTestNowMs - 10, 1}});                         // again
    Write(shard, {{kTestNowMs - 5, 2}});                          // another value
    Write(shard, {{kTestNowMs - 7, 1}, {kTestNowMs - 6, 1}});     // late
    Write(shard, {{kTestNowMs - options_.retention_ms - 1, 1}});  // too old
  }
  const StorageStats stats = store_->stats();
  EXPECT_EQ(stats.appended_samples, 2u * 5);
  EXPECT_EQ(stats.duplicate_samples, 2u);
  EXPECT_EQ(stats.overwritten_samples, 2u);
  EXPECT_EQ(stats.out_of_order_samples, 2u * 2);
  EXPECT_EQ(stats.rejected_samples, 2u);
  EXPECT_EQ(stats.failed_writes, 0u);
  EXPECT_EQ(stats.queue_depth, 0u);
}

TEST_F(StoreStats, CountsCommitsOfEveryShard) {
  Write(0, {{kTestNowMs, 1}});
  const StorageStats one = store_->stats();
  EXPECT_EQ(one.commit_count, 1u);
  EXPECT_GT(one.commit_bytes, 0u);
  EXPECT_GT(one.commit_seconds, 0);
  Write(1, {{kTestNowMs, 1}});
  Write(1, {{kTestNowMs, 1}});  // nothing is new
  const StorageStats two = store_->stats();
  EXPECT_EQ(two.commit_count, 2u);
  EXPECT_GT(two.commit_bytes, one.commit_bytes);
  EXPECT_GT(two.commit_seconds, one.commit_seconds);
  // Of the unit of the name.
  EXPECT_LT(two.commit_seconds, 600);
}

TEST_F(StoreStats, CountsTheBytesOfSealsAndMerges) {
  for (int round = 0; round < 2; ++round) {
    Write(0, {{kTestNowMs - 100 + round, 1}});
    Write(1, {{kTestNowMs - 100 + round, 1}});
    ASSERT_TRUE(store_->Seal().ok());
  }
  const StorageStats sealed = store_->stats();
  EXPECT_EQ(sealed.merge_read_bytes, 0u);
  EXPECT_EQ(sealed.merge_seconds, 0);
  ASSERT_TRUE(store_->Settle().ok());
  const StorageStats settled = store_->stats();
  EXPECT_EQ(settled.sealed_bytes, sealed.sealed_bytes);
  EXPECT_EQ(settled.merge_read_bytes, sealed.sealed_bytes);
  EXPECT_GT(settled.merge_seconds, 0);
  EXPECT_LT(settled.merge_seconds, 600);
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  uint64_t cold_bytes = 0;
  for (size_t shard = 0; shard < 2; ++shard) {
    const auto kv = *kv::Store::Open(ShardFolder(options_.data_dir, shard), options_.env,
                                     std::make_shared<const kv::Resources>(kv::ResourceLimits{}));
    for (auto row = kv->NewCursor(kv::Space::kCold, {}); row.Valid(); row.Next()) {
      cold_bytes += row.value().size();
    }
  }
  EXPECT_EQ(settled.merge_written_bytes, cold_bytes);
}

TEST_F(StoreStats, SamplesThatAreBeingSealedAreInMemory) {
  Write(0, {{kTestNowMs - 100, 1}, {kTestNowMs - 50, 1}});
  Write(0, {{kTestNowMs - 100, 1}}, 1);
  const auto env = std::static_pointer_cast<kv::FaultEnv>(options_.env);
  // The head is frozen, but its chunks cannot be written.
  env->FailFrom(1);
  EXPECT_FALSE(store_->Seal().ok());
  StorageStats stats = store_->stats();
  EXPECT_EQ(stats.head_series_count, 2u);
  EXPECT_EQ(stats.head_sample_count, 3u);
  EXPECT_EQ(stats.min_time_ms, kTestNowMs - 100);
  EXPECT_EQ(store_->Cardinality({})->head_series_count, 2u);
  const std::vector<std::vector<Matcher>> all = {{}};
  EXPECT_EQ(store_->Cardinality({.matcher_sets = all})->head_series_count, 2u);
  env->Heal();
}

TEST_F(StoreStats, FailedWritesAndARefusingShardAreSeen) {
  Write(0, {{kTestNowMs - 1, 1}});
  const auto env = std::static_pointer_cast<kv::FaultEnv>(options_.env);
  env->FailFrom(1);
  EXPECT_FALSE(WriteFloats(*store_, SeriesOfShard(0, 2), {{kTestNowMs, 1}}).ok());
  const StorageStats stats = store_->stats();
  EXPECT_EQ(stats.failed_writes, 1u);
  EXPECT_TRUE(stats.read_only);
  EXPECT_EQ(stats.appended_samples, 1u);
  env->Heal();
}

TEST_F(StoreStats, WhatEachLimitSays) {
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  options_.max_bytes = 123'456'789;
  options_.series.max_series = 77;
  store_ = MustOpen(options_);
  Write(0, {{kTestNowMs - 1, 1}});
  const StorageStats stats = store_->stats();
  EXPECT_EQ(stats.max_bytes, 123'456'789u);
  EXPECT_EQ(stats.max_series, 77u);
  EXPECT_GT(stats.used_bytes, 0u);
  EXPECT_GT(stats.disk_bytes, stats.used_bytes);
  EXPECT_EQ(stats.clock_offset_seconds, 0);
  EXPECT_TRUE(stats.clock_is_trusted);
}

TEST_F(StoreStats, KnowsSinceWhenAnswersStayTheSame) {
  const auto expect = [this](uint64_t since, int64_t min_ms, int64_t max_ms) {
    const TimeRange unchanged = store_->UnchangedSince(since);
    EXPECT_EQ(unchanged.min_ms, min_ms);
    EXPECT_EQ(unchanged.max_ms, max_ms);
  };
  const int64_t oldest_ms = kTestNowMs - options_.retention_ms;
  EXPECT_EQ(store_->change_count(), 0u);
  expect(0, oldest_ms, INT64_MAX - 1);
  Write(0, {{kTestNowMs - 20, 1}, {kTestNowMs - 30, 1}});
  EXPECT_EQ(store_->change_count(), 1u);
  expect(0, oldest_ms, kTestNowMs - 31);
  expect(1, oldest_ms, INT64_MAX - 1);
  Write(1, {{kTestNowMs - 10, 1}});
  expect(0, oldest_ms, kTestNowMs - 31);
  expect(1, oldest_ms, kTestNowMs - 11);
  // Sealing and merging change no answer.
  ASSERT_TRUE(store_->Settle().ok());
  expect(1, oldest_ms, kTestNowMs - 11);
  const uint64_t count = store_->change_count();
  const std::vector<Matcher> all;
  ASSERT_TRUE(store_->DeleteSeries({&all, 1}, {kTestNowMs - 10, kTestNowMs}).ok());
  EXPECT_GT(store_->change_count(), count);
  expect(count, 0, -1);
  expect(store_->change_count(), oldest_ms, INT64_MAX - 1);
}

TEST_F(StoreStats, WhatARuleHidesDoesNotStayTheSame) {
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  RetentionRule rule;
  rule.keep_ms = kHourMs;
  options_.retention_rules = {rule};
  store_ = MustOpen(options_);
  EXPECT_EQ(store_->UnchangedSince(0).min_ms, kTestNowMs - kHourMs);
  ASSERT_TRUE(store_->Close().ok());
  store_ = nullptr;
  options_.read_only = true;
  store_ = MustOpen(options_);
  EXPECT_EQ(store_->UnchangedSince(0).min_ms, INT64_MIN);
}

TEST_F(StoreStats, ASnapshotHasTheNameOfItsMoment) {
  const auto name = store_->Snapshot();
  ASSERT_TRUE(name.ok()) << name.status();
  EXPECT_THAT(*name, ::testing::MatchesRegex("20231114T221320Z-[0-9a-f]{16}"));
}

TEST_F(StoreStats, RejectedSeriesAreNumberedAsInTheRequest) {
  WriteRequest request;
  std::vector<LabelSet> labels;
  for (int i = 0; i < 4; ++i) {
    labels.push_back(SeriesOfShard(i % 2 == 0 ? 1 : 0, 2, i / 2));
    const int64_t time_ms = i == 1 || i == 2 ? kTestNowMs - options_.retention_ms - 1 : kTestNowMs;
    request.series.push_back({labels.back(), {{time_ms, 1}}, {}});
  }
  const auto outcome = WriteAndWait(*store_, std::move(request));
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->written_count, 2u);
  ASSERT_EQ(outcome->rejected.size(), 2u);
  for (const size_t i : {0u, 1u}) {
    EXPECT_EQ(outcome->rejected[i].series_index, i + 1);
    EXPECT_EQ(outcome->rejected[i].labels, labels[i + 1]);
    EXPECT_EQ(outcome->rejected[i].sample_count, 1u);
    EXPECT_FALSE(outcome->rejected[i].is_over_series_limit);
  }
}

TEST_F(StoreStats, KnownSeriesAreSentToTheirShard) {
  Write(0, {{kTestNowMs - 1, 1}});
  Write(1, {{kTestNowMs - 1, 1}});
  WriteRequest request;
  request.series.push_back({SeriesOfShard(1, 2), {{kTestNowMs, 11}}, {}});
  request.series.push_back({SeriesOfShard(0, 2), {{kTestNowMs, 10}}, {}});
  request = WithKnownSeries(*store_, std::move(request));
  ASSERT_EQ(request.known.size(), 2u);
  EXPECT_EQ(request.known[0].series.shard, 1u);
  EXPECT_EQ(request.known[1].series.shard, 0u);
  EXPECT_EQ(WriteAndWait(*store_, std::move(request))->written_count, 2u);
  const std::string ten = absl::StrFormat(" %d=%x", kTestNowMs, std::bit_cast<uint64_t>(10.0));
  EXPECT_THAT(Dump(*store_), HasSubstr(ten));
}

// The writer asks for the time before it processes what is queued: while the door is shut, requests
// only pile up.
class Door {
 public:
  explicit Door(StoreOptions& options) {
    options.now_ms = [this] {
      MutexLock lock(mutex_);
      while (!is_open_) changed_.Wait(mutex_);
      return kTestNowMs;
    };
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

class StoreQueue : public ::testing::Test {
 protected:
  ~StoreQueue() override { door_.Set(true); }
  void Open(uint32_t shard_count) {
    options_.shard_count = shard_count;
    store_ = MustOpen(options_);
    door_.Set(false);
  }
  // The error, if the request is refused at once; "" if it is queued.
  std::string Send(WriteRequest request) {
    // Shared, because an answer may come when the test is over.
    const auto refusal = std::make_shared<std::pair<Mutex, std::string>>();
    ++sent_;
    store_->Write(std::move(request), [this, refusal](const absl::StatusOr<WriteOutcome>& outcome) {
      MutexLock lock(refusal->first);
      if (!outcome.ok()) refusal->second = outcome.status().ToString();
      ++answered_;
    });
    MutexLock lock(refusal->first);
    return refusal->second;
  }
  std::string Send(const std::vector<LabelSet>& series, std::vector<Sample> samples) {
    WriteRequest request;
    for (const LabelSet& labels : series) request.series.push_back({labels, samples, {}});
    return Send(std::move(request));
  }
  void OpenDoor() {
    door_.Set(true);
    while (answered_ < sent_) std::this_thread::yield();
  }

  TestFolder folder_;
  StoreOptions options_ = TestOptions(folder_);
  Door door_{options_};
  std::atomic<int> sent_ = 0, answered_ = 0;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreQueue, ARefusedRequestLeavesNoPlaceTaken) {
  options_.max_queue_requests = 1;
  Open(2);
  const LabelSet first = SeriesOfShard(0, 2), second = SeriesOfShard(1, 2);
  EXPECT_EQ(Send({second}, {{kTestNowMs, 1}}), "");
  // The second shard has no room, so the first one gives its room back.
  EXPECT_THAT(Send({first, second}, {{kTestNowMs, 1}}), HasSubstr("the write queue is full"));
  EXPECT_EQ(Send({first}, {{kTestNowMs, 1}}), "");
  EXPECT_THAT(Send({first}, {{kTestNowMs, 1}}), HasSubstr("the write queue is full"));
  OpenDoor();
  EXPECT_EQ(store_->stats().queue_depth, 0u);
  EXPECT_EQ(store_->stats().series_count, 2u);
}

TEST_F(StoreQueue, SaysWhatIsWaiting) {
  options_.max_queue_requests = 2;
  Open(1);
  const LabelSet labels = Series("m");
  WriteRequest request;
  request.series.push_back({labels, {{kTestNowMs - 1, 1}, {kTestNowMs, 1}}, {}, {5, 5}});
  EXPECT_EQ(Send(request), "");
  auto histogram = std::make_shared<Histogram>();
  request.series[0] = {labels, {}, {{kTestNowMs - 9, histogram}, {kTestNowMs - 8, histogram}}};
  EXPECT_EQ(Send(request), "");
  // Labels, two floats with their starts, and two histograms of half a kibibyte.
  const size_t bytes = 2 * (sizeof(SeriesWrite) + labels.bytes().size()) +
                       2 * (sizeof(Sample) + sizeof(int64_t)) + 2 * 512;
  EXPECT_EQ(Send({labels}, {{kTestNowMs, 1}}),
            absl::StrFormat("RESOURCE_EXHAUSTED: the write queue is full: 2 requests with %d bytes "
                            "are waiting",
                            bytes));
  OpenDoor();
}

TEST_F(StoreQueue, SmallWritesHaveALimitOfTheirOwnBytes) {
  const LabelSet labels = Series("m");
  const size_t bytes = sizeof(SeriesWrite) + labels.bytes().size() + sizeof(Sample);
  options_.max_queue_bytes = 3 * bytes;
  Open(1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Send({labels}, {{kTestNowMs + i, 1}}), "");
  EXPECT_THAT(Send({labels}, {{kTestNowMs, 1}}), HasSubstr("the write queue is full"));
  // A large one has room, however large it is.
  EXPECT_EQ(Send({labels}, std::vector<Sample>(70'000, {kTestNowMs, 1})), "");
  EXPECT_THAT(Send({labels}, std::vector<Sample>(70'000, {kTestNowMs, 1})),
              HasSubstr("the write queue is full"));
  OpenDoor();
}

// Up to a mebibyte is small.
TEST_F(StoreQueue, AMebibyteIsSmall) {
  constexpr size_t kMebibyte = size_t{1} << 20;
  LabelSet labels;
  const auto bytes_of_labels = [&labels] { return sizeof(SeriesWrite) + labels.bytes().size(); };
  // As long as it takes for samples to fill the rest.
  std::string job = "train";
  do {
    labels = Series("m", job += "x");
  } while ((kMebibyte - bytes_of_labels()) % sizeof(Sample) != 0);
  const size_t count = (kMebibyte - bytes_of_labels()) / sizeof(Sample);
  options_.max_queue_bytes = 1;
  Open(1);
  EXPECT_EQ(Send({labels}, std::vector<Sample>(count, {kTestNowMs, 1})), "");
  // It takes all the room for small ones, and this is no large one.
  EXPECT_THAT(Send({labels}, {{kTestNowMs, 1}}), HasSubstr("the write queue is full"));
  EXPECT_EQ(Send({labels}, std::vector<Sample>(count + 1, {kTestNowMs, 1})), "");
  OpenDoor();
}

TEST(StoreOptionsTest, AreRefusedWithTheReason) {
  TestFolder folder;
  const auto message = [](StoreOptions options) {
    const absl::Status status = OpenStore(std::move(options)).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(Message(status));
  };
  StoreOptions options = TestOptions(folder);
  options.data_dir = "";
  EXPECT_EQ(message(options), "the data folder is not set");
  options = TestOptions(folder);
  options.retention_ms = 0;
  EXPECT_EQ(message(options), "the retention must be positive");
  options = TestOptions(folder);
  options.shard_count = 4097;
  EXPECT_EQ(message(options), "there can be at most 4096 shards");
  options = TestOptions(folder);
  options.retention_rules = {RetentionRule{}};
  EXPECT_THAT(message(options), HasSubstr("a retention rule keeps samples for 0 ms"));
}

TEST(StoreOptionsTest, WithoutANumberThereIsAShardForEveryFourCores) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.shard_count = 0;
  const auto store = MustOpen(options);
  EXPECT_EQ(store->stats().shard_count, std::max(1u, std::thread::hardware_concurrency() / 4));
}

}  // namespace
}  // namespace lockstep
