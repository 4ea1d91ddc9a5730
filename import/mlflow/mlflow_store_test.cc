#include "import/mlflow/mlflow_store.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"
#include "import/mlflow/mlflow_testing.h"

namespace lockstep::mlflow {
namespace {

// One "run key=value@time_ms/step" per line.
std::string MetricsOf(MlflowStore& store) {
  std::string text;
  const absl::Status read = store.ReadMetrics([&text](const MlflowMetric& metric) {
    absl::StrAppendFormat(&text, "%s %s=%.17g@%d/%d\n", metric.run_id, metric.key, metric.value,
                          metric.time_ms, metric.step);
    return absl::OkStatus();
  });
  return read.ok() ? text : std::string(Message(read));
}

void Check(const std::string& sql, const std::string& expected, MlflowCounts counts) {
  const std::string database = DatabaseOf(std::string(kSchema) + sql);
  const auto store = MlflowStore::OpenBytes(database);
  ASSERT_TRUE(store.ok()) << Message(store.status());
  EXPECT_EQ(MetricsOf(**store), expected);
  EXPECT_EQ((*store)->counts().metrics, counts.metrics);
  EXPECT_EQ((*store)->counts().of_deleted_runs, counts.of_deleted_runs);
  EXPECT_EQ((*store)->counts().without_run, counts.without_run);
  EXPECT_EQ((*store)->counts().malformed, counts.malformed);
}

TEST(MlflowStoreTest, MetricsInTheOrderInWhichTheyWereLogged) {
  Check(
      "INSERT INTO metrics VALUES ('z/loss', 0.1, 1795510546308, 'r1', 0, 0);"
      "INSERT INTO metrics VALUES ('a', 2, 1795510546300, 'r1', -1, 0);",
      "r1 z/loss=0.10000000000000001@1795510546308/0\nr1 a=2@1795510546300/-1\n", {2, 0, 0, 0});
}

TEST(MlflowStoreTest, NanAndInfinity) {
  Check(
      "INSERT INTO metrics VALUES ('a', 0, 1, 'r1', 0, 1);"
      "INSERT INTO metrics VALUES ('b', 1.7976931348623157e308, 1, 'r1', 0, 0);"
      "INSERT INTO metrics VALUES ('c', -1.7976931348623157e308, 1, 'r1', 0, 0);",
      "r1 a=nan@1/0\nr1 b=inf@1/0\nr1 c=-inf@1/0\n", {3, 0, 0, 0});
}

TEST(MlflowStoreTest, WhatIsLeftOut) {
  Check(
      "INSERT INTO runs VALUES ('r2', 'gone', 1000, 'deleted', 1);"
      "INSERT INTO metrics VALUES ('a', 1, 1, 'r2', 0, 0);"
      "INSERT INTO metrics VALUES ('a', 1, 1, 'r3', 0, 0);"
      "INSERT INTO metrics VALUES ('a', 'text', 1, 'r1', 0, 0);"
      "INSERT INTO metrics VALUES ('a', 1, 'text', 'r1', 0, 0);"
      "INSERT INTO metrics VALUES ('a', 1, 0, 'r1', 0, 0);"
      "INSERT INTO metrics VALUES ('a', 1, 9223372036854775807, 'r1', 0, 0);"
      "INSERT INTO metrics VALUES ('a', 1, 1, 'r1', 0.5, 0);"
      "INSERT INTO metrics VALUES ('', 1, 1, 'r1', 0, 0);",
      "", {0, 1, 1, 6});
}

TEST(MlflowStoreTest, WhoTheRunsAre) {
  const std::string database =
      DatabaseOf(std::string(kSchema) +
                 "INSERT INTO runs VALUES ('r2', NULL, NULL, 'active', 9);"
                 "INSERT INTO metrics VALUES ('a', 1, 1, 'r1', 0, 0);"
                 "INSERT INTO metrics VALUES ('a', 1, 2, 'r1', 0, 0);"
                 "INSERT INTO metrics VALUES ('a', 1, 1, 'r2', 0, 0);"
                 "INSERT INTO runs VALUES ('r3', NULL, NULL, 'deleted', 1);"
                 "INSERT INTO metrics VALUES ('a', 1, 1, 'r3', 0, 0);");
  const auto store = MlflowStore::OpenBytes(database);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(*(*store)->CountRuns(), 2u);
  std::string runs;
  EXPECT_TRUE((*store)
                  ->ReadMetrics([&runs](const MlflowMetric& metric) {
                    absl::StrAppendFormat(&runs, "%s|%s|%s|%d\n", metric.run_id, metric.run_name,
                                          metric.experiment, metric.run_start_ms);
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_EQ(runs, "r1|first|exp|1000\nr1|first|exp|1000\nr2|||0\n");
}

TEST(MlflowStoreTest, ATextThatIsTooLongIsAnError) {
  const std::string key(kMaxTextBytes + 1, 'k');
  const std::string database = DatabaseOf(std::string(kSchema) + "INSERT INTO metrics VALUES ('" +
                                          key + "', 1, 1, 'r1', 0, 0);");
  const auto store = MlflowStore::OpenBytes(database);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(MetricsOf(**store), "the database cannot be read: string or blob too big");
}

TEST(MlflowStoreTest, OtherDatabasesAreNotMlflows) {
  // A view could run forever.
  for (const std::string& sql :
       {std::string("CREATE TABLE a (b);"),
        std::string(
            "CREATE TABLE runs (a); CREATE TABLE experiments (a);"
            "CREATE VIEW metrics AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
            "FROM n) SELECT i FROM n;")}) {
    const auto store = MlflowStore::OpenBytes(DatabaseOf(sql));
    EXPECT_TRUE(absl::IsInvalidArgument(store.status())) << sql;
  }
}

TEST(MlflowStoreTest, DamagedDatabasesAreErrorsOrLoseRows) {
  std::string sql(kSchema);
  for (int i = 0; i < 200; ++i) {
    absl::StrAppendFormat(&sql, "INSERT INTO metrics VALUES ('a', %d, %d, 'r1', %d, 0);", i, i + 1,
                          i);
  }
  const std::string database = DatabaseOf(sql);
  for (size_t size = 0; size < database.size(); size += 509) {
    const auto store = MlflowStore::OpenBytes(std::string_view(database).substr(0, size));
    if (store.ok()) MetricsOf(**store);
  }
  for (size_t at = 0; at < database.size(); at += 31) {
    std::string damaged = database;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto store = MlflowStore::OpenBytes(damaged);
    if (store.ok()) MetricsOf(**store);
  }
}

TEST(MlflowStoreTest, FilesThatAreNoDatabase) {
  EXPECT_FALSE(MlflowStore::Open("/no/such/file.db").ok());
  EXPECT_FALSE(MlflowStore::OpenBytes("not a database").ok());
  EXPECT_TRUE(IsSqlite(DatabaseOf("CREATE TABLE a (b);")));
  EXPECT_FALSE(IsSqlite("SQLite format 3"));
}

}  // namespace
}  // namespace lockstep::mlflow
