// MlflowStore: reads the metrics of an MLflow tracking store in an SQLite database (mlflow.db),
// MLflow's default.
//
// Opens the database read-only. It may be in use by MLflow. Not thread-safe.
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

// The limit of a name in a database; MLflow's own limit is 250.
inline constexpr int kMaxTextBytes = 64 << 10;

// A logged value. Views are valid until the next one.
struct MlflowMetric {
  std::string_view run_id;
  std::string_view run_name;  // "": none
  std::string_view experiment;
  int64_t run_start_ms = 0;  // 0: unknown
  std::string_view key;
  double value = 0;  // including NaN and infinity
  int64_t time_ms = 0;
  int64_t step = 0;
};

struct MlflowCounts {
  uint64_t metrics = 0;          // passed to the caller
  uint64_t of_deleted_runs = 0;  // skipped: deleted in MLflow
  uint64_t without_run = 0;      // skipped: their run is not in the database
  uint64_t malformed = 0;        // skipped: an invalid value, time or step
};

class MlflowStore {
 public:
  // kInvalidArgument: an SQLite database, but not MLflow's. Any other error: it cannot be opened.
  static absl::StatusOr<std::unique_ptr<MlflowStore>> Open(const std::string& path);
  // Like Open(), for a database in memory; `bytes` must outlive the store.
  static absl::StatusOr<std::unique_ptr<MlflowStore>> OpenBytes(std::string_view bytes);
  ~MlflowStore();
  MlflowStore(const MlflowStore&) = delete;
  MlflowStore& operator=(const MlflowStore&) = delete;

  // The number of runs that have metrics and are not deleted.
  absl::StatusOr<uint64_t> CountRuns();

  // Reads all metrics in the order in which they were logged. Fails if `take` does, or if the
  // database is damaged.
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
