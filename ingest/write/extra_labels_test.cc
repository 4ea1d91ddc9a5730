#include "ingest/write/extra_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::UnorderedElementsAre;

TEST(ExtraLabelsTest, TakeThePlaceOfOthers) {
  ExtraLabels extra;
  ASSERT_EQ(extra.Add("job=new=er"), absl::OkStatus());
  ASSERT_EQ(extra.Add("site=a"), absl::OkStatus());
  ASSERT_EQ(extra.Add("site=b"), absl::OkStatus());
  std::vector<LabelView> labels = {{"__name__", "up"}, {"job", "old"}};
  extra.Apply(labels);
  EXPECT_THAT(labels, UnorderedElementsAre(LabelView{"__name__", "up"}, LabelView{"job", "new=er"},
                                           LabelView{"site", "b"}));
}

TEST(ExtraLabelsTest, OthersAreNone) {
  ExtraLabels extra;
  EXPECT_TRUE(absl::IsInvalidArgument(extra.Add("job")));
  EXPECT_TRUE(absl::IsInvalidArgument(extra.Add("=x")));
  EXPECT_TRUE(extra.empty());
}

}  // namespace
}  // namespace lockstep
