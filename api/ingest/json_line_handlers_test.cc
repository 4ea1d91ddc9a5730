#include "api/ingest/json_line_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;

constexpr int64_t kImportTimeMs = 9000;

// The samples of a store, with the exact bits of their values.
std::map<std::string, std::vector<std::pair<int64_t, uint64_t>>> BitsOf(const Storage& storage) {
  std::map<std::string, std::vector<std::pair<int64_t, uint64_t>>> all;
  const auto querier = *storage.NewQuerier();
  const auto series = *querier->Select({.matchers = {}, .range = kAllTimes});
  while (series->Next()) {
    SampleColumns columns;
    EXPECT_TRUE(series->Read(columns).ok());
    auto& samples = all[series->labels().ToString()];
    for (size_t i = 0; i < columns.values.size(); ++i) {
      samples.emplace_back(columns.timestamps_ms[i], std::bit_cast<uint64_t>(columns.values[i]));
    }
  }
  return all;
}

class JsonLineHandlersTest : public testing::Test {
 protected:
  Response Post(std::string target, std::string body, std::vector<Header> headers = {}) {
    Request request;
    request.method = "POST";
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = std::move(headers);
    std::optional<Response> response;
    const auto respond = [&](Response r) { response = std::move(r); };
    if (request.path() == "/api/v1/import") {
      HandleJsonLineImport(request, ingester_, respond);
    } else {
      HandleTextImport(request, ingester_, kImportTimeMs, respond);
    }
    EXPECT_TRUE(response.has_value());
    return std::move(response).value_or(Response{});
  }

  // The complete body; `part_count_` holds the number of its parts.
  std::pair<int, std::string> Export(const std::string& parameters) {
    Request request;
    request.method = "GET";
    request.target = "/api/v1/export?" + parameters;
    QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
    engine::QueryProgress progress;
    const Call call{Form::Of(request)};
    Response response = HandleJsonLineExport(call, storage_, {progress, budget, nullptr});
    part_count_ = 1;
    while (response.rest != nullptr) {
      const auto more = response.rest->Next(response.body);
      ++part_count_;
      EXPECT_TRUE(more.ok());
      if (!more.ok() || !*more) break;
    }
    return {response.status, response.body};
  }

  MemoryStorage storage_;
  Ingester ingester_{storage_, IngestLimits{}};
  int part_count_ = 0;
};

TEST_F(JsonLineHandlersTest, WhatIsExportedIsImportedToTheBit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double values[] = {0.0,
                           -0.0,
                           0.1,
                           -1.5,
                           5e-324,
                           std::numeric_limits<double>::max(),
                           1e15,
                           1e21,
                           123456789012345680000.0,
                           9007199254740993.0,
                           1e-7,
                           kInfinity,
                           -kInfinity,
                           std::bit_cast<double>(0x7ff8000000000001),
                           StaleNan(),
                           1.0 / 3};
  const LabelSet labels =
      LabelSet::Of({{"__name__", "odd name"}, {"a.b", "q\"\\\n\t\x01 \u00e4"}, {"job", "x"}});
  int64_t time_ms = -3;
  for (const double value : values) storage_.Append(labels, time_ms++, value);
  storage_.Append(LabelSet::Of({{"__name__", "up"}}), 1'700'000'000'000, 1);
  const auto before = BitsOf(storage_);
  const auto [status, lines] = Export("match[]={__name__!=\"\"}");
  EXPECT_EQ(status, 200);
  storage_.Clear();
  EXPECT_EQ(Post("/api/v1/import", lines).status, 204);
  EXPECT_EQ(BitsOf(storage_), before);
}

TEST_F(JsonLineHandlersTest, LinesAreThoseOfVictoriaMetrics) {
  const LabelSet labels = LabelSet::Of({{"__name__", "up"}, {"job", "x"}});
  storage_.Append(labels, 1000, 1);
  storage_.Append(labels, 2000, std::numeric_limits<double>::infinity());
  storage_.Append(labels, 3000, StaleNan());
  EXPECT_EQ(Export("match[]=up").second,
            R"({"metric":{"__name__":"up","job":"x"},"values":[1,"Infinity",null],)"
            R"("timestamps":[1000,2000,3000]})"
            "\n");
  EXPECT_EQ(Export("match[]=up&start=2&end=2").second,
            R"({"metric":{"__name__":"up","job":"x"},"values":["Infinity"],"timestamps":[2000]})"
            "\n");
  EXPECT_EQ(Export("match[]=up&start=1&end=2&max_rows_per_line=1").second,
            R"({"metric":{"__name__":"up","job":"x"},"values":[1],"timestamps":[1000]})"
            "\n"
            R"({"metric":{"__name__":"up","job":"x"},"values":["Infinity"],"timestamps":[2000]})"
            "\n");
}

TEST_F(JsonLineHandlersTest, SeriesOfSeveralSelectorsComeOnce) {
  storage_.Append(LabelSet::Of({{"__name__", "up"}, {"job", "x"}}), 1, 1);
  storage_.Append(LabelSet::Of({{"__name__", "up"}, {"job", "y"}}), 1, 1);
  const std::string lines = Export("match[]=up{job=\"x\"}&match[]=up&match[]={job=\"y\"}").second;
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
}

TEST_F(JsonLineHandlersTest, LongExportsComeInParts) {
  for (int64_t i = 0; i < 100'000; ++i) storage_.Append(LabelSet::Of({{"__name__", "m"}}), i, 0.1);
  const auto before = BitsOf(storage_);
  const std::string lines = Export("match[]=m").second;
  EXPECT_GT(part_count_, 2);
  storage_.Clear();
  EXPECT_EQ(Post("/api/v1/import", lines).status, 204);
  EXPECT_EQ(BitsOf(storage_), before);
}

TEST_F(JsonLineHandlersTest, NativeHistogramsAreLeftOut) {
  storage_.Append(LabelSet::Of({{"__name__", "h"}}), 1, std::make_shared<const Histogram>());
  EXPECT_EQ(Export("match[]=h"), std::make_pair(200, std::string()));
}

TEST_F(JsonLineHandlersTest, ExportsWithoutASelectorAreRefused) {
  EXPECT_EQ(Export("").first, 400);
  EXPECT_EQ(Export("match[]={").first, 400);
  EXPECT_EQ(Export("match[]=up&start=x").first, 400);
  EXPECT_EQ(Export("match[]=up&max_rows_per_line=x").first, 400);
}

TEST_F(JsonLineHandlersTest, GoodLinesOfABadBodyAreStored) {
  const Response response =
      Post("/api/v1/import?extra_label=site=a",
           "{\"metric\":{\"__name__\":\"up\"},\"values\":[1],\"timestamps\":[1]}\nx\n");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("line 2: it is not a JSON object"));
  EXPECT_EQ(BitsOf(storage_).count("up{site=\"a\"}"), 1u);
  EXPECT_EQ(Post("/api/v1/import?extra_label=site", "").status, 400);
  EXPECT_EQ(Post("/api/v1/import", "", {{"Content-Encoding", "br"}}).status, 415);
}

TEST_F(JsonLineHandlersTest, TextOfPrometheus) {
  EXPECT_EQ(
      Post("/api/v1/import/prometheus?extra_label=job=x", "a 1\nb{job=\"y\"} 2 7000\n").status,
      204);
  EXPECT_EQ(Post("/api/v1/import/prometheus?timestamp=1234", "c 3").status, 204);
  EXPECT_EQ(Post("/api/v1/import/prometheus", "d 4 5\n# EOF\n",
                 {{"Content-Type", "application/openmetrics-text"}})
                .status,
            204);
  const auto all = BitsOf(storage_);
  EXPECT_EQ(all.at("a{job=\"x\"}")[0].first, kImportTimeMs);
  EXPECT_EQ(all.at("b{job=\"x\"}")[0].first, 7000);
  EXPECT_EQ(all.at("c")[0].first, 1234);
  EXPECT_EQ(all.at("d")[0].first, 5000);
  EXPECT_EQ(Post("/api/v1/import/prometheus?timestamp=x", "c 3").status, 400);
  const Response partial = Post("/api/v1/import/prometheus", "good 1\nbad\n");
  EXPECT_EQ(partial.status, 400);
  EXPECT_THAT(partial.body, HasSubstr("line 2: "));
}

}  // namespace
}  // namespace lockstep::api
