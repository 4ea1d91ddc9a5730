// For tests: databases as MLflow makes them.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <string_view>

namespace lockstep::mlflow {

// The parts of MLflow's tables that are read, with one run of one experiment.
inline constexpr std::string_view kSchema =
    "CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name VARCHAR(256));"
    "CREATE TABLE runs (run_uuid VARCHAR(32) PRIMARY KEY, name VARCHAR(250), start_time BIGINT,"
    " lifecycle_stage VARCHAR(20), experiment_id INTEGER);"
    "CREATE TABLE metrics (key VARCHAR(250) NOT NULL, value FLOAT NOT NULL,"
    " timestamp BIGINT NOT NULL, run_uuid VARCHAR(32) NOT NULL, step BIGINT NOT NULL,"
    " is_nan BOOLEAN NOT NULL, PRIMARY KEY (key, timestamp, step, run_uuid, value, is_nan));"
    "INSERT INTO experiments VALUES (1, 'exp');"
    "INSERT INTO runs VALUES ('r1', 'first', 1000, 'active', 1);";

// The file content of the database that the statements create.
inline std::string DatabaseOf(const std::string& sql) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(db, "main", &size, 0);
  std::string database(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(db);
  return database;
}

}  // namespace lockstep::mlflow
