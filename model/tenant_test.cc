#include "model/tenant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/series_key.h"

namespace lockstep {
namespace {

TEST(Tenant, NamesAreThoseOfMimir) {
  for (const std::string_view id : {"a", "team-7", "A.b_c*'()!"}) {
    EXPECT_EQ(*TenantOfId(id), id);
    EXPECT_EQ(IdOfTenant(id), id);
  }
  EXPECT_EQ(*TenantOfId(std::string(150, 'x')), std::string(150, 'x'));
  EXPECT_EQ(*TenantOfId("default"), "");
  EXPECT_EQ(IdOfTenant(""), "default");
  for (const std::string& id :
       {std::string(), std::string("."), std::string(".."), std::string("a b"), std::string("a|b"),
        std::string("a/b"), std::string("a\0b", 3), std::string("\xc3\xa4"),
        std::string(151, 'x')}) {
    EXPECT_TRUE(absl::IsInvalidArgument(TenantOfId(id).status())) << id;
  }
}

TEST(Tenant, LabelComesAndGoes) {
  const LabelSet labels = LabelSet::Of({{"__name__", "up"}, {"Hostname", "h"}, {"job", "a"}});
  const LabelSet stored = WithTenant("team-a", labels);
  EXPECT_NE(stored, labels);
  EXPECT_TRUE(LabelSet::FromBytes(stored.bytes()).ok());
  EXPECT_EQ(TenantOf(stored), "team-a");
  EXPECT_EQ(stored.Get("job"), "a");
  EXPECT_EQ(WithoutTenant(stored), labels);
  EXPECT_EQ(TenantOf(labels), "");
  EXPECT_EQ(WithTenant("", labels), labels);
  EXPECT_EQ(WithoutTenant(labels), labels);
  EXPECT_EQ(WithoutTenant(WithTenant("t", LabelSet())), LabelSet());
}

// Removing the label requires no new sort.
TEST(Tenant, LabelLeavesSeriesInOrder) {
  std::vector<LabelSet> all = {LabelSet::Of({{"A", "1"}}),
                               LabelSet::Of({{"A", "1"}, {"B", "2"}}),
                               LabelSet::Of({{"\x01", "1"}}),
                               LabelSet::Of({{"__name__", "x"}}),
                               LabelSet::Of({{"__name__", "x"}, {"__p", "1"}}),
                               LabelSet::Of({{"a", "1"}}),
                               LabelSet::Of({{"A", "2"}}),
                               LabelSet()};
  std::ranges::sort(all);
  std::vector<LabelSet> stored;
  for (const LabelSet& labels : all) stored.push_back(WithTenant("t", labels));
  EXPECT_TRUE(std::ranges::is_sorted(stored));
}

TEST(Tenant, KeysOfItsSeriesFollowFromTheKeysOfTheirOtherLabels) {
  const LabelSet labels = LabelSet::Of({{"A", "1"}, {"__name__", "up"}, {"job", "a"}});
  const SeriesKey key = SeriesKeyOf(labels);
  const SeriesKey of_a = SeriesKeyOf(WithTenant("a", labels));
  const SeriesKey of_b = SeriesKeyOf(WithTenant("b", labels));
  EXPECT_NE(of_a, key);
  EXPECT_NE(of_a, of_b);
  EXPECT_EQ(TenantKey("a").Of(key), of_a);
  EXPECT_EQ(TenantKey("").Of(key), key);
}

}  // namespace
}  // namespace lockstep
