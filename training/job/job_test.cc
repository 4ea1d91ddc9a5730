#include "training/job/job.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::training {
namespace {

using Groups = std::vector<std::vector<size_t>>;

TEST(Job, RanksOfOneStageAndExpertGroupArePeers) {
  Job job;
  job.ranks = {{.rank = 0, .stage = 1, .expert_group = 0},
               {.rank = 1, .stage = 0, .expert_group = 1},
               {.rank = 2, .stage = 0, .expert_group = 0},
               {.rank = 3, .stage = 1, .expert_group = 0}};
  const Groups groups = PeerGroups(job);
  EXPECT_EQ(groups, (Groups{{2}, {1}, {0, 3}}));
  EXPECT_EQ(GroupOf(groups, 3), (std::vector<size_t>{0, 3}));
  EXPECT_EQ(GroupOf(groups, 1), std::vector<size_t>{1});
  EXPECT_EQ(PeerGroups(Job{}), Groups{});
}

TEST(Job, RanksOnOneGpuShareIt) {
  Job job;
  job.ranks = {{.rank = 0, .host = "a", .gpu = "0", .gpu_uuid = "GPU-1"},
               {.rank = 1, .host = "a", .gpu = "1", .gpu_uuid = "GPU-1"},
               {.rank = 2, .host = "b", .gpu = "0", .gpu_uuid = "GPU-1"},
               {.rank = 3, .host = "c", .gpu = "0"},
               {.rank = 4, .host = "c", .gpu = "0"},
               {.rank = 5, .host = "c", .gpu = "0"},
               {.rank = 6, .host = "c", .gpu = "1"}};
  EXPECT_EQ(GpuShares(job), (std::vector<double>{0.5, 0.5, 1, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1}));
  EXPECT_EQ(GpuCount(job), 4u);
}

TEST(Job, ARankAtAnUnknownPlaceHasAGpuToItself) {
  Job job;
  job.ranks = {{.rank = 0},
               {.rank = 1, .host = "a"},
               {.rank = 2, .gpu = "0"},
               {.rank = 3, .host = "a", .gpu = "0"}};
  EXPECT_EQ(GpuShares(job), (std::vector<double>{1, 1, 1, 1}));
  EXPECT_EQ(GpuCount(job), 4u);
  EXPECT_EQ(GpuCount(Job{}), 0u);
}

}  // namespace
}  // namespace lockstep::training
