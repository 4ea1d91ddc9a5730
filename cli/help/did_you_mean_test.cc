#include "cli/help/did_you_mean.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DidYouMeanTest, CountsTypingErrors) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("jobs", "jobs"), 0U);
  EXPECT_EQ(EditDistance("jobs", "JOBS"), 0U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("abc", ""), 3U);
  EXPECT_EQ(EditDistance("jbos", "jobs"), 1U);   // swapped
  EXPECT_EQ(EditDistance("job", "jobs"), 1U);    // missing
  EXPECT_EQ(EditDistance("joobs", "jobs"), 1U);  // doubled
  EXPECT_EQ(EditDistance("jabs", "jobs"), 1U);   // wrong
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
}

const std::vector<std::string> kMetrics = {
    "DCGM_FI_DEV_GPU_TEMP",   "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_PROF_SM_ACTIVE", "train_loss",           "train_step"};

TEST(DidYouMeanTest, SuggestsTheClosestFirst) {
  EXPECT_THAT(CloseNames("train_los", kMetrics), ElementsAre("train_loss"));
  EXPECT_THAT(CloseNames("dcgm_fi_prof_sm_actve", kMetrics), ElementsAre("DCGM_FI_PROF_SM_ACTIVE"));
}

TEST(DidYouMeanTest, SuggestsNamesThatContainTheWordIfNoneIsSimilar) {
  EXPECT_THAT(CloseNames("power", kMetrics), ElementsAre("DCGM_FI_DEV_POWER_USAGE"));
  EXPECT_THAT(CloseNames("gpu_", kMetrics),
              ElementsAre("DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_GPU_UTIL"));
  EXPECT_THAT(CloseNames("p", kMetrics), IsEmpty());
}

TEST(DidYouMeanTest, IsSilentIfNothingIsClose) {
  EXPECT_EQ(DidYouMean("http_requests_total", kMetrics), "");
  EXPECT_EQ(DidYouMean("anything", {}), "");
  EXPECT_EQ(DidYouMean("", kMetrics), "");
}

TEST(DidYouMeanTest, MakesAQuestion) {
  EXPECT_EQ(DidYouMean("jbos", {"serve", "jobs"}), "; did you mean jobs?");
  EXPECT_EQ(DidYouMean("aaa", {"aab", "aac"}), "; did you mean aab or aac?");
  EXPECT_EQ(DidYouMean("aaa", {"aab", "aac", "aad", "aae"}), "; did you mean aab, aac or aad?");
}

}  // namespace
}  // namespace lockstep::cli
