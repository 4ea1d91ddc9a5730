#include "api/query/result_json.h"

#include <gtest/gtest.h>

#include <limits>

namespace lockstep::api {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string Result(const engine::QueryValue& value) {
  std::string out;
  JsonWriter json(out);
  TaskPool pool(2);
  WriteResult(json, value, pool);
  return out;
}

TEST(ResultJsonTest, Names) {
  EXPECT_EQ(ResultTypeName(engine::ScalarResult{}), "scalar");
  EXPECT_EQ(ResultTypeName(engine::StringResult{}), "string");
  EXPECT_EQ(ResultTypeName(engine::VectorResult{}), "vector");
  EXPECT_EQ(ResultTypeName(engine::MatrixResult{}), "matrix");
}

TEST(ResultJsonTest, LargeResultsAreTheSameInParts) {
  engine::MatrixResult matrix;
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    engine::MatrixSeries series{LabelSet::Of({{"i", std::to_string(i)}}), {}};
    std::string points;
    for (int second = 0; second < 1000; ++second) {
      series.samples.Append(second * 1000, i);
      points += (second == 0 ? "" : ",") + std::string("[") + std::to_string(second) + ",\"" +
                std::to_string(i) + "\"]";
    }
    matrix.push_back(std::move(series));
    expected += (i == 0 ? "[" : ",") + std::string(R"({"metric":{"i":")") + std::to_string(i) +
                R"("},"values":[)" + points + "]}";
  }
  EXPECT_EQ(Result(matrix), expected + "]");
}

TEST(ResultJsonTest, EmptyResults) {
  EXPECT_EQ(Result(engine::VectorResult{}), "[]");
  EXPECT_EQ(Result(engine::MatrixResult{}), "[]");
}

TEST(ResultJsonTest, Scalar) {
  const auto scalar = [](int64_t time_ms, double value) {
    return Result(engine::ScalarResult{time_ms, value});
  };
  EXPECT_EQ(scalar(4000, 2), R"([4,"2"])");
  EXPECT_EQ(scalar(1500, 1e21), R"([1.5,"1000000000000000000000"])");
  EXPECT_EQ(scalar(1700000000123, 1e-7), R"([1700000000.123,"0.0000001"])");
  EXPECT_EQ(scalar(0, kNan), R"([0,"NaN"])");
  EXPECT_EQ(scalar(0, -kInf), R"([0,"-Inf"])");
}

TEST(ResultJsonTest, String) {
  EXPECT_EQ(Result(engine::StringResult{1500, "a<b"}), R"([1.5,"a\u003cb"])");
}

TEST(ResultJsonTest, Vector) {
  const LabelSet labels = LabelSet::Of({{"__name__", "up"}, {"Zone", "a<b"}, {"job", "x"}});
  EXPECT_EQ(Result(engine::VectorResult{{labels, 1500, 1, nullptr}, {{}, 2000, kNan, nullptr}}),
            R"([{"metric":{"Zone":"a<b","__name__":"up","job":"x"},"value":[1.500,"1"]},)"
            R"({"metric":{},"value":[2,"NaN"]}])");
}

TEST(ResultJsonTest, SampleValues) {
  struct Case {
    double value;
    std::string text;
  };
  const Case cases[] = {{1000000, "1000000"}, {1e20, "100000000000000000000"},
                        {1e21, "1e+21"},      {1e-6, "0.000001"},
                        {1e-7, "1e-07"},      {0.1, "0.1"},
                        {-0.0, "-0"},         {kInf, "+Inf"},
                        {-kInf, "-Inf"},      {1.7976931348623157e308, "1.7976931348623157e+308"},
                        {5e-324, "5e-324"},   {123456789.123, "123456789.123"}};
  for (const Case& c : cases) {
    EXPECT_EQ(Result(engine::VectorResult{{{}, 0, c.value, nullptr}}),
              R"([{"metric":{},"value":[0,")" + c.text + R"("]}])");
  }
}

std::shared_ptr<const Histogram> SampleHistogram() {
  Histogram h;
  h.schema = 0;
  h.count = 12.5;
  h.sum = 18.4;
  h.zero_threshold = 0.001;
  h.zero_count = 2;
  h.positive_spans = {{0, 2}, {1, 1}};
  h.positive_counts = {3, 0, 4};  // (0.5,1], (1,2] empty, (4,8]
  h.negative_spans = {{1, 1}};
  h.negative_counts = {1.5};  // [-2,-1)
  return std::make_shared<const Histogram>(h);
}

constexpr char kSampleHistogramJson[] =
    R"({"count":"12.5","sum":"18.4","buckets":[[1,"-2","-1","1.5"],[3,"-0.001","0.001","2"],)"
    R"([0,"0.5","1","3"],[0,"4","8","4"]]})";

TEST(ResultJsonTest, Histograms) {
  engine::MatrixSeries series;
  series.labels = LabelSet::Of({{"__name__", "h"}});
  series.samples.histograms = {{1000, SampleHistogram()}, {2000, SampleHistogram()}};
  const std::string json = kSampleHistogramJson;
  EXPECT_EQ(Result(engine::VectorResult{{series.labels, 1000, 0, SampleHistogram()}}),
            R"([{"metric":{"__name__":"h"},"histogram":[1,)" + json + "]}]");
  EXPECT_EQ(Result(engine::MatrixResult{series}),
            R"([{"metric":{"__name__":"h"},"histograms":[[1,)" + json + "],[2," + json + "]]}]");
}

TEST(ResultJsonTest, HistogramWithoutBuckets) {
  EXPECT_EQ(Result(engine::VectorResult{{{}, 1000, 0, std::make_shared<const Histogram>()}}),
            R"([{"metric":{},"histogram":[1,{"count":"0","sum":"0"}]}])");
}

TEST(ResultJsonTest, Matrix) {
  engine::MatrixSeries series;
  series.labels = LabelSet::Of({{"job", "x"}});
  series.samples.Append(1000, 1);
  series.samples.Append(1250, 2.5);
  series.samples.histograms = {{3000, std::make_shared<const Histogram>()}};
  EXPECT_EQ(Result(engine::MatrixResult{series}),
            R"([{"metric":{"job":"x"},"values":[[1,"1"],[1.250,"2.5"]],)"
            R"("histograms":[[3,{"count":"0","sum":"0"}]]}])");
}

}  // namespace
}  // namespace lockstep::api
