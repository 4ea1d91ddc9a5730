#include "base/threads/fair_queue.h"

#include <gtest/gtest.h>

#include <memory>

namespace lockstep {
namespace {

std::string PopAll(FairQueue<std::string>& queue) {
  std::string all;
  while (!queue.empty()) all += queue.Pop() + " ";
  return all;
}

TEST(FairQueueTest, KeepsTheOrderOfOneKey) {
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2", "a3"}) queue.Push("a", item);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(PopAll(queue), "a1 a2 a3 ");
  EXPECT_EQ(queue.size(), 0u);
}

TEST(FairQueueTest, KeysTakeTurns) {
  FairQueue<std::string> queue;
  for (const char* item : {"a1", "a2", "a3", "a4"}) queue.Push("a", item);
  for (const char* item : {"b1", "b2"}) queue.Push("b", item);
  queue.Push("c", "c1");
  EXPECT_EQ(PopAll(queue), "a1 b1 c1 a2 b2 a3 a4 ");
}

TEST(FairQueueTest, AKeyThatComesAgainQueuesBehindTheOthers) {
  FairQueue<std::string> queue;
  queue.Push("a", "a1");
  queue.Push("b", "b1");
  queue.Push("b", "b2");
  EXPECT_EQ(queue.Pop(), "a1");
  queue.Push("a", "a2");
  EXPECT_EQ(PopAll(queue), "b1 a2 b2 ");
}

TEST(FairQueueTest, HoldsWhatCanOnlyBeMoved) {
  FairQueue<std::unique_ptr<int>> queue;
  queue.Push("", std::make_unique<int>(7));
  EXPECT_EQ(*queue.Pop(), 7);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace lockstep
