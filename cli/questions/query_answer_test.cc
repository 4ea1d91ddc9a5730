#include "cli/questions/query_answer.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"

namespace lockstep::cli {
namespace {

TEST(QueryAnswerTest, ShowsAnswersAsTables) {
  struct Row {
    std::string_view json;
    std::string_view text;
  };
  for (const Row& row : {
           Row{R"({"status":"success","data":{"resultType":"vector","result":[
                 {"metric":{"__name__":"up","job":"a"},"value":[1,"1"]},
                 {"metric":{"__name__":"up","gpu":"10"},"value":[1,"0.25"]}]}})",
               "__name__  gpu  job  value\n"
               "up             a        1\n"
               "up         10        0.25\n"},
           Row{R"({"status":"success","data":{"resultType":"matrix","result":[
                 {"metric":{"job":"a"},"values":[[1,"1"],[2.5,"2"]]}]}})",
               "job  time  value\n"
               "a       1      1\n"
               "a     2.5      2\n"},
           Row{R"({"status":"success","data":{"resultType":"vector","result":[]}})",
               "(no result)\n"},
           Row{R"({"status":"success","data":{"resultType":"scalar","result":[1,"2"]}})", "2\n"},
           Row{R"({"status":"success","data":{"resultType":"string","result":[1,"x \"y"]}})",
               "x \"y\n"},
       }) {
    const absl::StatusOr<std::string> text = AnswerText(row.json);
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_EQ(*text, row.text);
  }
}

TEST(QueryAnswerTest, ShowsErrorsInTheServersWords) {
  const absl::Status status =
      AnswerText(R"({"status":"error","errorType":"bad_data","error":"1:2: parse error"})")
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Message(status), "bad_data: 1:2: parse error");
}

TEST(QueryAnswerTest, SurvivesAnswersOfSomethingElse) {
  for (
      const std::string_view json :
      {"", "<html>", "{}", "[]", R"({"status":"success"})",
       R"({"status":"success","data":{"resultType":"vector","result":[1]}})",
       R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[]}]}})",
       R"({"status":"success","data":{"resultType":"scalar","result":3}})"}) {
    EXPECT_EQ(AnswerText(json).status().code(), absl::StatusCode::kDataLoss) << json;
  }
}

TEST(QueryAnswerTest, MakesCsv) {
  struct Row {
    std::string_view json;
    std::string_view csv;
  };
  for (const Row& row : {
           Row{R"({"status":"success","data":{"resultType":"matrix","result":[
                 {"metric":{"job":"a,b"},"values":[[1,"1"],[2.5,"NaN"]]}]}})",
               "job,time,value\n\"a,b\",1,1\n\"a,b\",2.5,NaN\n"},
           Row{R"({"status":"success","data":{"resultType":"vector","result":[]}})", "value\n"},
           Row{R"({"status":"success","data":{"resultType":"scalar","result":[1,"2"]}})",
               "value\n2\n"},
       }) {
    const absl::StatusOr<std::string> csv = AnswerCsv(row.json);
    ASSERT_TRUE(csv.ok()) << csv.status();
    EXPECT_EQ(*csv, row.csv);
  }
}

TEST(QueryAnswerTest, DrawsACurveOfEachSeriesWhereItsSamplesAre) {
  const absl::StatusOr<std::string> text = CurvesText(
      R"({"status":"success","data":{"resultType":"matrix","result":[
          {"metric":{"rank":"0"},"values":[[10,"0"],[11,"7"],[12,"3.5"],[13,"7"]]},
          {"metric":{"rank":"1"},"values":[[12,"0.25"],[13,"-1e3"]]}]}})",
      {10'000, 13'000, 1'000}, Glyphs::kAscii);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            "rank  lowest  highest  last  curve\n"
            "   0       0        7     7  _#=#\n"
            "   1   -1000     0.25  -1e3    #_\n");
}

std::string CurveOf(std::string_view values, const TimeGrid& grid) {
  const std::string json =
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":)" +
      std::string(values) + "}]}}";
  const absl::StatusOr<std::string> text = CurvesText(json, grid, Glyphs::kAscii);
  EXPECT_TRUE(text.ok()) << text.status();
  return *text;
}

TEST(QueryAnswerTest, ACurveHasThePlacesOfItsGrid) {
  // Before the first step, between two steps, and beyond the last one.
  EXPECT_EQ(CurveOf(R"([[9,"1"],[11.999,"2"],[14,"9"]])", {10'000, 13'000, 1'000}),
            "lowest  highest  last  curve\n     1        2     9  _#\n");
  // What is no number has a place but no height.
  EXPECT_EQ(CurveOf(R"([[10,"1"],[11,"?"],[12,"NaN"],[13,"2"]])", {10'000, 13'000, 1'000}),
            "lowest  highest  last  curve\n     1        2     2  _  #\n");
}

TEST(QueryAnswerTest, ACurveHasSixtyCharactersAtMost) {
  std::string values;
  for (int i = 0; i < 61; ++i) {
    absl::StrAppendFormat(&values, "%s[%d,\"%d\"]", i > 0 ? "," : "", i, i == 60 ? 1 : 0);
  }
  const auto curve = [&values](int64_t end_ms) {
    const std::string text = CurveOf("[" + values + "]", {0, end_ms, 1'000});
    // Without the end of the line.
    return text.size() - text.rfind(' ') - 2;
  };
  EXPECT_EQ(curve(59'000), 60u);
  EXPECT_EQ(curve(60'000), 60u);
  EXPECT_EQ(curve(49'000), 50u);
}

TEST(QueryAnswerTest, SeriesOfHistogramsAloneAreNotShown) {
  const absl::StatusOr<std::string> text = AnswerText(
      R"({"status":"success","data":{"resultType":"vector","result":[
          {"metric":{"job":"a"},"histogram":[1,{}]}]}})");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "(no result)\n");
  const absl::StatusOr<std::string> curves =
      CurvesText(R"({"status":"success","data":{"resultType":"matrix","result":[]}})", {0, 1, 1},
                 Glyphs::kAscii);
  EXPECT_EQ(*curves, "(no result)\n");
}

TEST(QueryAnswerTest, AStringIsOneCellOfCsv) {
  EXPECT_EQ(*AnswerCsv(R"({"status":"success","data":{"resultType":"string","result":[1,"a,b"]}})"),
            "value\n\"a,b\"\n");
}

}  // namespace
}  // namespace lockstep::cli
