#include "storage/chunk/integers/bins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "storage/chunk/codec_testing.h"
#include "storage/chunk/integers/bin_plan.h"
#include "storage/chunk/integers/bits.h"

namespace lockstep {
namespace {

std::string Put(const BinSet& set) {
  std::string bytes;
  PutBinSet(bytes, set);
  return bytes;
}

absl::Status Get(std::string_view in) {
  BinSet set;
  return GetBinSet(in, set) ? absl::OkStatus() : absl::DataLossError("");
}

// Checks the promises that a set of bins keeps, and that each integer is found in one of them.
void ExpectPlanHolds(const std::vector<int64_t>& integers, uint64_t unit_hint) {
  const BinSet set = PlanBins(integers, unit_hint).set;
  const std::string bytes = Put(set) + "rest";
  std::string_view in = bytes;
  BinSet read;
  ASSERT_TRUE(GetBinSet(in, read)) << set.bins.size() << " bins";
  EXPECT_EQ(read, set);
  EXPECT_EQ(in, "rest");
  if (integers.empty()) return;
  const BinFinder finder(set);
  for (const int64_t integer : integers) {
    const BinFinder::Place place = finder.Find(integer);
    const Bin& bin = set.bins[place.bin];
    EXPECT_EQ(place.offset, LowBits(place.offset, bin.offset_bits)) << integer;
    const uint64_t factor = place.bin < set.plain_count ? 1 : set.unit;
    EXPECT_EQ((static_cast<uint64_t>(bin.lower) + place.offset) * factor,
              static_cast<uint64_t>(integer));
  }
}

TEST(BinPlan, HoldsForEdges) {
  ExpectPlanHolds({}, 1);
  ExpectPlanHolds({0}, 1);
  ExpectPlanHolds({kMin}, 1);
  ExpectPlanHolds({kMin, kMax, 0, -1, 1}, 1);
  ExpectPlanHolds(std::vector<int64_t>(1000, 42), 1);
  ExpectPlanHolds(std::vector<int64_t>(1000, 42), 1000);
}

TEST(BinPlan, HoldsForIntegersOfEveryKind) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> integers(1 + random() % (round % 10 == 0 ? 20000 : 300));
    const int width = static_cast<int>(random() % 65);
    const int narrow = static_cast<int>(random() % (width + 1));
    const uint64_t unit = round % 3 == 0 ? 1 + random() % 5000 : 1;
    for (int64_t& integer : integers) {
      const uint64_t bits = LowBits(random(), random() % 8 == 0 ? width : narrow);
      integer = static_cast<int64_t>(random() % 2 == 0 ? bits * unit : 0 - bits * unit);
      if (round % 6 == 0 && random() % 10 == 0) ++integer;
    }
    ExpectPlanHolds(integers, round % 2 == 0 ? unit : 1);
  }
}

TEST(BinPlan, FrequentIntegersHaveBinsWithoutOffsets) {
  std::vector<int64_t> integers;
  for (int i = 0; i < 1000; ++i) integers.push_back(i % 2 == 0 ? 5 : 1'000'000);
  const BinPlan plan = PlanBins(integers, 1);
  ASSERT_EQ(plan.set.bins.size(), 2u);
  EXPECT_EQ(plan.set.bins[0].offset_bits, 0);
  EXPECT_EQ(plan.set.bins[0].weight, plan.set.bins[1].weight);
  // One bit per integer, plus the bins.
  EXPECT_LT(plan.bit_count, 1100);
}

TEST(BinPlan, ACommonDivisorIsFound) {
  std::mt19937_64 random(4);
  std::vector<int64_t> integers;
  for (int i = 0; i < 1000; ++i) integers.push_back(static_cast<int64_t>(random() % 1000) * 4096);
  const BinPlan plan = PlanBins(integers, 1);
  EXPECT_EQ(plan.set.unit, 4096u);
  EXPECT_EQ(plan.set.plain_count, 0u);
  EXPECT_LT(plan.bit_count, 10.1 * 1000 + 100);
}

TEST(BinPlan, MultiplesOfTheHintHaveBinsOfTheirOwn) {
  std::mt19937_64 random(5);
  std::vector<int64_t> integers;
  for (int i = 0; i < 1000; ++i) {
    const auto number = static_cast<int64_t>(random() % 1'000'000);
    integers.push_back(i % 4 == 0 ? number : number * 1'000'000);
  }
  const BinPlan plan = PlanBins(integers, 1'000'000);
  EXPECT_EQ(plan.set.unit, 1'000'000u);
  EXPECT_GT(plan.set.plain_count, 0u);
  EXPECT_LT(plan.bit_count, 21.5 * 1000);
  // Too few multiples do not pay.
  integers.resize(8);
  integers.insert(integers.end(), 200, 1);
  EXPECT_EQ(PlanBins(integers, 1'000'000).set.unit, 1u);
}

TEST(UnitDivider, DividesAsTheProcessorDoes) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 20000; ++round) {
    const uint64_t unit = 1 + (random() >> (random() % 64)) / 2;
    const UnitDivider divider(unit);
    auto integer = static_cast<int64_t>(random()) >> (random() % 64);
    if (round % 2 == 0) integer -= integer % static_cast<int64_t>(unit);
    const std::optional<int64_t> quotient = divider.Divide(integer);
    ASSERT_EQ(quotient.has_value(), integer % static_cast<int64_t>(unit) == 0)
        << integer << " by " << unit;
    if (quotient.has_value()) {
      EXPECT_EQ(*quotient, integer / static_cast<int64_t>(unit));
    }
  }
}

TEST(BinSet, DamageIsSurvived) {
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < 200; ++i) integers.push_back(i * i * (i % 3 == 0 ? 1000 : 1));
  const std::string bytes = Put(PlanBins(integers, 1000).set);
  ExpectEveryTruncationFails(bytes, Get);
  ExpectDamageIsSurvived(bytes, Get);
}

TEST(BinSet, WeightsThatDoNotFillTheTableAreRefused) {
  BinSet set;
  set.bins = {{0, 0, 10}, {5, 3, 6}};
  set.plain_count = 2;
  set.table_log = 4;
  EXPECT_TRUE(Get(Put(set)).ok());
  set.bins[1].weight = 7;
  EXPECT_FALSE(Get(Put(set)).ok());
  set.bins[1].weight = 6;
  set.table_log = 3;
  EXPECT_FALSE(Get(Put(set)).ok());
}

// Plain bins of one integer each, which share the table.
BinSet ManyBins(size_t count) {
  BinSet set;
  for (size_t i = 0; i < count; ++i) {
    set.bins.push_back({static_cast<int64_t>(10 * i), 0, static_cast<uint16_t>(4096 / count)});
  }
  set.plain_count = count;
  set.table_log = 12;
  return set;
}

TEST(BinSet, HasAtMost256Bins) {
  EXPECT_TRUE(Get(Put(ManyBins(256))).ok());
  BinSet set = ManyBins(256);
  set.plain_count = 255;
  set.unit = 7;
  EXPECT_TRUE(Get(Put(set)).ok());
  // One more of either kind.
  set = ManyBins(512);
  set.plain_count = 257;
  EXPECT_FALSE(Get(Put(set)).ok());
  set.bins.resize(257);
  set.plain_count = 256;
  EXPECT_FALSE(Get(Put(set)).ok());
  set.plain_count = 0;
  EXPECT_FALSE(Get(Put(set)).ok());
}

TEST(BinSet, ScaledBinsHaveAUnit) {
  BinSet set = ManyBins(2);
  set.plain_count = 1;
  for (const uint64_t unit : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
    set.unit = unit;
    EXPECT_EQ(Get(Put(set)).ok(), unit > 0) << unit;
  }
}

TEST(BinSet, LowerBoundsOfAListAscend) {
  BinSet set = ManyBins(2);
  set.bins[1].lower = set.bins[0].lower;
  EXPECT_FALSE(Get(Put(set)).ok());
  set.bins[1].lower = set.bins[0].lower - 1;  // wraps
  EXPECT_FALSE(Get(Put(set)).ok());
  set.bins[0].lower = kMin;
  set.bins[1].lower = kMax;
  EXPECT_TRUE(Get(Put(set)).ok());
  // Scaled ones may overlap with plain ones.
  set = ManyBins(4);
  set.plain_count = 2;
  set.bins[2].lower = -5;
  EXPECT_TRUE(Get(Put(set)).ok());
  set.bins[3].lower = -5;
  EXPECT_FALSE(Get(Put(set)).ok());
}

TEST(BinSet, OffsetsHaveAtMost64Bits) {
  BinSet set = ManyBins(2);
  set.bins[1].offset_bits = 64;
  EXPECT_TRUE(Get(Put(set)).ok());
  set.bins[1].offset_bits = 65;
  EXPECT_FALSE(Get(Put(set)).ok());
}

TEST(BinSet, EveryBinHasAWeight) {
  BinSet set = ManyBins(2);
  set.bins[0].weight = 0;
  set.bins[1].weight = 4096;
  EXPECT_FALSE(Get(Put(set)).ok());
  set.bins[0].weight = 1;
  set.bins[1].weight = 4095;
  EXPECT_TRUE(Get(Put(set)).ok());
  set.table_log = 13;
  set.bins[1].weight = 8191;
  EXPECT_FALSE(Get(Put(set)).ok());
}

TEST(BinSet, OneBinHasTheWholeTable) {
  BinSet set;
  set.bins = {{5, 3, 1}};
  set.plain_count = 1;
  const std::string bytes = Put(set);
  std::string_view in = bytes;
  BinSet read = ManyBins(2);
  ASSERT_TRUE(GetBinSet(in, read));
  EXPECT_EQ(read, set);
  EXPECT_EQ(in, "");
}

}  // namespace
}  // namespace lockstep
