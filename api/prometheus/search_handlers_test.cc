#include "api/prometheus/search_handlers.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/remote_write/remote_write.h"
#include "ingest/remote_write/remote_write_encoder.h"
#include "tenants/tenants.h"
#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

constexpr int64_t kSearchedAtMs = 10'000'000;

// Remembers the ranges of the selections.
class RangeStorage : public MemoryStorage {
 public:
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override {
    return std::make_unique<RangeQuerier>(*this, *MemoryStorage::NewQuerier());
  }

  mutable std::vector<TimeRange> ranges;

 private:
  class RangeQuerier : public Querier {
   public:
    RangeQuerier(const RangeStorage& storage, std::unique_ptr<Querier> querier)
        : storage_(storage), querier_(std::move(querier)) {}

    absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override {
      return querier_->Select(selection);
    }
    absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const override {
      storage_.ranges.push_back(selection.range);
      return querier_->LabelNames(selection);
    }
    absl::StatusOr<std::vector<std::string>> LabelValues(
        std::string_view name, const Selection& selection) const override {
      storage_.ranges.push_back(selection.range);
      return querier_->LabelValues(name, selection);
    }

   private:
    const RangeStorage& storage_;
    const std::unique_ptr<Querier> querier_;
  };
};

class SearchHandlersTest : public testing::Test {
 protected:
  using Handler = Response (*)(const Call&, const SearchContext&, QueryBudget&);

  SearchHandlersTest() {
    Add("http_requests_total", "api");
    Add("http_errors", "api");
    Add("node_load", "node");
  }

  void Add(std::string_view name, std::string_view job) {
    storage_.Append(LabelSet::Of({{"__name__", name}, {"job", job}}), kSearchedAtMs, 1);
  }

  Response Ask(Handler handler, const std::string& parameters) {
    QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
    return Ask(handler, parameters, budget);
  }
  Response Ask(Handler handler, const std::string& parameters, QueryBudget& budget) {
    Request request;
    request.method = "GET";
    request.target = "/api/v1/search/x?" + parameters;
    Call call{Form::Of(request)};
    call.data = std::make_shared<const tenants::DataView>(
        std::vector<std::shared_ptr<tenants::Tenant>>{*tenants_.ForWriting("")}, std::nullopt);
    return handler(call, {storage_, kSearchedAtMs}, budget);
  }
  std::string Metrics(const std::string& parameters) {
    return Ask(HandleSearchMetricNames, parameters).body;
  }

  RangeStorage storage_;
  tenants::Tenants tenants_{storage_, nullptr, {.engine = {.threads = 1}}};
};

// A batch of metric names, and the line at the end.
std::string Names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += absl::StrFormat(R"(%s{"name":"%s"})", text.empty() ? "" : ",", name);
  }
  return R"({"results":[)" + text + "]}\n";
}
std::string End(bool has_more) {
  return absl::StrFormat("{\"status\":\"success\",\"has_more\":%s}\n", has_more ? "true" : "false");
}

TEST_F(SearchHandlersTest, NamesComeInBatchesAndAreSorted) {
  const Response all = Ask(HandleSearchMetricNames, "");
  EXPECT_EQ(all.status, 200);
  EXPECT_EQ(all.content_type, "application/x-ndjson; charset=utf-8");
  EXPECT_EQ(all.body, Names({"http_errors", "http_requests_total", "node_load"}) + End(false));
  EXPECT_EQ(Metrics("batch_size=2"),
            Names({"http_errors", "http_requests_total"}) + Names({"node_load"}) + End(false));
  EXPECT_EQ(Metrics("batch_size=3"), all.body);
  EXPECT_EQ(Metrics("search[]=nothing"), Names({}) + End(false));
}

TEST_F(SearchHandlersTest, ALimitLeavesOutTheLastNames) {
  EXPECT_EQ(Metrics("limit=2"), Names({"http_errors", "http_requests_total"}) + End(true));
  EXPECT_EQ(Metrics("limit=3"),
            Names({"http_errors", "http_requests_total", "node_load"}) + End(false));
  EXPECT_EQ(Metrics("limit=2&sort_by=alpha&sort_dir=dsc"),
            Names({"node_load", "http_requests_total"}) + End(true));
}

TEST_F(SearchHandlersTest, AHundredNamesAreUsual) {
  storage_.Clear();
  std::vector<std::string> names;
  for (int i = 0; i < 101; ++i) {
    names.push_back(absl::StrFormat("m%03d", i));
    Add(names.back(), "j");
  }
  std::vector<std::string> hundred(names.begin(), names.end() - 1);
  EXPECT_EQ(Metrics(""), Names(hundred) + End(true));
  EXPECT_EQ(Metrics("limit=101"), Names(hundred) + Names({names.back()}) + End(false));
}

TEST_F(SearchHandlersTest, TheOrderIsAsAskedFor) {
  const std::string ascending =
      Names({"http_errors", "http_requests_total", "node_load"}) + End(false);
  EXPECT_EQ(Metrics("sort_by=alpha"), ascending);
  EXPECT_EQ(Metrics("sort_by=alpha&sort_dir=asc"), ascending);
  EXPECT_EQ(Metrics("sort_by=alpha&sort_dir=dsc"),
            Names({"node_load", "http_requests_total", "http_errors"}) + End(false));
}

// What begins with the term scores 1, and names with the same score are sorted by name.
TEST_F(SearchHandlersTest, TheBestNamesComeFirst) {
  storage_.Clear();
  for (const char* name : {"a_load", "b_load", "load_z", "load_y"}) Add(name, "j");
  EXPECT_EQ(Metrics("search[]=load&sort_by=score"),
            Names({"load_y", "load_z", "a_load", "b_load"}) + End(false));
  EXPECT_EQ(Metrics("search[]=load&sort_by=score&limit=3"),
            Names({"load_y", "load_z", "a_load"}) + End(true));
  EXPECT_EQ(Metrics("search[]=load&limit=1"), Names({"a_load"}) + End(true));
}

TEST_F(SearchHandlersTest, ScoresAreShownOnRequest) {
  EXPECT_EQ(Metrics("search[]=node&include_score=true"),
            R"({"results":[{"name":"node_load","score":1}]})"
            "\n" +
                End(false));
  EXPECT_EQ(Metrics("search[]=node&include_score=false"), Names({"node_load"}) + End(false));
  EXPECT_EQ(Ask(HandleSearchLabelNames, "search[]=jo&include_score=1").body,
            R"({"results":[{"name":"job","score":1}]})"
            "\n" +
                End(false));
}

TEST_F(SearchHandlersTest, TermsSayWhichNames) {
  EXPECT_EQ(Metrics("search[]=node&search[]=http_er"),
            Names({"http_errors", "node_load"}) + End(false));
  EXPECT_EQ(Metrics("search[]=NODE"), Names({}) + End(false));
  EXPECT_EQ(Metrics("search[]=NODE&case_sensitive=true"), Names({}) + End(false));
  EXPECT_EQ(Metrics("search[]=NODE&case_sensitive=false"), Names({"node_load"}) + End(false));
  // The letters of "hrt" occur in that order, but not side by side.
  EXPECT_EQ(Metrics("search[]=hrt"), Names({"http_requests_total"}) + End(false));
  EXPECT_EQ(Metrics("search[]=hrt&fuzz_alg=subsequence"),
            Names({"http_requests_total"}) + End(false));
  EXPECT_EQ(Metrics("search[]=hrt&fuzz_alg=jarowinkler"), Names({}) + End(false));
  EXPECT_EQ(Metrics("search[]=hrt&fuzz_threshold=0"), Names({"http_requests_total"}) + End(false));
  EXPECT_EQ(Metrics("search[]=hrt&fuzz_threshold=100"), Names({}) + End(false));
  EXPECT_EQ(Metrics("search[]=http&fuzz_threshold=100"),
            Names({"http_errors", "http_requests_total"}) + End(false));
  // "load" is one run behind five of nine characters: (16 - 5/9) / 16 * 0.999 is 0.964.
  EXPECT_EQ(Metrics("search[]=load&fuzz_threshold=96"), Names({"node_load"}) + End(false));
  EXPECT_EQ(Metrics("search[]=load&fuzz_threshold=97"), Names({}) + End(false));
}

TEST_F(SearchHandlersTest, SelectorsAddUp) {
  EXPECT_EQ(Metrics("match[]={job=\"node\"}"), Names({"node_load"}) + End(false));
  EXPECT_EQ(Metrics("match[]={job=\"node\"}&match[]=http_errors&match[]={job=~\"n.*\"}"),
            Names({"http_errors", "node_load"}) + End(false));
}

TEST_F(SearchHandlersTest, LabelsAndTheirValuesAreFound) {
  EXPECT_EQ(Ask(HandleSearchLabelNames, "").body, Names({"__name__", "job"}) + End(false));
  EXPECT_EQ(Ask(HandleSearchLabelNames, "search[]=j").body, Names({"job"}) + End(false));
  EXPECT_EQ(Ask(HandleSearchLabelValues, "label=job").body,
            R"({"results":[{"value":"api"},{"value":"node"}]})"
            "\n" +
                End(false));
  EXPECT_EQ(Ask(HandleSearchLabelValues, "label=job&search[]=n&include_score=true").body,
            R"({"results":[{"value":"node","score":1}]})"
            "\n" +
                End(false));
}

TEST_F(SearchHandlersTest, TheLastHourIsSearchedUnlessTimesAreGiven) {
  const auto range = [this](Handler handler, const std::string& parameters) {
    storage_.ranges.clear();
    EXPECT_EQ(Ask(handler, parameters).status, 200);
    EXPECT_EQ(storage_.ranges.size(), 1u);
    return absl::StrFormat("%d-%d", storage_.ranges[0].min_ms, storage_.ranges[0].max_ms);
  };
  EXPECT_EQ(range(HandleSearchMetricNames, ""), "6400000-10000000");
  EXPECT_EQ(range(HandleSearchMetricNames, "start=5"), "5000-10000000");
  EXPECT_EQ(range(HandleSearchLabelNames, "start=5&end=6"), "5000-6000");
  EXPECT_EQ(range(HandleSearchLabelNames, "start=6&end=6"), "6000-6000");
  EXPECT_EQ(range(HandleSearchLabelValues, "label=job&end=7000"), "6400000-7000000");
}

TEST_F(SearchHandlersTest, MetadataComeWithTheNamesOnRequest) {
  WriteRequest written;
  written.series.push_back({LabelSet::Of({{"__name__", "node_load"}}), {{1, 1}}, {}});
  const std::string body = EncodeRemoteWrite(
      written,
      {{"node_load", {"gauge", "How busy.", "seconds"}}, {"http_errors", {"counter", "", ""}}});
  std::optional<bool> is_written;
  tenants_.Default().ingester.Write(
      ClientId(), BodyEncoding::kIdentity, body, DecodeRemoteWrite,
      [&](const absl::StatusOr<WriteSummary>& summary) { is_written = summary.ok(); });
  ASSERT_EQ(is_written, true);
  EXPECT_EQ(Metrics("include_metadata=true"),
            R"({"results":[{"name":"http_errors","type":"counter"},{"name":"http_requests_total"},)"
            R"({"name":"node_load","type":"gauge","help":"How busy.","unit":"seconds"}]})"
            "\n" +
                End(false));
  EXPECT_EQ(Metrics("include_metadata=false&search[]=node"), Names({"node_load"}) + End(false));
}

// The texts are those of web/api/v1 of Prometheus 3.14.
TEST_F(SearchHandlersTest, WrongParametersAreNamed) {
  const auto check = [this](const std::string& parameters, const std::string& error) {
    const Response response = Ask(HandleSearchMetricNames, parameters);
    EXPECT_EQ(response.status, 400) << parameters;
    EXPECT_EQ(response.body,
              R"({"status":"error","errorType":"bad_data","error":")" + error + "\"}")
        << parameters;
  };
  check("start=x", R"(invalid time value for 'start': cannot parse \"x\" to a valid timestamp)");
  check("end=x", R"(invalid time value for 'end': cannot parse \"x\" to a valid timestamp)");
  check("start=2&end=1", "end timestamp must not be before start timestamp");
  check("match[]={}", "match[] must contain at least one non-empty matcher");
  check("fuzz_threshold=-1", R"(invalid fuzz_threshold \"-1\": must be 0-100)");
  check("fuzz_threshold=101", R"(invalid fuzz_threshold \"101\": must be 0-100)");
  check("fuzz_threshold=x", R"(invalid fuzz_threshold \"x\": must be 0-100)");
  check("fuzz_alg=soundex",
        R"(unsupported fuzz_alg \"soundex\": must be one of [subsequence jarowinkler])");
  check("case_sensitive=x", R"(invalid case_sensitive \"x\": must be boolean)");
  check("include_score=x", R"(invalid include_score \"x\": must be boolean)");
  check("include_metadata=x", R"(invalid include_metadata \"x\": must be boolean)");
  check("sort_dir=asc", "sort_dir is only valid when sort_by is set");
  check("sort_by=score&sort_dir=asc&search[]=a", "sort_dir is not supported for sort_by=score");
  check("sort_by=alpha&sort_dir=up", R"(invalid sort_dir \"up\": must be \"asc\" or \"dsc\")");
  check("sort_by=score", "sort_by=score requires search[] to be set");
  check("sort_by=age",
        R"(invalid sort_by \"age\" for metric_names: must be \"alpha\" or \"score\")");
  check("limit=0", R"(invalid limit \"0\": must be a positive integer)");
  check("limit=x", R"(invalid limit \"x\": must be a positive integer)");
  check("limit=10001", "limit 10001 exceeds the maximum (10000)");
  check("batch_size=0", R"(invalid batch_size \"0\": must be a positive integer)");
  EXPECT_EQ(Ask(HandleSearchMetricNames, "limit=10000&batch_size=1").status, 200);
  EXPECT_EQ(Ask(HandleSearchLabelNames, "sort_by=age").body,
            R"({"status":"error","errorType":"bad_data","error":"invalid sort_by \"age\" for )"
            R"(label_names: must be \"alpha\" or \"score\""})");
  EXPECT_EQ(Ask(HandleSearchLabelValues, "label=job&sort_by=age").body,
            R"({"status":"error","errorType":"bad_data","error":"invalid sort_by \"age\" for )"
            R"(label_values: must be \"alpha\" or \"score\""})");
  EXPECT_EQ(Ask(HandleSearchLabelValues, "").body,
            R"({"status":"error","errorType":"bad_data","error":)"
            R"("missing required parameter \"label\""})");
}

TEST_F(SearchHandlersTest, ASearchHasSoManyTerms) {
  std::string terms = "search[]=http_errors";
  for (int i = 1; i < 32; ++i) terms += "&search[]=x";
  EXPECT_EQ(Metrics(terms), Names({"http_errors"}) + End(false));
  EXPECT_EQ(Metrics(terms + "&search[]=x"), R"({"status":"error","errorType":"bad_data","error":)"
                                            R"("too many search[] terms: got 33, maximum is 32"})");
}

TEST_F(SearchHandlersTest, AStoppedSearchFails) {
  for (const Handler handler : {HandleSearchMetricNames, HandleSearchLabelNames}) {
    QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
    budget.Cancel();
    EXPECT_EQ(Ask(handler, "", budget).status, 499);
  }
  QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
  budget.Cancel();
  EXPECT_EQ(Ask(HandleSearchLabelValues, "label=job", budget).status, 499);
}

// Each batch is taken from the memory of queries.
TEST_F(SearchHandlersTest, AnswersAreTakenFromTheBudget) {
  storage_.Clear();
  for (char c = 'a'; c <= 'z'; ++c) Add("m", std::string(1'000'000, c));
  MemoryBudget memory(uint64_t{8} << 20);
  const auto status = [&](const std::string& parameters) {
    QueryBudget budget(1000, QueryBudget::Clock::time_point::max(), memory);
    return Ask(HandleSearchLabelValues, "label=job&" + parameters, budget).status;
  };
  EXPECT_EQ(status("limit=1"), 200);
  EXPECT_EQ(status("batch_size=1"), 422);
}

}  // namespace
}  // namespace lockstep::api
