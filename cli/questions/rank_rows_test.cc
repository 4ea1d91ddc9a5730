#include "cli/questions/rank_rows.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

simdjson::dom::element Parse(simdjson::dom::parser& parser, std::string_view json) {
  simdjson::dom::element element;
  EXPECT_EQ(parser.parse(json.data(), json.size()).get(element), simdjson::SUCCESS);
  return element;
}

std::vector<RankRow> RowsOf(std::string_view job, std::string_view stragglers,
                            const std::vector<std::string_view>& pictures) {
  simdjson::dom::parser parser;
  std::vector<RankRow> rows = RowsOfJob(Parse(parser, job));
  AddVerdicts(Parse(parser, stragglers), rows);
  for (const std::string_view picture : pictures) AddPicture(Parse(parser, picture), rows);
  return rows;
}

constexpr std::string_view kThree =
    R"({"ranks":[{"rank":0,"host":"a","gpu":"0"},{"rank":1,"host":"a","gpu":"1"},)"
    R"({"rank":2,"host":"b","gpu":"0"}]})";

TEST(RankRowsTest, PutsTheNamedRankFirstThenTheLongestOwnTime) {
  const Sheet sheet = SheetOfRanks(
      RowsOf(kThree, R"({"ranks":[{"rank":1,"verdict":"slow_rank","cause":"loader","score":0.1}]})",
             {R"({"metric":"step_seconds","ranks":[0,1,2],"mean":[[2,2],[2,2],[2,2]]})",
              R"({"metric":"own_seconds","ranks":[0,1,2],"mean":[[1,1],[1,null],[1.5,1.5]]})",
              R"({"metric":"DCGM_FI_PROF_SM_ACTIVE","ranks":[2,0],"mean":[[0.8],[null]]})"}));
  EXPECT_EQ(AsCsv(sheet),
            "rank,host,gpu,step_seconds,own_seconds,own_excess,verdict,cause,late,sm_active,"
            "tensor_active,power_watts,temperature_celsius,seconds_lately\n"
            "1,a,1,2,1,0,slow_rank,loader,0.1,,,,,1 NaN\n"
            "2,b,0,2,1.5,0.5,,,,0.8,,,,1.5 1.5\n"
            "0,a,0,2,1,0,,,,,,,,1 1\n");
}

TEST(RankRowsTest, TakesStepTimesWhereNoRankTellsItsOwn) {
  EXPECT_EQ(
      AsCsv(SheetOfRanks(RowsOf(R"({"ranks":[{"rank":0,"host":"","gpu":""}]})", R"({"ranks":[]})",
                                {R"({"metric":"step_seconds","ranks":[0],"mean":[[2,3]]})",
                                 R"({"metric":"own_seconds","ranks":[0],"mean":[[null,null]]})"}))),
      "rank,host,gpu,step_seconds,own_seconds,own_excess,verdict,cause,late,sm_active,"
      "tensor_active,power_watts,temperature_celsius,seconds_lately\n"
      "0,,,2.5,,,,,,,,,,2 3\n");
}

TEST(RankRowsTest, LeavesOutRanksThatTheJobHasNot) {
  const std::vector<RankRow> rows =
      RowsOf(kThree, R"({"ranks":[{"rank":9,"verdict":"slow_rank"}]})",
             {R"({"metric":"own_seconds","ranks":[9],"mean":[[1]]})"});
  for (const RankRow& row : rows) {
    EXPECT_TRUE(row.verdict.empty());
    EXPECT_TRUE(row.own_seconds.empty());
  }
}

}  // namespace
}  // namespace lockstep::cli
