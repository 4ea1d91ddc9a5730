#include "api/query/point_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "absl/strings/str_cat.h"

namespace lockstep::api {
namespace {

// Formats one point at a time.
std::string Expected(const std::vector<int64_t>& timestamps_ms, const std::vector<double>& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    text += '[';
    AppendTimestamp(text, timestamps_ms[i]);
    absl::StrAppend(&text, ",\"", FormatSampleValue(values[i]), "\"]");
  }
  return text;
}

TEST(PointText, IsThatOfThePoints) {
  PointText points;
  std::string text = "before ";
  points.Append({}, {}, text);
  EXPECT_EQ(text, "before ");
  points.Append(std::vector<int64_t>{0, 1500}, std::vector<double>{1, -0.5}, text);
  EXPECT_EQ(text, R"(before [0,"1"],[1.500,"-0.5"])");
}

TEST(PointText, RemembersNothingFalse) {
  constexpr double kLongest = -1.2345678901234567e-5,
                   kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> kinds = {0, -0.0, 1, 1, kLongest, kNan, 5e-324, 1e300, 0.1, 0.1, 7};
  std::mt19937_64 random(5);
  PointText points;
  for (int series = 0; series < 300; ++series) {
    std::vector<int64_t> timestamps_ms;
    std::vector<double> values;
    int64_t time_ms = random() % 2 == 0 ? 0 : std::numeric_limits<int64_t>::min();
    for (uint64_t left = random() % 300; left > 0; --left) {
      // Series share most timestamps, but not all.
      time_ms += random() % 50 == 0 ? 15'001 : 15'000;
      timestamps_ms.push_back(time_ms);
      values.push_back(kinds[random() % kinds.size()]);
    }
    std::string text;
    points.Append(timestamps_ms, values, text);
    ASSERT_EQ(text, Expected(timestamps_ms, values));
  }
}

}  // namespace
}  // namespace lockstep::api
