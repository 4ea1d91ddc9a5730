#include "import/mlflow/mlflow_store.h"

#include <sqlite3.h>

#include <cfloat>
#include <limits>

#include "absl/strings/str_format.h"

namespace lockstep::mlflow {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr int kBusyTimeoutMs = 5000;
// Times beyond the year 5000 are invalid.
constexpr int64_t kLatestMs = 100'000'000'000'000;

// Row IDs give the order of arrival; MLflow never updates a row.
constexpr std::string_view kMetricsSql =
    "SELECT m.key, m.value, m.timestamp, m.step, m.is_nan, m.run_uuid, r.name, r.start_time, "
    "r.lifecycle_stage, e.name FROM metrics m LEFT JOIN runs r ON r.run_uuid = m.run_uuid "
    "LEFT JOIN experiments e ON e.experiment_id = r.experiment_id ORDER BY m.rowid";
enum Column : int {
  kKey,
  kValue,
  kTimestamp,
  kStep,
  kIsNan,
  kRunId,
  kRunName,
  kRunStart,
  kStage,
  kExperiment
};

// Finalizes the statement on destruction.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  sqlite3_stmt* get() const { return statement_; }

 private:
  sqlite3_stmt* const statement_;
};

std::string_view TextOf(sqlite3_stmt* row, int column) {
  const unsigned char* const text = sqlite3_column_text(row, column);
  if (text == nullptr) return "";
  return {reinterpret_cast<const char*>(text),
          static_cast<size_t>(sqlite3_column_bytes(row, column))};
}

bool IsWhole(sqlite3_stmt* row, int column) {
  return sqlite3_column_type(row, column) == SQLITE_INTEGER;
}

// MLflow stores NaN as a flag, and infinity as the largest number.
double ValueOf(sqlite3_stmt* row) {
  if (sqlite3_column_int(row, kIsNan) != 0) return std::numeric_limits<double>::quiet_NaN();
  const double value = sqlite3_column_double(row, kValue);
  if (value == DBL_MAX) return std::numeric_limits<double>::infinity();
  if (value == -DBL_MAX) return -std::numeric_limits<double>::infinity();
  return value;
}

bool IsSound(sqlite3_stmt* row) {
  const int type = sqlite3_column_type(row, kValue);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return false;
  if (!IsWhole(row, kTimestamp) || !IsWhole(row, kStep)) return false;
  const int64_t time_ms = sqlite3_column_int64(row, kTimestamp);
  return time_ms > 0 && time_ms <= kLatestMs && sqlite3_column_bytes(row, kKey) > 0;
}

}  // namespace

bool IsSqlite(std::string_view head) { return head.starts_with(kMagic); }

absl::StatusOr<std::unique_ptr<MlflowStore>> MlflowStore::Open(const std::string& path) {
  sqlite3* db = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr);
  std::unique_ptr<MlflowStore> store(new MlflowStore(db));
  if (opened != SQLITE_OK) return store->Failure();
  LOCKSTEP_RETURN_IF_ERROR(store->Prepare());
  return store;
}

absl::StatusOr<std::unique_ptr<MlflowStore>> MlflowStore::OpenBytes(std::string_view bytes) {
  sqlite3* db = nullptr;
  const int opened = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, nullptr);
  std::unique_ptr<MlflowStore> store(new MlflowStore(db));
  if (opened != SQLITE_OK) return store->Failure();
  // Read-only: SQLite does not write through this pointer.
  auto* const data =
      const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  if (sqlite3_deserialize(db, "main", data, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return store->Failure();
  }
  LOCKSTEP_RETURN_IF_ERROR(store->Prepare());
  return store;
}

MlflowStore::~MlflowStore() { sqlite3_close(db_); }

absl::Status MlflowStore::Prepare() {
  sqlite3_extended_result_codes(db_, 1);
  sqlite3_busy_timeout(db_, kBusyTimeoutMs);
  // The file is untrusted: its schema must not run code, and texts must not be large.
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, kMaxTextBytes);
  LOCKSTEP_ASSIGN_OR_RETURN(sqlite3_stmt* const compiled,
                            Compile("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND "
                                    "name IN ('metrics', 'runs', 'experiments')"));
  const Statement tables(compiled);
  if (sqlite3_step(tables.get()) != SQLITE_ROW) return Failure();
  if (sqlite3_column_int(tables.get(), 0) == 3) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "it is an SQLite database without the tables of MLflow (metrics, runs, experiments)");
}

absl::StatusOr<sqlite3_stmt*> MlflowStore::Compile(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int compiled =
      sqlite3_prepare_v2(db_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (compiled != SQLITE_OK) return Failure();
  return statement;
}

absl::Status MlflowStore::Failure() const {
  if (db_ == nullptr) return absl::ResourceExhaustedError("there is not enough memory to open it");
  const int code = sqlite3_extended_errcode(db_);
  if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY) {
    return absl::DataLossError(
        "its last write is incomplete and must be rolled back: open it once with "
        "MLflow or sqlite3");
  }
  return absl::DataLossError(
      absl::StrFormat("the database cannot be read: %s", sqlite3_errmsg(db_)));
}

absl::StatusOr<uint64_t> MlflowStore::CountRuns() {
  LOCKSTEP_ASSIGN_OR_RETURN(
      sqlite3_stmt* const compiled,
      Compile("SELECT count(DISTINCT m.run_uuid) FROM metrics m JOIN runs r "
              "ON r.run_uuid = m.run_uuid WHERE r.lifecycle_stage = 'active'"));
  const Statement count(compiled);
  if (sqlite3_step(count.get()) != SQLITE_ROW) return Failure();
  return static_cast<uint64_t>(sqlite3_column_int64(count.get(), 0));
}

absl::Status MlflowStore::ReadMetrics(
    const std::function<absl::Status(const MlflowMetric&)>& take) {
  LOCKSTEP_ASSIGN_OR_RETURN(sqlite3_stmt* const compiled, Compile(kMetricsSql));
  const Statement rows(compiled);
  int stepped = sqlite3_step(rows.get());
  for (; stepped == SQLITE_ROW; stepped = sqlite3_step(rows.get())) {
    LOCKSTEP_RETURN_IF_ERROR(TakeRow(rows.get(), take));
  }
  return stepped == SQLITE_DONE ? absl::OkStatus() : Failure();
}

absl::Status MlflowStore::TakeRow(sqlite3_stmt* row,
                                  const std::function<absl::Status(const MlflowMetric&)>& take) {
  uint64_t* left_out = nullptr;
  if (!IsSound(row)) {
    left_out = &counts_.malformed;
  } else if (sqlite3_column_type(row, kStage) == SQLITE_NULL) {
    left_out = &counts_.without_run;
  } else if (TextOf(row, kStage) != "active") {
    left_out = &counts_.of_deleted_runs;
  }
  if (left_out != nullptr) {
    ++*left_out;
    return absl::OkStatus();
  }
  ++counts_.metrics;
  MlflowMetric metric;
  metric.run_id = TextOf(row, kRunId);
  metric.run_name = TextOf(row, kRunName);
  metric.experiment = TextOf(row, kExperiment);
  metric.run_start_ms = sqlite3_column_int64(row, kRunStart);
  if (metric.run_start_ms < 0 || metric.run_start_ms > kLatestMs) metric.run_start_ms = 0;
  metric.key = TextOf(row, kKey);
  metric.value = ValueOf(row);
  metric.time_ms = sqlite3_column_int64(row, kTimestamp);
  metric.step = sqlite3_column_int64(row, kStep);
  return take(metric);
}

}  // namespace lockstep::mlflow
