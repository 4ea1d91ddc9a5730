#include "storage/db/write/shard_writer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "storage/db/state/shard_testing.h"
#include "storage/kv/faults/fault_env.h"

namespace lockstep {
namespace {

constexpr int64_t kWriterNowMs = 1'700'000'000'000;

using Answered = std::future<absl::StatusOr<WriteOutcome>>;

class ShardWriterTest : public ::testing::Test {
 protected:
  ShardWriterTest() {
    limits_.max_queue_requests = 100;
    limits_.max_queue_bytes = size_t{1} << 30;
    limits_.head_bytes = size_t{1} << 30;
    limits_.head_age_ms = 1'000'000;
    limits_.retention = RetentionRules(int64_t{1} << 40);
    limits_.min_free_bytes = 100;
  }
  ~ShardWriterTest() override { writer_->Stop(); }

  void Start() {
    limits_.clock = std::make_shared<RetentionClock>([this] { return kWriterNowMs + passed_ms_; },
                                                     [this] { return int64_t{passed_ms_}; },
                                                     limits_.retention.ShortestKeepMs());
    limits_.clock->Begin(std::nullopt, std::nullopt);
    writer_ = std::make_unique<ShardWriter>(state_, limits_, [this] { ++freeze_count_; });
    writer_->Start();
  }
  static LabelSet Labels(int rank) {
    return LabelSet::Of({{kMetricName, "m"}, {"rank", std::to_string(rank)}});
  }
  // So many random samples of each of the series 0, 1, ...
  QueuedWrite Of(int series_count, int sample_count) {
    QueuedWrite write;
    for (int rank = 0; rank < series_count; ++rank) {
      SeriesWrite series{Labels(rank), {}, {}};
      for (int i = 0; i < sample_count; ++i) {
        series.samples.push_back({next_ms_ + i, static_cast<double>(random_())});
      }
      write.series.push_back(std::move(series));
    }
    next_ms_ += sample_count;
    write.byte_count = 1000;
    return write;
  }
  // Queues it.
  Answered Enqueue(QueuedWrite write) {
    const auto answer = std::make_shared<std::promise<absl::StatusOr<WriteOutcome>>>();
    Answered answered = answer->get_future();
    write.pending = std::make_shared<PendingWrite>(
        [answer](absl::StatusOr<WriteOutcome> outcome) { answer->set_value(std::move(outcome)); },
        1);
    const absl::Status reserved = writer_->Reserve(write.byte_count);
    EXPECT_TRUE(reserved.ok()) << reserved;
    writer_->Enqueue(std::move(write));
    return answered;
  }
  absl::Status Write(int series_count, int sample_count) {
    const auto outcome = Enqueue(Of(series_count, sample_count)).get();
    // The head is frozen behind the answer.
    EXPECT_TRUE(writer_->RunTask([] {}));
    return outcome.status();
  }
  bool IsFrozen() {
    ReaderLock lock(state_.mutex);
    return state_.frozen != nullptr;
  }
  size_t HeadBytes() {
    ReaderLock lock(state_.mutex);
    return state_.active->byte_count();
  }

  const std::shared_ptr<kv::FaultEnv> env_ = kv::FaultEnv::Make();
  LooseShard shard_{env_};
  ShardState& state_ = shard_.state();
  WriterLimits limits_;
  std::atomic<int64_t> passed_ms_ = 0;
  std::atomic<int> freeze_count_ = 0;
  int64_t next_ms_ = kWriterNowMs - 1'000'000;
  std::mt19937_64 random_{1};
  std::unique_ptr<ShardWriter> writer_;
};

TEST_F(ShardWriterTest, AHeadThatIsFullIsFrozen) {
  limits_.head_bytes = 10'000;
  Start();
  size_t bytes = 0;
  while (!IsFrozen()) {
    bytes = HeadBytes();
    EXPECT_LT(bytes, 10'000u);
    ASSERT_TRUE(Write(1, 10).ok());
  }
  EXPECT_GT(bytes, 9'700u);
  EXPECT_EQ(freeze_count_, 1);
  ReaderLock lock(state_.mutex);
  EXPECT_EQ(state_.active->sample_count(), 0u);
  EXPECT_EQ(state_.frozen_generation, state_.next_sequence - 1);
}

// 320 bytes for each series, however small a head is.
TEST_F(ShardWriterTest, AHeadOfManySeriesHasRoomForSomeSamplesOfEach) {
  limits_.head_bytes = 1000;
  Start();
  constexpr size_t kSeries = 100;
  size_t bytes = 0;
  while (!IsFrozen()) {
    bytes = HeadBytes();
    EXPECT_LT(bytes, kSeries * 320);
    ASSERT_TRUE(Write(kSeries, 1).ok());
  }
  EXPECT_GT(bytes, kSeries * 250);
}

TEST_F(ShardWriterTest, AHeadIsFrozenAtItsAge) {
  limits_.head_age_ms = 1000;
  Start();
  const auto freeze_if_due = [this] {
    EXPECT_TRUE(writer_->RunTask([this] { writer_->FreezeIfDue(); }));
    return IsFrozen();
  };
  passed_ms_ = 5000;
  EXPECT_FALSE(freeze_if_due());  // it is empty
  ASSERT_TRUE(Write(1, 1).ok());
  EXPECT_FALSE(IsFrozen());  // it began with the first sample
  passed_ms_ = 5999;
  ASSERT_TRUE(Write(1, 1).ok());
  EXPECT_FALSE(freeze_if_due());
  passed_ms_ = 6000;
  EXPECT_TRUE(freeze_if_due());
  EXPECT_EQ(freeze_count_, 1);
  // Not while another one is frozen.
  ASSERT_TRUE(Write(1, 1).ok());
  passed_ms_ = 9000;
  EXPECT_TRUE(freeze_if_due());
  EXPECT_EQ(freeze_count_, 1);
}

TEST_F(ShardWriterTest, AHeadWithFullRowsIsFrozenFromFourMebibytesOn) {
  Start();
  ASSERT_TRUE(Write(1, 400'000).ok());
  EXPECT_LT(HeadBytes(), size_t{4} << 20);
  EXPECT_FALSE(IsFrozen());
  ASSERT_TRUE(Write(1, 100'000).ok());
  EXPECT_TRUE(IsFrozen());
}

// One sample of the last hour makes it a head like any other.
TEST_F(ShardWriterTest, AHeadOfOldSamplesWaitsUntilItIsFull) {
  limits_.head_bytes = size_t{8} << 20;
  next_ms_ -= 3'600'000;
  Start();
  ASSERT_TRUE(Write(1, 500'000).ok());
  EXPECT_GT(HeadBytes(), size_t{4} << 20);
  EXPECT_FALSE(IsFrozen());
  next_ms_ = kWriterNowMs - 3'599'000;
  ASSERT_TRUE(Write(1, 1).ok());
  EXPECT_TRUE(IsFrozen());
}

TEST_F(ShardWriterTest, WritesWaitWhileBothHeadsAreFull) {
  limits_.head_bytes = 10'000;
  Start();
  ASSERT_TRUE(Write(1, 2000).ok());
  ASSERT_TRUE(IsFrozen());
  ASSERT_TRUE(Write(1, 2000).ok());
  EXPECT_GT(HeadBytes(), 10'000u);
  Answered waiting = Enqueue(Of(1, 1));
  // Tasks do not wait.
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(writer_->RunTask([] {}));
  EXPECT_EQ(waiting.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  EXPECT_EQ(state_.counters.queue_depth, 1u);
  EXPECT_TRUE(writer_->RunTask([this] {
    WriterLock lock(state_.mutex);
    state_.frozen = nullptr;
  }));
  EXPECT_EQ(waiting.get()->written_count, 1u);
}

TEST_F(ShardWriterTest, WritesNeedRoomOnTheDisk) {
  Start();
  ASSERT_TRUE(Write(1, 1).ok());
  env_->SetFreeBytes(99);
  EXPECT_EQ(Write(1, 1),
            absl::UnavailableError("the disk is full: 99 bytes are free, writes need 100"));
  EXPECT_TRUE(state_.counters.read_only);
  EXPECT_EQ(state_.counters.failed_writes, 1u);
  env_->SetFreeBytes(100);
  EXPECT_TRUE(Write(1, 1).ok());
  EXPECT_FALSE(state_.counters.read_only);
  EXPECT_EQ(state_.counters.appended_samples, 2u);
}

TEST_F(ShardWriterTest, AStopAnswersWhatIsQueued) {
  limits_.head_bytes = 10'000;
  Start();
  ASSERT_TRUE(Write(1, 2000).ok());
  ASSERT_TRUE(Write(1, 2000).ok());
  Answered waiting = Enqueue(Of(1, 1));
  writer_->Stop();
  EXPECT_EQ(waiting.get()->written_count, 1u);
  EXPECT_EQ(writer_->Reserve(1), absl::UnavailableError("the store is closing"));
  EXPECT_FALSE(writer_->RunTask([] {}));
}

TEST_F(ShardWriterTest, AnAbortRefusesWhatIsQueued) {
  limits_.head_bytes = 10'000;
  Start();
  ASSERT_TRUE(Write(1, 2000).ok());
  ASSERT_TRUE(Write(1, 2000).ok());
  Answered waiting = Enqueue(Of(1, 1));
  writer_->Abort();
  EXPECT_EQ(waiting.get().status(), absl::UnavailableError("the store was closed"));
}

TEST_F(ShardWriterTest, AWriterThatNeverRanTakesNothing) {
  limits_.clock = std::make_shared<RetentionClock>([] { return kWriterNowMs; },
                                                   [] { return int64_t{0}; }, int64_t{1} << 40);
  writer_ = std::make_unique<ShardWriter>(state_, limits_, [] {});
  EXPECT_FALSE(writer_->RunTask([] {}));
  EXPECT_EQ(writer_->Reserve(1), absl::UnavailableError("the store is closing"));
}

}  // namespace
}  // namespace lockstep
