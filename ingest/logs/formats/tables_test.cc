// Tables: CSV files, W&B's exports, and MLflow's metric files.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ingest/logs/log_parser_testing.h"
#include "ingest/logs/record/log_limits.h"

namespace lockstep::logs {
namespace {

std::string TableRecords(std::string_view format, std::string_view table) {
  const ParsedLog parsed = ParseLogAs(format, table);
  EXPECT_EQ(parsed.rejections, "") << table;
  return parsed.records;
}

TEST(CsvTableTest, ARowWithoutAStepIsAMeasurement) {
  EXPECT_EQ(TableRecords("csv", "time,loss\n1772442000,2\n"),
            "measurement time=1772442000000 train_loss=2\n");
  EXPECT_EQ(TableRecords("csv", "step,time,loss\n,1772442000,2\n"),
            "measurement time=1772442000000 train_loss=2\n");
}

TEST(CsvTableTest, DeepspeedCountsSamples) {
  EXPECT_EQ(TableRecords("deepspeed_csv", "step,train_loss\n,7.5\n-5,7.5\n64,7\n2e18,6.5\n"),
            "step train_loss=7.5\nstep samples=0 train_loss=7.5\nstep samples=64 train_loss=7\n"
            "step samples=1000000000000000000 train_loss=6.5\n");
}

TEST(CsvTableTest, AHeaderMayComeAgain) {
  EXPECT_EQ(TableRecords("csv", "loss,step,note\n2,1,step\nstep,lr\n3,0.5\n"),
            // A cell of the first row holds the name of a column, but not in the step's place.
            "step step=1 train_loss=2\nstep step=3 train_learning_rate=0.5\n");
}

TEST(CsvTableTest, BlanksAroundCells) {
  EXPECT_EQ(TableRecords("csv", " step , loss \n 1 , 2 \n"), "step step=1 train_loss=2\n");
}

TEST(CsvTableTest, TextsWithARoleIdentifyTheRow) {
  EXPECT_EQ(TableRecords("csv", "step,host,run,loss,x\n1,n3,r7,2,text\n2,,,inf,Infinity\n"),
            "step step=1 run=r7 node=n3 train_loss=2\nstep step=2 train_loss=+Inf x=+Inf\n");
}

TEST(CsvTableTest, EmptyLinesAreIgnored) {
  const ParsedLog parsed = ParseLogAs("csv", "step,loss\n\n \t\n1,2\n");
  EXPECT_EQ(parsed.records, "step step=1 train_loss=2\n");
  EXPECT_EQ(parsed.counts.ignored, 2u);
}

TEST(CsvTableTest, ARowNeedsAHeader) {
  EXPECT_EQ(ParseLogAs("csv", "1,2\nstep,loss\n1,2\n").rejections,
            "1 @0: a row before a header with a step or a time\n");
}

TEST(CsvTableTest, AColumnWithALongNameIsDropped) {
  const std::string name(kMaxKeyBytes + 1, 'n');
  const ParsedLog parsed = ParseLogAs("csv", "step," + name + "\n1,2\n2,text\n");
  EXPECT_EQ(parsed.rejections, "");
  EXPECT_EQ(parsed.records, "step step=1\nstep step=2\n");
  EXPECT_EQ(parsed.counts.records.dropped_values, 1u);
}

TEST(CsvTableTest, QuotedCellsMayHaveCommasAndQuotes) {
  EXPECT_EQ(TableRecords("csv", "step,\"a,b\",\"c \"\"d\"\"\",\"e\"x,f\n1,\"2\",3,\"4\",\"5\"\n"),
            "step step=1 a_b=2 c_d=3 e=4 f=5\n");
  // A quote that never ends.
  EXPECT_EQ(TableRecords("csv", "step,a\n1,\"2\n"), "step step=1 a=2\n");
  EXPECT_EQ(ParseLogAs("csv", "step,a\n1,\"2,3\n").records, "step step=1\n");
  EXPECT_EQ(TableRecords("csv", "step,a,b\n\"1\",\"\",\n"), "step step=1\n");
}

TEST(WandbExportTest, StepsAreWhole) {
  EXPECT_EQ(TableRecords("wandb_export", "Step,a - loss\n-5,1\n1e300,2\n2.5,3\n"),
            "step step=0 run=a train_loss=1\nstep step=9007199254740992 run=a train_loss=2\n"
            "step attempt=1 step=2 run=a train_loss=3\n");
}

TEST(WandbExportTest, ARunWithoutAValueIsLeftOut) {
  const ParsedLog parsed = ParseLogAs("wandb_export", "Step,a - loss,b - loss\n\n1,x,\n2,NaN,5\n");
  EXPECT_EQ(parsed.records,
            "event step=2 nan: loss\nstep step=2 run=a train_loss=NaN\n"
            "+step step=2 run=b train_loss=5\n");
  EXPECT_EQ(parsed.rejections, "");
  EXPECT_EQ(parsed.counts.ignored, 1u);  // the empty line
}

TEST(WandbExportTest, BoundsThatDifferAreKept) {
  EXPECT_EQ(TableRecords("wandb_export",
                         "Step,a - loss,a - loss__MIN,a - loss__MAX\n1,2,2,3\n2,2,1,2\n3,2,,\n"),
            "step step=1 run=a train_loss=2 loss_max=3\n"
            "step step=2 run=a train_loss=2 loss_min=1\nstep step=3 run=a train_loss=2\n");
  // Without the value before it, a bound is kept too.
  EXPECT_EQ(TableRecords("wandb_export", "Step,a - loss__MIN\n1,2\n"),
            "step step=1 run=a loss_min=2\n");
}

TEST(WandbExportTest, AHeaderMayComeAgain) {
  EXPECT_EQ(TableRecords("wandb_export", "Step,a - loss\n1,2\nStep,b - loss,b - lr\n2,3,0.5\n"),
            "step step=1 run=a train_loss=2\n"
            "step step=2 run=b train_loss=3 train_learning_rate=0.5\n");
}

TEST(WandbExportTest, AColumnWithALongNameIsDropped) {
  const std::string name(kMaxKeyBytes + 1, 'n');
  EXPECT_EQ(TableRecords("wandb_export", "Step,a - " + name + ",a - loss\n1,2,3\n"),
            "step step=1 run=a train_loss=3\n");
}

TEST(MlflowFileTest, WithoutAPathTheMetricIsAValue) {
  EXPECT_EQ(TableRecords("mlflow_file", "1772442000000 2.5 10\n1772442001000 -1e3 -11\n"),
            "step step=10 time=1772442000000 value=2.5\n"
            "step attempt=1 step=-11 time=1772442001000 value=-1000\n");
}

TEST(MlflowFileTest, DamagedLines) {
  for (const std::string_view line :
       {"x 2.5 10", "999999999999 2.5 10", "1772442000000", "1772442000000 x 10",
        "1772442000000 2.5", "1772442000000 2.5 x", "1772442000000 2.5 10 11"}) {
    EXPECT_EQ(ParseLogAs("mlflow_file", std::string(line) + "\n").rejections,
              "1 @0: not \"milliseconds value step\"\n")
        << line;
  }
  EXPECT_EQ(ParseLogAs("mlflow_file", " \n").counts.ignored, 1u);
}

}  // namespace
}  // namespace lockstep::logs
