#include "training/matrix/chance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lockstep::training {
namespace {

TEST(Chance, IsTheBinomialTail) {
  // 1 - (5/6)^4, de Mere's first bet; the others come from counting throws of four coins.
  EXPECT_NEAR(std::exp(LogChanceOfAtLeast(1, 4, 1.0 / 6)), 1 - std::pow(5.0 / 6, 4), 1e-12);
  EXPECT_NEAR(std::exp(LogChanceOfAtLeast(3, 4, 0.5)), 5.0 / 16, 1e-12);
  EXPECT_NEAR(std::exp(LogChanceOfAtLeast(4, 4, 0.5)), 1.0 / 16, 1e-12);
  EXPECT_NEAR(LogChanceOfAtLeast(1000, 1000, 0.25), 1000 * std::log(0.25), 1e-6);
  EXPECT_EQ(LogChanceOfAtLeast(0, 10, 0.1), 0);
  EXPECT_EQ(LogChanceOfAtLeast(3, 10, 1.0), 0);
  EXPECT_TRUE(std::isinf(LogChanceOfAtLeast(11, 10, 0.5)));
  EXPECT_TRUE(std::isinf(LogChanceOfAtLeast(1, 10, 0)));
}

TEST(Chance, OfEverythingIsNeverAboveOne) {
  // Rounding must not make the logarithm positive.
  for (const double probability : {0.5, 0.9, 0.99, 0.999999}) {
    for (const size_t trials : {1, 7, 100, 3000}) {
      const double chance = LogChanceOfAtLeast(1, trials, probability);
      EXPECT_LE(chance, 0) << trials;
      EXPECT_NEAR(std::exp(chance), 1 - std::pow(1 - probability, static_cast<double>(trials)),
                  1e-9);
    }
  }
}

TEST(Chance, OfTheCertainAndTheImpossible) {
  EXPECT_EQ(LogChanceOfAtLeast(0, 0, 0.5), 0);
  EXPECT_EQ(LogChanceOfAtLeast(5, 10, 1.5), 0);
  EXPECT_EQ(LogChanceOfAtLeast(5, 10, -0.5), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(LogChanceOfAtLeast(11, 10, 1), -std::numeric_limits<double>::infinity());
  EXPECT_NEAR(LogChanceOfAtLeast(10, 10, 0.5), 10 * std::log(0.5), 1e-9);
}

}  // namespace
}  // namespace lockstep::training
