// Imports the runs in MLflow's SQLite database into a server.
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "import/importers.h"
#include "import/logged_rows.h"
#include "import/mlflow/mlflow_store.h"
#include "ingest/logs/record/key_cache.h"

namespace lockstep::importer {
namespace {

using logs::MetricSource;
using mlflow::MlflowMetric;
using mlflow::MlflowStore;

// As for MLflow's files.
constexpr std::array kSources = {MetricSource::kMlflow, MetricSource::kGeneric,
                                 MetricSource::kLogged, MetricSource::kHuggingFace};

class MlflowImport {
 public:
  MlflowImport(const logs::LogHints& given, const ImportSession& session, ImportReport& report)
      : given_(given), session_(session), report_(report), rows_(session, report, 0) {}

  absl::Status Run(MlflowStore& store) {
    LOCKSTEP_RETURN_IF_ERROR(
        store.ReadMetrics([this](const MlflowMetric& metric) { return Take(metric); }));
    LOCKSTEP_RETURN_IF_ERROR(rows_.Deliver());
    Conclude(store.counts());
    return absl::OkStatus();
  }

 private:
  absl::Status Take(const MlflowMetric& metric) {
    logs::LogHints owner;
    owner.job = given_.job.empty() ? std::string(metric.experiment) : given_.job;
    owner.run = given_.run.empty() ? std::string(metric.run_id) : given_.run;
    owner.rank = given_.rank;
    owner.attempt = given_.attempt;
    const bool is_new = runs_.insert(std::string(metric.run_id)).second;
    if (is_new && metric.run_start_ms > 0) {
      rows_.AddInfo(owner, "mlflow_run_info", metric.run_start_ms,
                    {{"id", std::string(metric.run_id)},
                     {"name", std::string(metric.run_name)},
                     {"experiment", std::string(metric.experiment)}});
    }
    rows_.Begin({metric.step, metric.time_ms});
    rows_.Add(keys_, metric.key, metric.value);
    return rows_.End(owner);
  }

  void Conclude(const mlflow::MlflowCounts& counts) {
    report_.read_bytes = report_.file_bytes;
    report_.remarks.push_back(absl::StrFormat("%d runs", runs_.size()));
    if (counts.of_deleted_runs > 0) {
      report_.remarks.push_back(
          absl::StrFormat("%d values of deleted runs were left out", counts.of_deleted_runs));
    }
    LeaveOut(counts.without_run, "values of runs that are not in the database");
    LeaveOut(counts.malformed, "malformed values");
  }

  void LeaveOut(uint64_t count, std::string_view what) {
    if (count == 0) return;
    report_.left_out += count;
    session_.complain(report_, absl::StrFormat("%d %s", count, what));
  }

  const logs::LogHints& given_;
  const ImportSession& session_;
  ImportReport& report_;
  logs::KeyCache keys_{kSources};
  LoggedRows rows_;
  absl::flat_hash_set<std::string> runs_;  // by ID
};

}  // namespace

absl::Status ImportMlflow(const std::string& path, const logs::LogHints& given,
                          const ImportSession& session, ImportReport& report) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return absl::InvalidArgumentError("an MLflow database must be a regular file, not a stream");
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<MlflowStore> store, MlflowStore::Open(path));
  report.format = "mlflow";
  if (!given.run.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t count, store->CountRuns());
    if (count > 1) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "it contains %d runs, which --run would merge into one: omit --run", count));
    }
  }
  return MlflowImport(given, session, report).Run(*store);
}

}  // namespace lockstep::importer
