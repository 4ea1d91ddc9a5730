#include "api/query/result_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/http/json_writer.h"
#include "api/query/result_json.h"

namespace lockstep::api {
namespace {

constexpr std::string_view kBefore = R"({"result":[)";
constexpr std::string_view kBehind = R"(],"more":1})";

std::string Whole(const engine::QueryValue& value, TaskPool& pool) {
  std::string out;
  JsonWriter json(out);
  WriteResult(json, value, pool);
  return out;
}

// The parts in which the value is written into the gap.
std::vector<std::string> Parts(engine::QueryValue value, TaskPool& pool) {
  Response response;
  response.body = std::string(kBefore) + std::string(kBehind);
  FillInParts(response, kBefore.size(), std::move(value), pool);
  std::vector<std::string> parts = {std::move(response.body)};
  bool has_more = response.rest != nullptr;
  while (has_more) has_more = *response.rest->Next(parts.emplace_back());
  return parts;
}

engine::MatrixResult Matrix(int series_count, int point_count) {
  engine::MatrixResult matrix;
  for (int i = 0; i < series_count; ++i) {
    engine::MatrixSeries series{LabelSet::Of({{"i", std::to_string(i)}}), {}};
    for (int second = 0; second < point_count; ++second) series.samples.Append(second * 1000, i);
    matrix.push_back(std::move(series));
  }
  return matrix;
}

TEST(ResultBodyTest, PartsTogetherAreTheWhole) {
  TaskPool pool(2);
  for (const int series_count : {1, 7, 100, 333}) {
    const engine::QueryValue value = Matrix(series_count, 1000);
    std::string text;
    for (const std::string& part : Parts(value, pool)) text += part;
    const std::string whole = Whole(value, pool);
    EXPECT_EQ(text,
              std::string(kBefore) + whole.substr(1, whole.size() - 2) + std::string(kBehind));
  }
  engine::VectorResult vector;
  for (int i = 0; i < 50'000; ++i) vector.push_back({{}, i, 1, nullptr});
  EXPECT_TRUE(IsLongResult(vector));
  std::string text;
  const std::vector<std::string> parts = Parts(vector, pool);
  for (const std::string& part : parts) text += part;
  EXPECT_EQ(text.size(), kBefore.size() + Whole(vector, pool).size() - 2 + kBehind.size());
}

TEST(ResultBodyTest, NoPartIsMuchLargerThanOthers) {
  TaskPool pool(2);
  const std::vector<std::string> parts = Parts(Matrix(1000, 1000), pool);
  EXPECT_GT(parts.size(), 10u);
  for (const std::string& part : parts) {
    EXPECT_LT(part.size(), size_t{1} << 20);
    EXPECT_GT(part.size(), 0u);
  }
}

}  // namespace
}  // namespace lockstep::api
