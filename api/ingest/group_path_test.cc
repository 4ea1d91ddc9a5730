#include "api/ingest/group_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lockstep::api {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> LabelsOf(std::string_view path) {
  const auto group = ParseGroupPath(path);
  EXPECT_TRUE(group.ok()) << group.status();
  return group.ok() ? group->labels() : std::vector<std::pair<std::string, std::string>>();
}

TEST(GroupPathTest, NamesAndValues) {
  EXPECT_THAT(LabelsOf("/metrics/job/nightly"), ElementsAre(Pair("job", "nightly")));
  EXPECT_THAT(LabelsOf("/metrics/job/nightly/instance/a%2Fb:9/"),
              ElementsAre(Pair("job", "nightly"), Pair("instance", "a/b:9")));
  EXPECT_THAT(LabelsOf("/metrics/job/my+job%2B1"), ElementsAre(Pair("job", "my job+1")));
}

TEST(GroupPathTest, Base64) {
  EXPECT_THAT(LabelsOf("/metrics/job@base64/L3Zhci90bXA/empty@base64/="),
              ElementsAre(Pair("job", "/var/tmp"), Pair("empty", "")));
  EXPECT_THAT(LabelsOf("/metrics/job/x/name@base64/zqDPgc6_zrzOt864zrXPjc-C"),
              ElementsAre(Pair("job", "x"), Pair("name", "Προμηθεύς")));
  EXPECT_THAT(LabelsOf("/metrics/job/x/p@base64/L3Zhci90bXA%3D"),
              ElementsAre(Pair("job", "x"), Pair("p", "/var/tmp")));
}

TEST(GroupPathTest, OthersAreNone) {
  for (const char* path :
       {"/metrics/", "/metrics/job", "/metrics/job/", "/metrics/instance/x",
        "/metrics/job/x/instance", "/metrics/job/x/a-b/c", "/metrics/job/x/__name__/c",
        "/metrics/job@base64/=", "/metrics/job@base64/%%%", "/metrics//x", "/metrics/job/x//y",
        "/other/job/x"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseGroupPath(path).status())) << path;
  }
}

}  // namespace
}  // namespace lockstep::api
