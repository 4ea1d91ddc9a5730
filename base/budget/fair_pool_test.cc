#include "base/budget/fair_pool.h"

#include <gtest/gtest.h>

#include <deque>
#include <utility>

namespace lockstep {
namespace {

using enum PoolAnswer;

// How many units of one a client gets until it is refused.
uint64_t TakeAll(FairPool& pool, const ClientId& client, std::deque<FairPool::Claim>& claims) {
  uint64_t count = 0;
  for (;; ++count) {
    FairPool::Claim claim(pool, client);
    if (claim.Grow(1) != kTaken) return count;
    claims.push_back(std::move(claim));
  }
}

TEST(FairPoolTest, OneClientGetsHalf) {
  FairPool pool(10);
  std::deque<FairPool::Claim> claims;
  EXPECT_EQ(TakeAll(pool, {"a", ""}, claims), 5u);
  EXPECT_EQ(FairPool::Claim(pool, {"a", ""}).Grow(1), kOverShare);
  EXPECT_EQ(pool.taken(), 5u);
}

TEST(FairPoolTest, WhoComesLaterGetsAShareOfWhatIsLeft) {
  FairPool pool(16);
  std::deque<FairPool::Claim> claims;
  EXPECT_EQ(TakeAll(pool, {"a", ""}, claims), 8u);
  EXPECT_EQ(TakeAll(pool, {"b", ""}, claims), 4u);
  EXPECT_EQ(TakeAll(pool, {"c", ""}, claims), 2u);
  EXPECT_EQ(TakeAll(pool, {"d", ""}, claims), 1u);
  EXPECT_EQ(TakeAll(pool, {"e", ""}, claims), 1u);
  EXPECT_EQ(FairPool::Claim(pool, {"f", ""}).Grow(1), kFull);
}

TEST(FairPoolTest, TheClientWithMostIsRefusedFirst) {
  FairPool pool(12);
  std::deque<FairPool::Claim> claims;
  EXPECT_EQ(TakeAll(pool, {"a", ""}, claims), 6u);
  EXPECT_EQ(FairPool::Claim(pool, {"a", ""}).Grow(1), kOverShare);
  EXPECT_EQ(FairPool::Claim(pool, {"b", ""}).Grow(1), kTaken);
}

TEST(FairPoolTest, AnAmountCountsWhole) {
  FairPool pool(100);
  EXPECT_EQ(FairPool::Claim(pool, {"a", ""}).Grow(101), kFull);
  FairPool::Claim claim(pool, {"a", ""});
  EXPECT_EQ(claim.Grow(50), kTaken);
  EXPECT_EQ(claim.Grow(1), kOverShare);
  EXPECT_EQ(claim.amount(), 50u);
  EXPECT_EQ(FairPool::Claim(pool, {"b", ""}).Grow(50), kTaken);
  EXPECT_EQ(FairPool::Claim(pool, {"b", ""}).Grow(51), kFull);
}

TEST(FairPoolTest, AddressAndCredentialAreEachWithinTheirShare) {
  FairPool pool(16);
  std::deque<FairPool::Claim> claims;
  EXPECT_EQ(TakeAll(pool, {"a", "alice"}, claims), 8u);
  EXPECT_EQ(FairPool::Claim(pool, {"a", "bob"}).Grow(1), kOverShare);
  EXPECT_EQ(FairPool::Claim(pool, {"b", "alice"}).Grow(1), kOverShare);
  EXPECT_EQ(FairPool::Claim(pool, {"b", "bob"}).Grow(1), kTaken);
  EXPECT_EQ(pool.LoadOf({"a", "alice"}), 16u);
  EXPECT_EQ(pool.LoadOf({"a", "bob"}), 8u);
  EXPECT_EQ(pool.LoadOf({"b", ""}), 0u);
}

TEST(FairPoolTest, WhoHasLessThanHalfOfTheAverageHasLittle) {
  FairPool pool(1000);
  FairPool::Claim much(pool, {"a", "alice"}), little(pool, {"b", "bob"});
  ASSERT_EQ(much.Grow(4), PoolAnswer::kTaken);
  ASSERT_EQ(little.Grow(2), PoolAnswer::kTaken);
  EXPECT_FALSE(pool.HasLittle({"a", "alice"}));
  EXPECT_FALSE(pool.HasLittle({"b", "bob"}));  // 2 of 3
  ASSERT_EQ(much.Grow(3), PoolAnswer::kTaken);
  EXPECT_TRUE(pool.HasLittle({"b", "bob"}));  // 2 of 4.5
  EXPECT_TRUE(pool.HasLittle({"b", ""}));
  EXPECT_FALSE(pool.HasLittle({"a", "bob"}));
  EXPECT_FALSE(pool.HasLittle({"b", "alice"}));
  EXPECT_FALSE(pool.HasLittle({}));
}

TEST(FairPoolTest, NobodyIsNoClient) {
  FairPool pool(4);
  std::deque<FairPool::Claim> claims;
  EXPECT_EQ(TakeAll(pool, {}, claims), 4u);
  EXPECT_EQ(pool.LoadOf({}), 0u);
}

TEST(FairPoolTest, SmallClaimsGoOnWhereLargeOnesAreRefused) {
  FairPool pool(100, 2);
  FairPool::Claim large(pool, {"a", ""});
  EXPECT_EQ(large.Grow(50), kTaken);
  FairPool::Claim other(pool, {"a", ""});
  EXPECT_EQ(other.Grow(3), kOverShare);
  EXPECT_EQ(other.Grow(2), kTaken);
  EXPECT_EQ(other.Grow(1), kOverShare);  // no longer a small claim
  std::deque<FairPool::Claim> claims;
  EXPECT_EQ(TakeAll(pool, {"a", ""}, claims), 23u);  // three quarters of all
  EXPECT_EQ(FairPool::Claim(pool, {"b", ""}).Grow(25), kTaken);
}

TEST(FairPoolTest, WhatGoesIsGivenBackOnce) {
  FairPool pool(10);
  {
    FairPool::Claim claim(pool, {"a", "alice"});
    EXPECT_EQ(claim.Grow(3), kTaken);
    EXPECT_EQ(claim.Grow(2), kTaken);
    FairPool::Claim moved = std::move(claim);
    EXPECT_EQ(pool.taken(), 5u);
    EXPECT_EQ(moved.amount(), 5u);
    FairPool::Claim assigned(pool, {"b", ""});
    EXPECT_EQ(assigned.Grow(1), kTaken);
    assigned = std::move(moved);
    EXPECT_EQ(pool.taken(), 5u);
    EXPECT_EQ(pool.LoadOf({"b", ""}), 0u);
  }
  EXPECT_EQ(pool.taken(), 0u);
  EXPECT_EQ(pool.LoadOf({"a", "alice"}), 0u);
}

TEST(FairPoolTest, ARefusalTakesNothing) {
  FairPool pool(10);
  FairPool::Claim claim(pool, {"a", ""});
  EXPECT_EQ(claim.Grow(11), kFull);
  FairPool::Claim half(pool, {"b", ""});
  EXPECT_EQ(half.Grow(5), kTaken);
  EXPECT_EQ(half.Grow(1), kOverShare);
  EXPECT_EQ(pool.taken(), 5u);
  EXPECT_EQ(pool.LoadOf({"a", ""}), 0u);
  EXPECT_EQ(pool.AnswerFor({"a", ""}, 5), kTaken);
  EXPECT_EQ(pool.AnswerFor({"b", ""}, 1), kOverShare);
  EXPECT_EQ(pool.AnswerFor({"a", ""}, 6), kFull);
  EXPECT_EQ(pool.taken(), 5u);
}

TEST(FairPoolTest, WithoutAPoolNothingIsTaken) {
  FairPool::Claim claim;
  EXPECT_EQ(claim.Grow(1000), kTaken);
  EXPECT_EQ(claim.amount(), 0u);
}

TEST(FairPool, ItsCapacityMayChange) {
  FairPool pool(8);
  FairPool::Claim claim(pool, {.network = "a", .user = ""});
  EXPECT_EQ(claim.Grow(4), PoolAnswer::kTaken);
  pool.SetCapacity(2);
  EXPECT_EQ(pool.AnswerFor({.network = "b", .user = ""}, 1), PoolAnswer::kFull);
  pool.SetCapacity(16);
  EXPECT_EQ(pool.AnswerFor({.network = "b", .user = ""}, 6), PoolAnswer::kTaken);
}

}  // namespace
}  // namespace lockstep
