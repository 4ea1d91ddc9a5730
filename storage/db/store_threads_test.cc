// Concurrent writers, readers and seals, mainly for ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "storage/db/store.h"
#include "storage/db/store_testing.h"
#include "tests/support/test_folder.h"

namespace lockstep {
namespace {

constexpr int kWriterCount = 3;
constexpr int kRoundCount = 60;
constexpr int kSeriesPerWriter = 20;
constexpr int64_t kStepMs = 1000;
constexpr int64_t kStartMs = kTestNowMs - kRoundCount * kStepMs;

// Each round writes one sample to every series of the writer, so a querier always finds whole
// rounds: sample i of a series has the value i.
void WriteRounds(Store& store, int writer, std::atomic<int>& rounds) {
  for (int round = 0; round < kRoundCount; ++round) {
    WriteRequest request;
    for (int i = 0; i < kSeriesPerWriter; ++i) {
      request.series.push_back({Series("m", "job" + std::to_string(writer), i),
                                {{kStartMs + round * kStepMs, static_cast<double>(round)}},
                                {}});
    }
    const auto outcome = WriteAndWait(store, std::move(request));
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    ASSERT_EQ(outcome->written_count, static_cast<uint64_t>(kSeriesPerWriter));
    rounds = round + 1;
  }
}

void ReadOnce(const Store& store, const std::atomic<int>* rounds) {
  int least[kWriterCount];
  for (int i = 0; i < kWriterCount; ++i) least[i] = rounds[i];
  const auto querier = store.NewQuerier();
  const auto set = (*querier)->Select({{}, {INT64_MIN, INT64_MAX}, nullptr});
  ASSERT_TRUE(set.ok()) << set.status();
  SampleColumns columns;
  size_t sizes[kWriterCount] = {};
  while ((*set)->Next()) {
    columns.Clear();
    ASSERT_TRUE((*set)->Read(columns).ok());
    const int writer = (*set)->labels().Get("job").back() - '0';
    for (size_t i = 0; i < columns.values.size(); ++i) {
      ASSERT_EQ(columns.values[i], static_cast<double>(i));
      ASSERT_EQ(columns.timestamps_ms[i], kStartMs + static_cast<int64_t>(i) * kStepMs);
    }
    // All series of a request become visible at once, with everything that was acknowledged.
    ASSERT_GE(columns.size(), static_cast<size_t>(least[writer]));
    if (sizes[writer] == 0) sizes[writer] = columns.size();
    ASSERT_EQ(columns.size(), sizes[writer]);
  }
}

TEST(StoreThreads, ReadersSeeWholeRequestsWhileAllIsMoving) {
  TestFolder folder;
  StoreOptions options = TestOptions(folder);
  options.shard_count = 2;
  options.head_bytes = 100'000;
  const auto store = MustOpen(options);
  std::atomic<int> rounds[kWriterCount] = {};
  std::atomic<bool> done = false;
  std::vector<std::jthread> readers, writers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!done && !::testing::Test::HasFatalFailure()) ReadOnce(*store, rounds);
    });
  }
  readers.emplace_back([&] {
    while (!done) {
      EXPECT_TRUE(store->Seal().ok());
      EXPECT_TRUE(store->Settle().ok());
      EXPECT_TRUE(store->DropExpired().ok());
      (void)store->stats();
      (void)store->Cardinality({.limit = 3});
    }
  });
  for (int i = 0; i < kWriterCount; ++i) {
    writers.emplace_back([&, i] { WriteRounds(*store, i, rounds[i]); });
  }
  writers.clear();
  done = true;
  readers.clear();
  ReadOnce(*store, rounds);
  EXPECT_EQ(store->stats().series_count, static_cast<uint64_t>(kWriterCount * kSeriesPerWriter));
  ASSERT_TRUE(store->Close().ok());
}

TEST(StoreThreads, ClosingAnswersEveryWrite) {
  for (int round = 0; round < 5; ++round) {
    TestFolder folder;
    const StoreOptions options = TestOptions(folder);
    auto store = MustOpen(options);
    std::atomic<int> asked = 0, stored = 0, refused = 0;
    {
      std::vector<std::jthread> writers;
      for (int i = 0; i < 3; ++i) {
        writers.emplace_back([&, i] {
          for (int j = 0; j < 50; ++j) {
            WriteRequest request;
            request.series.push_back({Series("m", "train", i * 1000 + j), {{kTestNowMs, 1}}, {}});
            ++asked;
            store->Write(std::move(request), [&](const absl::StatusOr<WriteOutcome>& outcome) {
              ++(outcome.ok() ? stored : refused);
            });
          }
        });
      }
      ASSERT_TRUE(store->Close().ok());
    }
    EXPECT_EQ(asked, stored + refused);
    store = MustOpen(options);
    EXPECT_EQ(store->stats().series_count, static_cast<uint64_t>(stored));
  }
}

}  // namespace
}  // namespace lockstep
