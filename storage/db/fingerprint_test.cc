#include "storage/db/fingerprint.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace lockstep {
namespace {

TEST(Fingerprint, IsTheSameForTheSameBytes) {
  const std::string bytes(100, 'a');
  const std::string again(100, 'a');
  EXPECT_EQ(FingerprintOf(bytes), FingerprintOf(again));
  EXPECT_EQ(FingerprintOf(""), FingerprintOf(std::string()));
}

// Each half alone tells all of them apart: lengths, single bits, single bytes and swaps.
TEST(Fingerprint, DiffersForEverySmallChange) {
  std::set<std::string> inputs;
  for (size_t size = 0; size < 70; ++size) {
    const std::string zeros(size, '\0');
    inputs.insert(zeros);
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      std::string changed = zeros;
      changed[bit / 8] = static_cast<char>(1 << (bit % 8));
      inputs.insert(changed);
      changed[size - 1 - bit / 8] = 'x';
      inputs.insert(changed);
    }
  }
  std::set<uint64_t> highs, lows;
  for (const std::string& input : inputs) {
    const Fingerprint print = FingerprintOf(input);
    EXPECT_TRUE(highs.insert(print.high).second);
    EXPECT_TRUE(lows.insert(print.low).second);
  }
  EXPECT_GT(inputs.size(), 10'000u);
}

}  // namespace
}  // namespace lockstep
