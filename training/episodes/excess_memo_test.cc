#include "training/episodes/excess_memo.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace lockstep::training {
namespace {

// A table with `count` steps from `first` on.
struct Looked {
  Looked(size_t first, size_t count) : values(kRanks, count), masked(kRanks, count) {
    for (size_t n = 0; n < count; ++n) {
      const size_t at = first + n;
      step.push_back(static_cast<int64_t>(at));
      divisor.push_back(0.1 + 0.001 * static_cast<double>(at % 7));
      std::mt19937 random(static_cast<unsigned>(at));
      std::uniform_real_distribution<double> seconds(0, 1);
      for (size_t row = 0; row < kRanks; ++row) values(row, n) = seconds(random);
    }
  }

  static constexpr size_t kRanks = 7;
  RankMatrix values;
  RankMask masked;
  std::vector<double> divisor;
  std::vector<int64_t> step;
  std::vector<std::vector<size_t>> groups = {{0, 2, 3, 5}, {1, 4, 6}};
};

bool AreAlike(const RankMatrix& a, const RankMatrix& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns()) return false;
  for (size_t row = 0; row < a.rows(); ++row) {
    if (std::memcmp(a.Row(row).data(), b.Row(row).data(), a.Row(row).size_bytes()) != 0) {
      return false;
    }
  }
  return true;
}

class ExcessMemoTest : public testing::Test {
 protected:
  void Ask(const Looked& table) {
    const PeerComparison comparison{table.values, table.groups, table.divisor};
    EXPECT_TRUE(AreAlike(*memo_.Excess(comparison, table.step, table.masked),
                         ExcessOverPeers(comparison, table.masked)));
  }

  ExcessMemo memo_;
};

TEST_F(ExcessMemoTest, IsTheExcessOfATableThatGrows) {
  Ask(Looked(0, 40));
  Ask(Looked(0, 55));
  Ask(Looked(20, 60));   // the first steps are gone
  Ask(Looked(20, 60));   // nothing is new
  Ask(Looked(20, 50));   // fewer than before
  Ask(Looked(300, 10));  // a separate stretch
  Ask(Looked(0, 0));
  Ask(Looked(290, 30));
}

TEST_F(ExcessMemoTest, SeesWhatChangesInStepsThatItKnows) {
  Looked table(0, 40);
  Ask(table);
  table = Looked(10, 40);
  table.values(3, 5) = 9;
  table.divisor[7] = 0.5;
  table.masked.Set(2, 11, 4);
  Ask(table);
  table = Looked(15, 40);
  table.masked.Set(2, 8, 2);
  Ask(table);
  table.groups = {{0, 1, 2, 3, 4, 5, 6}};
  Ask(table);
  table.divisor.clear();
  Ask(table);
}

TEST_F(ExcessMemoTest, LeavesWhatIsHeldAsItWas) {
  const Looked before(0, 40);
  const PeerComparison comparison{before.values, before.groups, before.divisor};
  const auto held = memo_.Excess(comparison, before.step, before.masked);
  Ask(Looked(10, 50));
  EXPECT_TRUE(AreAlike(*held, ExcessOverPeers(comparison, before.masked)));
}

}  // namespace
}  // namespace lockstep::training
