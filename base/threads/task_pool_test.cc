#include "base/threads/task_pool.h"

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
  // The parts wait for each other: on one thread alone they would never end.
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

TEST(TaskPool, OneWithManyPartsDoesNotKeepTheHelperFromOthers) {
  TaskPool pool(1);
  std::atomic<bool> helped{false}, other_began{false}, other_helped{false};
  std::thread many([&] {
    const std::thread::id caller = std::this_thread::get_id();
    pool.Run(3, [&](size_t /*part*/) {
      const bool is_first_help = std::this_thread::get_id() != caller && !helped.exchange(true);
      const std::atomic<bool>& awaited = is_first_help ? other_began : other_helped;
      while (!awaited) std::this_thread::yield();
    });
  });
  while (!helped) std::this_thread::yield();
  // Its two parts wait for each other, so a helper must run one of them.
  std::atomic<int> arrived{0};
  pool.Run(2, [&](size_t /*part*/) {
    other_began = true;
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  other_helped = true;
  many.join();
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
