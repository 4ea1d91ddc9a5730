#include "ingest/logs/key_roles.h"

#include "ingest/logs/number_text.h"

namespace lockstep::logs {
namespace {

struct KeyRow {
  std::string_view written;
  KeyMeaning meaning;
};

// W&B's `_step` counts calls of its logger: any other step is better.
constexpr KeyRow kKeyRows[] = {
    {"trainer/global_step", {KeyRole::kStep, 9}},
    {"train/global_step", {KeyRole::kStep, 8}},
    {"global_step", {KeyRole::kStep, 7}},
    {"global_steps", {KeyRole::kStep, 6}},
    {"step", {KeyRole::kStep, 5}},
    {"iteration", {KeyRole::kStep, 4}},
    {"iter", {KeyRole::kStep, 3}},
    {"it", {KeyRole::kStep, 2}},
    {"_step", {KeyRole::kStep, 1}},
    {"ts", {KeyRole::kTime}},
    {"time", {KeyRole::kTime}},
    {"timestamp", {KeyRole::kTime}},
    {"_timestamp", {KeyRole::kTime}},
    {"wall_time", {KeyRole::kTime}},
    {"ts_ms", {KeyRole::kTime}},
    {"timestamp_ms", {KeyRole::kTime}},
    {"time_ms", {KeyRole::kTime}},
    {"ts_ns", {KeyRole::kTime}},
    {"time_unix_nano", {KeyRole::kTime}},
    {"rank", {KeyRole::kRank}},
    {"global_rank", {KeyRole::kRank}},
    {"RANK", {KeyRole::kRank}},
    {"attempt", {KeyRole::kAttempt}},
    {"restart", {KeyRole::kAttempt}},
    {"restart_count", {KeyRole::kAttempt}},
    {"job", {KeyRole::kJob}},
    {"job_id", {KeyRole::kJob}},
    {"jobid", {KeyRole::kJob}},
    {"SLURM_JOB_ID", {KeyRole::kJob}},
    {"run", {KeyRole::kRun}},
    {"run_id", {KeyRole::kRun}},
    {"run_name", {KeyRole::kRun}},
    {"experiment", {KeyRole::kRun}},
    {"node", {KeyRole::kLabel, 0, "node"}},
    {"host", {KeyRole::kLabel, 0, "node"}},
    {"hostname", {KeyRole::kLabel, 0, "node"}},
    {"Hostname", {KeyRole::kLabel, 0, "node"}},
    {"local_rank", {KeyRole::kNothing}},
    {"LOCAL_RANK", {KeyRole::kNothing}},
    {"gpu", {KeyRole::kNothing}},
    {"pid", {KeyRole::kNothing}},
    {"_wandb", {KeyRole::kNothing}},
    // torchrun's error.json.
    {"message", {KeyRole::kEventText}},
    {"message.message", {KeyRole::kEventText}},
    {"message.extraInfo.timestamp", {KeyRole::kTime}},
    // NCCL's inspector.
    {"header.id", {KeyRole::kLabel, 0, "comm"}},
    {"header.rank", {KeyRole::kRank}},
    {"header.n_ranks", {KeyRole::kNothing}},
    {"header.nnodes", {KeyRole::kNothing}},
    {"metadata.dump_timestamp_us", {KeyRole::kTime}},
    {"metadata.hostname", {KeyRole::kLabel, 0, "node"}},
    {"metadata.pid", {KeyRole::kNothing}},
    {"coll_perf.coll", {KeyRole::kLabel, 0, "coll"}},
};

}  // namespace

std::optional<KeyMeaning> MeaningOfKey(std::string_view written) {
  TakePrefix(written, "labels.");
  for (const KeyRow& row : kKeyRows) {
    if (row.written == written) return row.meaning;
  }
  return std::nullopt;
}

}  // namespace lockstep::logs
