#include "query/engine/aggregates/bounded_heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::engine {
namespace {

using ::testing::ElementsAre;

std::vector<uint32_t> Best(RankOrder order, size_t capacity, const std::vector<double>& values) {
  BoundedHeap heap(order);
  heap.Reset(capacity);
  for (uint32_t i = 0; i < values.size(); ++i) heap.Offer({values[i], i});
  std::vector<uint32_t> indices;
  for (const RankedElement& element : heap.Ranked()) indices.push_back(element.index);
  return indices;
}

TEST(BoundedHeap, KeepsTheBestInOrder) {
  EXPECT_THAT(Best(RankOrder::kLargestFirst, 3, {5, 1, 9, 7, 3}), ElementsAre(2, 3, 0));
  EXPECT_THAT(Best(RankOrder::kSmallestFirst, 3, {5, 1, 9, 7, 3}), ElementsAre(1, 4, 0));
  EXPECT_THAT(Best(RankOrder::kLargestFirst, 9, {1, 2}), ElementsAre(1, 0));
}

TEST(BoundedHeap, NanIsTheWorstInEitherOrder) {
  EXPECT_THAT(Best(RankOrder::kLargestFirst, 2, {NAN, -INFINITY, NAN, 4}), ElementsAre(3, 1));
  EXPECT_THAT(Best(RankOrder::kSmallestFirst, 2, {NAN, INFINITY, NAN, 4}), ElementsAre(3, 1));
  EXPECT_THAT(Best(RankOrder::kLargestFirst, 3, {NAN, 1, NAN}), ElementsAre(1, 2, 0));
}

TEST(BoundedHeap, OfEqualValuesTheFirstStayAndTheTopGivesWay) {
  EXPECT_THAT(Best(RankOrder::kLargestFirst, 2, {1, 1, 1}), ElementsAre(0, 1));
  // The top of the heap is the element offered first; the 2 replaces it.
  EXPECT_THAT(Best(RankOrder::kLargestFirst, 2, {1, 1, 2}), ElementsAre(2, 1));
}

}  // namespace
}  // namespace lockstep::engine
