// Imports a run that W&B logged to disk into a server.
#include <array>
#include <limits>
#include <string>

#include "absl/strings/str_format.h"
#include "import/importers.h"
#include "import/logged_rows.h"
#include "import/wandb/wandb_reader.h"
#include "ingest/logs/record/key_cache.h"

namespace lockstep::importer {
namespace {

using logs::MetricSource;
using wandb::WandbRow;
using wandb::WandbRun;

constexpr std::array kHistorySources = {MetricSource::kLogged, MetricSource::kGeneric,
                                        MetricSource::kNvrx, MetricSource::kHuggingFace};
constexpr std::array kSystemSources = {MetricSource::kWandbEvents};

class WandbImport {
 public:
  WandbImport(ByteSource& source, const logs::LogHints& given, const logs::LogHints& found,
              const ImportSession& session, ImportReport& report)
      : source_(source),
        given_(given),
        found_(found),
        session_(session),
        report_(report),
        rows_(session, report, source.modified_ms()),
        reader_([this](const WandbRow& row) { Take(row); }) {}

  absl::Status Run() {
    while (true) {
      LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view piece, source_.Next());
      if (piece.empty()) break;
      report_.read_bytes = source_.read_bytes();
      reader_.Feed(piece);
      LOCKSTEP_RETURN_IF_ERROR(status_);
    }
    reader_.Finish();
    if (reader_.log().is_foreign()) {
      return absl::InvalidArgumentError("it is not a W&B transaction log (run-ID.wandb)");
    }
    AddInfo();
    LOCKSTEP_RETURN_IF_ERROR(rows_.Deliver());
    Conclude();
    return absl::OkStatus();
  }

 private:
  void Take(const WandbRow& row) {
    if (!status_.ok()) return;
    rows_.Begin({row.step, row.time_ms});
    logs::KeyCache& keys = row.kind == WandbRow::Kind::kSystem ? system_keys_ : history_keys_;
    for (const wandb::WandbValue& value : row.values) rows_.Add(keys, value.name, value.value);
    status_ = rows_.End(Owner());
  }

  logs::LogHints Owner() const {
    const WandbRun& run = reader_.run();
    logs::LogHints owner = found_;
    owner.job = given_.job.empty() ? run.project : given_.job;
    owner.rank = RankOf(run);
    // The processes of a job are runs of one group, each with a rank.
    const bool is_rank_of_group = owner.rank.has_value() && !run.group.empty();
    owner.run = is_rank_of_group ? run.group : run.id;
    if (!given_.run.empty()) owner.run = given_.run;
    return owner;
  }

  std::optional<int32_t> RankOf(const WandbRun& run) const {
    if (given_.rank.has_value()) return given_.rank;
    if (run.rank.has_value() && *run.rank >= 0 &&
        *run.rank <= std::numeric_limits<int32_t>::max()) {
      return static_cast<int32_t>(*run.rank);
    }
    if (const auto rank = logs::HintsFromPath(run.name).rank) return rank;
    return found_.rank;
  }

  void AddInfo() {
    const WandbRun& run = reader_.run();
    if (!run.start_ms.has_value()) return;
    rows_.AddInfo(Owner(), "wandb_run_info", *run.start_ms,
                  {{"id", run.id},
                   {"name", run.name},
                   {"group", run.group},
                   {"job_type", run.job_type},
                   {"project", run.project},
                   {"entity", run.entity}});
  }

  void Conclude() {
    const wandb::WandbLogReader& log = reader_.log();
    const wandb::WandbItemCounts& items = reader_.item_counts();
    LeaveOut(log.damaged_chunks(), "damaged parts");
    LeaveOut(log.long_records(), "records that are too long");
    LeaveOut(reader_.malformed_records(), "malformed records");
    LeaveOut(items.malformed, "malformed values");
    if (log.is_cut()) {
      report_.remarks.push_back(
          "its last record is truncated: the run crashed or is still running");
    } else if (!reader_.has_ended()) {
      report_.remarks.push_back("the run has not ended");
    }
    if (items.media > 0) {
      report_.remarks.push_back(
          absl::StrFormat("%d images, histograms, tables and the like were left out", items.media));
    }
  }

  void LeaveOut(uint64_t count, std::string_view what) {
    if (count == 0) return;
    report_.left_out += count;
    session_.complain(report_, absl::StrFormat("%d %s", count, what));
  }

  ByteSource& source_;
  const logs::LogHints& given_;
  const logs::LogHints& found_;
  const ImportSession& session_;
  ImportReport& report_;
  logs::KeyCache history_keys_{kHistorySources};
  logs::KeyCache system_keys_{kSystemSources};
  LoggedRows rows_;
  absl::Status status_;
  wandb::WandbReader reader_;
};

}  // namespace

absl::Status ImportWandb(ByteSource& source, const logs::LogHints& given,
                         const logs::LogHints& found, const ImportSession& session,
                         ImportReport& report) {
  return WandbImport(source, given, found, session, report).Run();
}

}  // namespace lockstep::importer
