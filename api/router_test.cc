#include "api/router.h"

#include <gtest/gtest.h>

namespace lockstep::api {
namespace {

TEST(MatchPathTest, MatchesWholePaths) {
  struct Case {
    std::string_view pattern;
    std::string_view path;
    std::optional<std::string_view> parameter;
  };
  constexpr std::string_view kValues = "/label/:name/values";
  constexpr std::string_view kGroup = "/metrics/job/:group*";
  const Case cases[] = {
      {"/", "/", ""},
      {"/", "/x", std::nullopt},
      {"/", "", std::nullopt},
      {"/query", "/query", ""},
      {"/query", "/query/", std::nullopt},
      {"/query", "/query_range", std::nullopt},
      {"/query", "query", std::nullopt},
      {"/query", "/Query", std::nullopt},
      {kValues, "/label/job/values", "job"},
      {kValues, "/label/a%2Fb/values", "a%2Fb"},
      {kValues, "/label//values", std::nullopt},
      {kValues, "/label/a/b/values", std::nullopt},
      {kValues, "/label/job", std::nullopt},
      {kGroup, "/metrics/job/x", "x"},
      {kGroup, "/metrics/job/x/path/a%2Fb/", "x/path/a%2Fb/"},
      {kGroup, "/metrics/job//x", "/x"},
      {kGroup, "/metrics/job/", std::nullopt},
      {kGroup, "/metrics/job", std::nullopt},
      {kGroup, "/metrics/jobs/x", std::nullopt},
      {kGroup, "/metrics", std::nullopt},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(MatchPath(c.pattern, c.path), c.parameter) << c.pattern << " " << c.path;
  }
}

}  // namespace
}  // namespace lockstep::api
