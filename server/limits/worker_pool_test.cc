#include "server/limits/worker_pool.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace lockstep::server {
namespace {

// A pool with one thread that is busy until released.
class WorkerPoolTest : public testing::Test {
 protected:
  explicit WorkerPoolTest(size_t max_queued_tasks = 4,
                          const std::optional<StandingQueueOptions>& standing = std::nullopt)
      : pool_(std::make_unique<WorkerPool>(1, max_queued_tasks, standing)) {
    std::promise<void> started;
    pool_->Submit([this, &started] {
      started.set_value();
      released_.wait();
    });
    started.get_future().wait();
  }
  ~WorkerPoolTest() override { Finish(); }

  void Release() {
    if (!std::exchange(is_released_, true)) released_.count_down();
  }
  // Runs queued tasks.
  void Finish() {
    Release();
    pool_ = nullptr;
  }
  bool Submit(const ClientId& client, char name) {
    return pool_->TrySubmit(client, [this, name] { order_ += name; });
  }

  std::latch released_{1};
  bool is_released_ = false;
  std::string order_;
  std::unique_ptr<WorkerPool> pool_;
};

TEST_F(WorkerPoolTest, OneClientGetsHalfOfTheQueue) {
  EXPECT_TRUE(Submit({"a", ""}, '1'));
  EXPECT_TRUE(Submit({"a", ""}, '2'));
  EXPECT_FALSE(Submit({"a", ""}, '3'));
  EXPECT_TRUE(Submit({"b", ""}, '4'));
  EXPECT_TRUE(Submit({"c", ""}, '5'));
  EXPECT_FALSE(Submit({"d", ""}, '6'));
  pool_->Submit([this] { order_ += 'p'; });
  Finish();
  EXPECT_EQ(order_, "145p2");
}

TEST_F(WorkerPoolTest, RoomIsGivenBackWhenATaskBegins) {
  EXPECT_TRUE(Submit({"a", ""}, '1'));
  EXPECT_TRUE(Submit({"a", ""}, '2'));
  EXPECT_FALSE(Submit({"a", ""}, '3'));
  std::promise<void> both_ran;
  pool_->Submit([] {});
  pool_->Submit([&] { both_ran.set_value(); });
  Release();
  both_ran.get_future().wait();
  EXPECT_TRUE(Submit({"a", ""}, '4'));
  Finish();
  EXPECT_EQ(order_, "124");
}

// A pool whose queue counts as standing as soon as one task has waited at all.
class StandingPoolTest : public WorkerPoolTest {
 protected:
  StandingPoolTest()
      : WorkerPoolTest(4, StandingQueueOptions{.stands_after = std::chrono::nanoseconds(0),
                                               .least_patience = std::chrono::nanoseconds(0)}) {}
};

TEST_F(StandingPoolTest, OnlyRequestsAreRefusedForHavingWaited) {
  EXPECT_TRUE(Submit({"a", ""}, '1'));
  pool_->Submit([this] { order_ += 'p'; });
  Finish();
  EXPECT_EQ(order_, "p");
}

}  // namespace
}  // namespace lockstep::server
