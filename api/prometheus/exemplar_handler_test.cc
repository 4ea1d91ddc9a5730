#include "api/prometheus/exemplar_handler.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::api {
namespace {

LabelSet RequestsOf(std::string_view service) {
  return LabelSet::Of({{"__name__", "requests_total"}, {"service", service}});
}

class ExemplarHandlerTest : public testing::Test {
 protected:
  ExemplarHandlerTest() {
    Add(RequestsOf("foo"), {LabelSet::Of({{"trace_id", "b"}}), 1e-7, 2000});
    Add(RequestsOf("bar"), {LabelSet::Of({{"trace_id", "a"}}), 6, 1600096945479});
    Add(RequestsOf("bar"), {{}, 19, 1600096955000});
  }

  void Add(const LabelSet& series, Exemplar exemplar) {
    EXPECT_EQ(store_.Add(series, std::move(exemplar)), ExemplarStore::Added::kYes);
  }

  Response Get(std::string_view parameters) {
    Request request;
    request.method = "GET";
    request.target = "/api/v1/query_exemplars?" + std::string(parameters);
    const QueryBudget budget(1, QueryBudget::Clock::time_point::max());
    return HandleQueryExemplars(
        {Form::Of(request)},
        [&](const ExemplarStore::Selections& selections, TimeRange range) {
          return store_.Select(selections, range);
        },
        promql::Dialect::kMetricsql, budget);
  }
  // Expects a successful response with `data`.
  void Check(std::string_view parameters, const std::string& data) {
    const Response response = Get(parameters);
    EXPECT_EQ(response.status, 200) << parameters;
    EXPECT_EQ(response.body, R"({"status":"success","data":)" + data + "}") << parameters;
  }

  ExemplarStore store_;
};

// The formats of values and times follow Prometheus' HTTP API documentation, "Querying exemplars".
constexpr std::string_view kBar =
    R"({"seriesLabels":{"__name__":"requests_total","service":"bar"},"exemplars":[)"
    R"({"labels":{"trace_id":"a"},"value":"6","timestamp":1600096945.479},)"
    R"({"labels":{},"value":"19","timestamp":1600096955}]})";
constexpr std::string_view kFoo =
    R"({"seriesLabels":{"__name__":"requests_total","service":"foo"},"exemplars":[)"
    R"({"labels":{"trace_id":"b"},"value":"1e-07","timestamp":2}]})";

TEST_F(ExemplarHandlerTest, AnswersThoseOfTheSelectedSeries) {
  const std::string bar(kBar), foo(kFoo);
  const std::string both = "[" + bar + "," + foo + "]";
  Check("query=requests_total", both);
  Check("query=sum(rate(requests_total[5m]))/1", both);
  Check(R"(query=requests_total{service="bar"})", "[" + bar + "]");
  Check(R"(query=x-up/ignoring(a)requests_total{service="foo"})", "[" + foo + "]");
  Check(R"(query=topk(2,requests_total{service!="bar"}))", "[" + foo + "]");
  Check("query=max_over_time((-(requests_total))[1h:1m])", both);
  Check("query=requests_total{service=~\"b.*\"}", "[" + bar + "]");
  Check("query=other", "[]");
}

TEST_F(ExemplarHandlerTest, TimesBoundThem) {
  Check("query=requests_total&start=1&end=3", "[" + std::string(kFoo) + "]");
  Check("query=requests_total&start=2&end=2", "[" + std::string(kFoo) + "]");
  Check("query=requests_total&start=2.001&end=3", "[]");
  EXPECT_EQ(Get("query=requests_total&start=3&end=2").status, 400);
}

}  // namespace
}  // namespace lockstep::api
