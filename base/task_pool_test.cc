#include "base/task_pool.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(TaskPool, RunsEveryPartOnce) {
  for (const size_t helper_count : {0u, 1u, 3u}) {
    TaskPool pool(helper_count);
    for (const size_t count : {0u, 1u, 2u, 100u}) {
      std::vector<std::atomic<int>> calls(count);
      pool.Run(count, [&](size_t part) { ++calls[part]; });
      for (const std::atomic<int>& one : calls) EXPECT_EQ(one, 1);
    }
  }
}

TEST(TaskPool, PartsRunAtTheSameTime) {
  TaskPool pool(1);
  std::atomic<int> arrived{0};
  // Each waits for the other: alone on one thread they would never end.
  pool.Run(2, [&](size_t /*part*/) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST(TaskPool, PartsMayHavePartsOfTheirOwn) {
  TaskPool pool(2);
  std::atomic<int> calls{0};
  pool.Run(4, [&](size_t /*part*/) { pool.Run(5, [&](size_t /*inner*/) { ++calls; }); });
  EXPECT_EQ(calls, 20);
}

TEST(TaskPool, ManyCallersGetTheirOwnAnswers) {
  TaskPool pool(2);
  std::vector<std::thread> callers;
  std::vector<size_t> sums(4);
  for (size_t caller = 0; caller < sums.size(); ++caller) {
    callers.emplace_back([&, caller] {
      for (size_t round = 0; round < 200; ++round) {
        std::vector<size_t> of_part(7);
        pool.Run(of_part.size(), [&](size_t part) { of_part[part] = part * caller; });
        for (const size_t value : of_part) sums[caller] += value;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (size_t caller = 0; caller < sums.size(); ++caller)
    EXPECT_EQ(sums[caller], 200 * 21 * caller);
}

}  // namespace
}  // namespace lockstep
