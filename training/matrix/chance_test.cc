#include "training/matrix/chance.h"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace lockstep::training
