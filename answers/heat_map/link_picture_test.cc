#include "answers/heat_map/link_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_format.h"

namespace lockstep::answers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using training::CounterSeries;
using training::LinkKind;
using training::NetworkLink;

// A job of 40 s with ranks 0 and 1 on host a, 5 and 3 on host b.
LoadedJob JobOf(std::vector<NetworkLink> links) {
  LoadedJob job;
  job.job.name = "j";
  job.job.ranks = {{.rank = 0, .host = "a"},
                   {.rank = 1, .host = "a"},
                   {.rank = 5, .host = "b"},
                   {.rank = 3, .host = "b"}};
  job.time = {0, 39'999};
  job.links = std::move(links);
  return job;
}

NetworkLink LinkOf(std::string host, std::string device, CounterSeries sent) {
  NetworkLink link;
  link.host = std::move(host);
  link.device = std::move(device);
  link[catalogue::Role::kNicTransmitBytesTotal] = std::move(sent);
  return link;
}

std::vector<std::string> Rows(const LinkPicture& picture) {
  std::vector<std::string> rows;
  for (const PictureRow& row : picture.rows) {
    rows.push_back(
        absl::StrFormat("%s %s %d-%d", row.host, row.device, row.first_rank, row.last_rank));
  }
  return rows;
}

TEST(LinkPictureTest, ARowPerInterfaceThatCountsOnAHostOfTheJob) {
  const CounterSeries two = {{0, 10'000}, {0, 1000}};
  NetworkLink nvlink = LinkOf("a", "nvlink0", two);
  nvlink.kind = LinkKind::kNvlink;
  NetworkLink other_counter = LinkOf("a", "eth1", {});
  other_counter[catalogue::Role::kNicReceiveBytesTotal] = two;
  const LoadedJob job =
      JobOf({LinkOf("a", "eth0", two), nvlink, other_counter, LinkOf("b", "once", {{0}, {1}}),
             LinkOf("elsewhere", "eth0", two), LinkOf("b", "mlx5_0", two)});
  EXPECT_THAT(Rows(LinkPictureOf(job, catalogue::Role::kNicTransmitBytesTotal, 4)),
              ElementsAre("a eth0 0-1", "b mlx5_0 3-5"));
  EXPECT_THAT(Rows(LinkPictureOf(job, catalogue::Role::kNicReceiveBytesTotal, 4)),
              ElementsAre("a eth1 0-1"));
  const LinkPicture none = LinkPictureOf(job, catalogue::Role::kNicTimeoutsTotal, 4);
  EXPECT_THAT(none.rows, IsEmpty());
  EXPECT_THAT(none.bins, IsEmpty());
}

// A bin of 10 s each. Rates stand at the later of their two samples.
TEST(LinkPictureTest, CellsAreBytesPerSecond) {
  const LoadedJob job = JobOf({
      LinkOf("a", "eth0", {{5'000, 15'000, 17'000, 25'000}, {700, 1700, 2700, 2700}}),
      // Set back in between, to count from nothing; and a time that comes twice.
      LinkOf("b", "eth0", {{5'000, 15'000, 15'000, 35'000}, {9000, 3000, 8000, 5000}}),
  });
  const LinkPicture picture = LinkPictureOf(job, catalogue::Role::kNicTransmitBytesTotal, 4);
  ASSERT_EQ(picture.bins.size(), 4u);
  EXPECT_EQ(picture.bins[3].time.min_ms, 30'000);
  const auto& [lowest, highest, last, mean, count] = picture.cells;
  EXPECT_TRUE(std::isnan(mean(0, 0)));
  EXPECT_EQ(lowest(0, 1), 100);
  EXPECT_EQ(highest(0, 1), 500);
  EXPECT_EQ(last(0, 1), 500);
  EXPECT_EQ(mean(0, 1), 300);
  EXPECT_EQ(mean(0, 2), 0);
  EXPECT_TRUE(std::isnan(mean(0, 3)));
  EXPECT_EQ(mean(1, 1), 300);
  EXPECT_TRUE(std::isnan(mean(1, 2)));
  EXPECT_EQ(mean(1, 3), 250);
  EXPECT_EQ(count(0, 0), 0);
  EXPECT_EQ(count(0, 1), 2);
  EXPECT_EQ(count(1, 3), 1);
}

}  // namespace
}  // namespace lockstep::answers
