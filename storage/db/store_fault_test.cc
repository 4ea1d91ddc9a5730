// The store when files fail, the process dies or the power fails, at every point of its work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "storage/db/rows/window.h"
#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "storage/kv/faults/fault_env.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

// The acknowledged samples of one series: time -> value.
class Acknowledged {
 public:
  explicit Acknowledged(LabelSet labels) : labels_(std::move(labels)) {}

  // Returns false if the store refused.
  bool Write(Store& store, int64_t time_ms, double value) {
    attempted_[time_ms] = value;
    if (!WriteFloats(store, labels_, {{time_ms, value}}).ok()) return false;
    acknowledged_[time_ms] = value;
    return true;
  }

  // Expects every acknowledged sample once, and nothing that was never written.
  void ExpectIn(const Store& store, const std::string& when) const {
    const auto querier = store.NewQuerier();
    const auto set = (*querier)->Select({{}, {INT64_MIN, INT64_MAX}, nullptr});
    ASSERT_TRUE(set.ok()) << set.status() << " " << when;
    std::map<int64_t, double> found;
    int series_count = 0;
    SampleColumns columns;
    while ((*set)->Next()) {
      EXPECT_EQ((*set)->labels(), labels_);
      columns.Clear();
      ASSERT_TRUE((*set)->Read(columns).ok()) << when;
      for (size_t i = 0; i < columns.values.size(); ++i) {
        EXPECT_TRUE(found.emplace(columns.timestamps_ms[i], columns.values[i]).second) << when;
      }
      ++series_count;
    }
    EXPECT_LE(series_count, 1) << when;
    for (const auto& sample : acknowledged_) {
      EXPECT_THAT(found, ::testing::Contains(sample)) << when;
    }
    for (const auto& sample : found) {
      EXPECT_THAT(attempted_, ::testing::Contains(sample)) << when;
    }
  }

  size_t count() const { return acknowledged_.size(); }

 private:
  const LabelSet labels_;
  std::map<int64_t, double> acknowledged_;
  std::map<int64_t, double> attempted_;
};

// The work of a store: writes, a late one, seals.
void Work(Store& store, Acknowledged& acknowledged, int64_t from_ms) {
  for (int i = 0; i < 4; ++i) acknowledged.Write(store, from_ms + i * 1000, i);
  (void)store.Seal();
  acknowledged.Write(store, from_ms + 500, 0.5);
  for (int i = 4; i < 6; ++i) acknowledged.Write(store, from_ms + i * 1000, i);
  (void)store.Seal();
  acknowledged.Write(store, from_ms + 6000, 6);
}
constexpr size_t kWritesOfWork = 8;

uint64_t ChangesOfWork() {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  const auto env = kv::FaultEnv::Make();
  options.env = env;
  const auto store = MustOpen(options);
  const uint64_t before = env->change_count();
  Acknowledged acknowledged(Series("m"));
  Work(*store, acknowledged, kTestNowMs - 100'000);
  return env->change_count() - before;
}

class StoreFaults : public ::testing::TestWithParam<kv::UnsyncedTail> {
 protected:
  // Each point of failure is tried with one tail, to save time: which one matters little.
  static constexpr uint64_t kTailCount = 3;
  static uint64_t FirstChange() { return 1 + static_cast<uint64_t>(GetParam()); }
};

// The n-th change of a file and all later ones fail; then the power fails.
TEST_P(StoreFaults, NothingAcknowledgedIsLostWhicheverWriteFails) {
  const uint64_t change_count = ChangesOfWork();
  ASSERT_GT(change_count, 30u);
  for (uint64_t n = FirstChange(); n <= change_count; n += kTailCount) {
    const std::string when = "change " + std::to_string(n);
    TestFolder folder;
    StoreOptions options = TestOptions(folder);
    const auto env = kv::FaultEnv::Make();
    options.env = env;
    auto store = MustOpen(options);
    Acknowledged acknowledged(Series("m"));
    ASSERT_TRUE(acknowledged.Write(*store, kTestNowMs - 200'000, -1)) << when;
    env->FailFrom(n);
    Work(*store, acknowledged, kTestNowMs - 100'000);
    acknowledged.ExpectIn(*store, when + ", still open");
    env->CutPower();
    store = nullptr;
    ASSERT_TRUE(env->RestorePower(GetParam()).ok());
    store = MustOpen(options);
    acknowledged.ExpectIn(*store, when + ", open again");
    const size_t count_before = acknowledged.count();
    Work(*store, acknowledged, kTestNowMs - 50'000);
    EXPECT_EQ(acknowledged.count(), count_before + kWritesOfWork) << when;
    ASSERT_TRUE(store->Close().ok());
    store = MustOpen(options);
    acknowledged.ExpectIn(*store, when + ", a second time");
  }
}

// No change fails, but the power fails after the n-th.
TEST_P(StoreFaults, NothingAcknowledgedIsLostWheneverThePowerGoes) {
  const uint64_t change_count = ChangesOfWork();
  for (uint64_t n = FirstChange(); n <= change_count; n += 4 * kTailCount) {
    const std::string when = "change " + std::to_string(n);
    TestFolder folder;
    StoreOptions options = TestOptions(folder);
    options.shard_count = 2;
    const auto env = kv::FaultEnv::Make();
    options.env = env;
    Acknowledged acknowledged(Series("m"));
    for (int life = 0; life < 3; ++life) {
      auto store = MustOpen(options);
      acknowledged.ExpectIn(*store, when + ", life " + std::to_string(life));
      env->FailFrom(n);
      Work(*store, acknowledged, kTestNowMs - 100'000 + life * 10'000);
      env->CutPower();
      store = nullptr;
      ASSERT_TRUE(env->RestorePower(GetParam()).ok());
    }
    acknowledged.ExpectIn(*MustOpen(options), when + ", at the end");
  }
}

// The n-th change and all later ones fail while a store with a journal to replay is opened.
TEST_P(StoreFaults, NothingAcknowledgedIsLostWhicheverWriteFailsWhileOpening) {
  int failed_count = 0;
  // If opening makes fewer changes than n, nothing fails: neither without a journal nor with one.
  int unreached_count = 0;
  for (uint64_t n = FirstChange(); unreached_count < 2; n += kTailCount) {
    const std::string when = "change " + std::to_string(n);
    TestFolder folder;
    StoreOptions options = TestOptions(folder);
    const auto env = kv::FaultEnv::Make();
    options.env = env;
    Acknowledged acknowledged(Series("m"));
    if (n % 2 == 0) {
      const auto store = MustOpen(options);
      Work(*store, acknowledged, kTestNowMs - 100'000);
    }
    const uint64_t changes_before = env->change_count();
    env->FailFrom(n);
    {
      const absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(options);
      const bool is_reached = env->change_count() >= changes_before + n;
      unreached_count = is_reached ? 0 : unreached_count + 1;
      if (!store.ok()) ++failed_count;
      if (store.ok()) acknowledged.ExpectIn(**store, when + ", opened");
    }
    env->CutPower();
    ASSERT_TRUE(env->RestorePower(GetParam()).ok());
    const auto store = MustOpen(options);
    acknowledged.ExpectIn(*store, when + ", opened again");
    EXPECT_TRUE(acknowledged.Write(*store, kTestNowMs - 50'000, 1)) << when;
  }
  EXPECT_GT(failed_count, 5);
}

// The n-th change and all later ones fail while expired samples are dropped.
TEST_P(StoreFaults, NothingAcknowledgedIsLostWhicheverWriteFailsWhileDropping) {
  constexpr uint64_t kMostChanges = 30;
  int failed_count = 0;
  for (uint64_t n = FirstChange(); n <= kMostChanges; n += kTailCount) {
    const std::string when = "change " + std::to_string(n);
    TestFolder folder;
    StoreOptions options = TestOptions(folder);
    const auto env = kv::FaultEnv::Make();
    options.env = env;
    std::atomic<int64_t> now_ms = kTestNowMs;
    options.now_ms = [&now_ms] { return now_ms.load(); };
    options.monotonic_ms = options.now_ms;
    auto store = MustOpen(options);
    Acknowledged acknowledged(Series("m"));
    ASSERT_TRUE(WriteFloats(*store, Series("old"), {{kTestNowMs - options.retention_ms, 1}}).ok());
    Work(*store, acknowledged, kTestNowMs - 100'000);
    now_ms = kTestNowMs + kWindowMs;
    env->FailFrom(n);
    if (!store->DropExpired().ok()) ++failed_count;
    acknowledged.ExpectIn(*store, when + ", still open");
    env->CutPower();
    store = nullptr;
    ASSERT_TRUE(env->RestorePower(GetParam()).ok());
    store = MustOpen(options);
    acknowledged.ExpectIn(*store, when + ", open again");
    ASSERT_TRUE(store->DropExpired().ok()) << when;
    EXPECT_EQ(store->stats().series_count, 1u) << when;
    acknowledged.ExpectIn(*store, when + ", dropped");
  }
  EXPECT_GT(failed_count, 0);
}

// This also happens while nobody writes.
TEST(StoreFolder, WritesAreRefusedWhileTheFolderIsAwayAndTakenWhenItIsBack) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.shard_count = 2;
  const auto store = MustOpen(options);
  Acknowledged acknowledged(Series("m"));
  Work(*store, acknowledged, kTestNowMs - 100'000);
  const size_t count_before = acknowledged.count();
  std::filesystem::rename(options.data_dir, folder.path() + "/away");
  while (!store->stats().read_only) std::this_thread::yield();
  const auto refused = WriteFloats(*store, Series("m"), {{kTestNowMs, 1}});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Message(refused.status())), ::testing::HasSubstr("is gone"));
  acknowledged.ExpectIn(*store, "away");
  EXPECT_FALSE(std::filesystem::exists(options.data_dir));

  std::filesystem::rename(folder.path() + "/away", options.data_dir);
  while (store->stats().read_only) std::this_thread::yield();
  Work(*store, acknowledged, kTestNowMs - 50'000);
  EXPECT_EQ(acknowledged.count(), count_before + kWritesOfWork);
  acknowledged.ExpectIn(*store, "back");
}

// Every kind of work meets the error; then its cause disappears, and the store continues without a
// restart.
TEST_P(StoreFaults, WritesGoOnOnceTheCauseOfAnErrorIsGone) {
  const uint64_t change_count = ChangesOfWork();
  for (uint64_t n = FirstChange(); n <= change_count; n += 2 * kTailCount) {
    const std::string when = "change " + std::to_string(n);
    TestFolder folder;
    StoreOptions options = TestOptions(folder);
    const auto env = kv::FaultEnv::Make();
    options.env = env;
    auto store = MustOpen(options);
    Acknowledged acknowledged(Series("m"));
    env->FailFrom(n);
    // The cause of every second error is gone before anything else meets it.
    if (n % (4 * kTailCount) < 2 * kTailCount) {
      Work(*store, acknowledged, kTestNowMs - 100'000);
    } else {
      for (int64_t i = 0; acknowledged.Write(*store, kTestNowMs - 100'000 + i, 1); ++i) {
        if (i % 3 == 2 && !store->Seal().ok()) break;
      }
    }
    env->Heal();
    while (!acknowledged.Write(*store, kTestNowMs - 60'000, 7)) std::this_thread::yield();
    const size_t count_before = acknowledged.count();
    Work(*store, acknowledged, kTestNowMs - 50'000);
    EXPECT_EQ(acknowledged.count(), count_before + kWritesOfWork) << when;
    EXPECT_TRUE(store->Seal().ok()) << when;
    acknowledged.ExpectIn(*store, when + ", still open");
    env->CutPower();
    store = nullptr;
    ASSERT_TRUE(env->RestorePower(GetParam()).ok());
    store = MustOpen(options);
    acknowledged.ExpectIn(*store, when + ", open again");
  }
}

INSTANTIATE_TEST_SUITE_P(Tails, StoreFaults,
                         ::testing::Values(kv::UnsyncedTail::kLost, kv::UnsyncedTail::kTorn,
                                           kv::UnsyncedTail::kZeroed));

}  // namespace
}  // namespace lockstep
