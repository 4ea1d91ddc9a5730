// MlflowStore: the metrics in an MLflow tracking store that is an SQLite database (mlflow.db),
// MLflow's default.
//
// The database is opened for reading and never changed. One that MLflow writes to meanwhile can be
// read. Not thread-safe.
//
// Source: mlflow/mlflow, mlflow/store/tracking/dbmodels/models.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lockstep::mlflow {

// Of a name in a database; MLflow's own limit is 250.
inline constexpr int kMaxTextBytes = 64 << 10;

// A value that was logged. Views live until the next one.
struct MlflowMetric {
  std::string_view run_id;
  std::string_view run_name;  // "": none
  std::string_view experiment;
  int64_t run_start_ms = 0;  // 0: not known
  std::string_view key;
  double value = 0;  // NaN and infinity, too
  int64_t time_ms = 0;
  int64_t step = 0;
};

struct MlflowCounts {
  uint64_t metrics = 0;          // that were given to the caller
  uint64_t of_deleted_runs = 0;  // left out: they are in MLflow's bin
  uint64_t without_run = 0;      // left out: their run is not in the database
  uint64_t malformed = 0;        // left out: a value, a time or a step is no number, or impossible
};

class MlflowStore {
 public:
  // kInvalidArgument: it is an SQLite database, but not MLflow's. Any other error: it cannot be
  // opened.
  static absl::StatusOr<std::unique_ptr<MlflowStore>> Open(const std::string& path);
  // As Open(), of a database in memory; `bytes` outlive the store.
  static absl::StatusOr<std::unique_ptr<MlflowStore>> OpenBytes(std::string_view bytes);
  ~MlflowStore();
  MlflowStore(const MlflowStore&) = delete;
  MlflowStore& operator=(const MlflowStore&) = delete;

  // Runs that have metrics and are not deleted.
  absl::StatusOr<uint64_t> CountRuns();

  // All metrics in the order in which they were logged. Fails as `take` does, or when the database
  // is damaged.
  absl::Status ReadMetrics(const std::function<absl::Status(const MlflowMetric&)>& take);

  const MlflowCounts& counts() const { return counts_; }

 private:
  explicit MlflowStore(sqlite3* db) : db_(db) {}
  absl::Status Prepare();
  absl::StatusOr<sqlite3_stmt*> Compile(std::string_view sql);
  absl::Status TakeRow(sqlite3_stmt* row,
                       const std::function<absl::Status(const MlflowMetric&)>& take);
  absl::Status Failure() const;

  sqlite3* const db_;
  MlflowCounts counts_;
};

// Whether a file that begins with `head` is an SQLite database.
bool IsSqlite(std::string_view head);

}  // namespace lockstep::mlflow
