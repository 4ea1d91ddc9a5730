#include "answers/live_jobs.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "answers/load/known_ranks.h"
#include "answers/stragglers.h"
#include "base/mutex.h"
#include "base/status.h"
#include "storage/storage.h"
#include "training/episodes/excess_memo.h"
#include "training/job/step_window.h"

namespace lockstep::answers {
namespace {

using training::StragglerMethod;

using Clock = std::chrono::steady_clock;

// Reloading whole jobs because of late data may take 1 % of the time.
constexpr int kLoadFactor = 100;
// A job takes some memory in addition to its steps.
constexpr size_t kFewestCells = 4096;
// A query for a time this little in the past is answered from current data, which contain at least
// as much.
constexpr int64_t kPastMs = 60'000;

JobQuery QueryOf(const std::string& name, int64_t now_ms) {
  JobQuery query{.name = name};
  query.time.max_ms = now_ms;
  query.now_ms = now_ms;
  // The amount of work in a step explains its duration.
  query.needs.phases = query.needs.operations = true;
  query.live_steps_alone = true;
  return query;
}

// The data that could improve an answer from steps alone.
JobNeeds MoreNeeds(const training::StragglerAnswer& answer) {
  JobNeeds needs{.steps = false, .links = true};
  if (answer.method == StragglerMethod::kStepTime ||
      answer.method == StragglerMethod::kDeviceCounters || !answer.ranks.empty()) {
    needs.devices.set();
    return needs;
  }
  // No rank is late by its own time, but a link may still have problems.
  for (const catalogue::Role role :
       {catalogue::Role::kGpuNvlinkCrcFlitErrorsTotal, catalogue::Role::kGpuNvlinkReplayErrorsTotal,
        catalogue::Role::kGpuNvlinkRecoveryErrorsTotal, catalogue::Role::kGpuNvlinkRxBytesPerSecond,
        catalogue::Role::kGpuNvlinkTxBytesPerSecond}) {
    needs.devices.set(static_cast<size_t>(role));
  }
  return needs;
}

}  // namespace

struct LiveJobs::Entry {
  Mutex mutex;  // guards all but the last two fields
  LoadedJob job;
  training::StragglerAnswer answer;
  training::StragglerMemo memo;
  bool is_loaded = false;
  bool is_late = false;  // something changed before the frontier
  uint64_t change_count = 0;
  Clock::time_point may_load_at;   // earliest reload for late data
  Clock::time_point may_place_at;  // earliest new search for ranks and devices
  // Guarded by Table::mutex.
  uint64_t used_at = 0;
  size_t cells = 0;
};

// The live jobs of all tenants.
struct LiveJobs::Table {
  explicit Table(size_t max) : max_cells(max) {}

  const size_t max_cells;
  Mutex mutex;
  // By tenant and job name.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Entry>> entries
      LOCKSTEP_GUARDED_BY(mutex);
  uint64_t use_count LOCKSTEP_GUARDED_BY(mutex) = 0;
};

LiveJobs::LiveJobs(const Storage& stored, size_t max_cells)
    : stored_(stored), table_(std::make_shared<Table>(max_cells)) {}

LiveJobs::LiveJobs(const Storage& stored, std::string tenant, const LiveJobs& others)
    : stored_(stored), tenant_(std::move(tenant)), table_(others.table_) {}

std::shared_ptr<LiveJobs::Entry> LiveJobs::EntryOf(const std::string& name) {
  const MutexLock lock(table_->mutex);
  std::shared_ptr<Entry>& entry = table_->entries[{tenant_, name}];
  if (entry == nullptr) entry = std::make_shared<Entry>();
  entry->used_at = ++table_->use_count;
  return entry;
}

void LiveJobs::Forget(const std::string& name) {
  const MutexLock lock(table_->mutex);
  table_->entries.erase({tenant_, name});
}

// Forgets the least recently used jobs.
void LiveJobs::MakeRoom(const std::string& name, size_t cells) {
  const MutexLock lock(table_->mutex);
  auto& entries = table_->entries;
  const auto own = entries.find({tenant_, name});
  if (own != entries.end()) own->second->cells = std::max(cells, kFewestCells);
  size_t held = 0;
  for (const auto& [other, entry] : entries) held += entry->cells;
  while (held > table_->max_cells && !entries.empty()) {
    const auto oldest = std::ranges::min_element(
        entries, {}, [](const auto& entry) { return entry.second->used_at; });
    held -= oldest->second->cells;
    entries.erase(oldest);
  }
}

absl::StatusOr<bool> LiveJobs::Find(const std::string& name, int64_t now_ms, uint64_t change_count,
                                    const LoadContext& context, Visit visit) {
  const std::shared_ptr<Entry> entry = EntryOf(name);
  size_t cells = 0;
  {
    const MutexLock lock(entry->mutex);
    const JobQuery query = QueryOf(name, now_ms);
    const bool is_past = entry->is_loaded && now_ms < entry->job.newest_ms - kPastMs;
    if (is_past) return false;
    const absl::Status updated = Update(*entry, query, change_count, context);
    if (updated.code() == absl::StatusCode::kNotFound) Forget(name);
    LOCKSTEP_RETURN_IF_ERROR(updated);
    cells = entry->job.steps.size() * entry->job.job.ranks.size();
    visit(entry->job, entry->answer);
  }
  MakeRoom(name, cells);
  return true;
}

absl::Status LiveJobs::Update(Entry& entry, const JobQuery& query, uint64_t change_count,
                              const LoadContext& context) const {
  const bool may_extend = entry.is_loaded && entry.job.steps.size() > 0;
  if (!may_extend) return Load(entry, query, change_count, context);
  // Nothing has changed up to this time.
  const TimeRange unchanged = stored_.UnchangedSince(entry.change_count);
  const int64_t known_ms =
      unchanged.min_ms > unchanged.max_ms ? kAllTimes.min_ms : unchanged.max_ms;
  int64_t settled_ms = entry.job.steps.end_ms.back();
  for (const RankReport& report : entry.job.reports) {
    const bool is_silent = report.progress.owed_since_ms.has_value();
    if (report.taken_ms.has_value() && !is_silent)
      settled_ms = std::min(settled_ms, *report.taken_ms);
  }
  entry.is_late = entry.is_late || known_ms < settled_ms;
  if (entry.is_late && Clock::now() >= entry.may_load_at) {
    return Load(entry, query, change_count, context);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const bool is_extended, Extend(entry, query, context));
  if (!is_extended) return Load(entry, query, change_count, context);
  entry.change_count = change_count;
  return absl::OkStatus();
}

absl::Status LiveJobs::Load(Entry& entry, const JobQuery& query, uint64_t change_count,
                            const LoadContext& context) const {
  const Clock::time_point start = Clock::now();
  entry.is_loaded = false;
  LOCKSTEP_ASSIGN_OR_RETURN(entry.job, LoadJob(query, context));
  entry.memo = {};
  context.budget.Release(entry.job.held_samples);
  LOCKSTEP_RETURN_IF_ERROR(Judge(entry, query, context));
  entry.is_loaded = !entry.job.reports.empty();
  entry.is_late = false;
  entry.change_count = change_count;
  entry.may_load_at = Clock::now() + kLoadFactor * (Clock::now() - start);
  return absl::OkStatus();
}

// Returns false if the whole job must be loaded.
absl::StatusOr<bool> LiveJobs::Extend(Entry& entry, const JobQuery& query,
                                      const LoadContext& context) const {
  LoadedJob& job = entry.job;
  LOCKSTEP_ASSIGN_OR_RETURN(JobTail tail, LoadTail(query, job, context));
  if (tail.is_other) return false;
  const auto first = static_cast<size_t>(
      std::ranges::upper_bound(tail.steps.step, job.steps.step.back()) - tail.steps.step.begin());
  const bool has_more = first < tail.steps.size();
  entry.is_late = entry.is_late || tail.has_returned;
  training::AppendSteps(tail.steps, first, job.job.ranks.size(), job.steps);
  const bool is_other =
      tail.is_running != job.is_running || tail.not_reporting != job.not_reporting;
  job.reports = std::move(tail.reports);
  job.not_reporting = std::move(tail.not_reporting);
  job.newest_ms = tail.newest_ms;
  job.is_running = tail.is_running;
  job.exit_ms = tail.exit_ms;
  if (!has_more && !is_other) return true;
  training::DropStepsBefore(training::FirstLiveStep(job.steps.step.back(), job.job.ranks.size()),
                            job.steps);
  job.time = {training::StepBeginMs(job.steps, 0), job.steps.end_ms.back()};
  job.whole = job.time;
  const bool is_from_begin =
      job.attempts.empty() || job.steps.step.front() <= job.attempts[job.attempt].first_step;
  if (!is_from_begin) job.job.begin_ms = job.attempts[job.attempt].time.min_ms;
  // If no answer to these steps is found, the job must be loaded again.
  entry.is_loaded = false;
  LOCKSTEP_RETURN_IF_ERROR(Judge(entry, query, context));
  entry.is_loaded = true;
  return true;
}

// Ranks may register and exporters may begin to send after the job was loaded. If ranks turn out to
// run elsewhere, the job must be loaded again.
absl::Status LiveJobs::Place(Entry& entry, const JobQuery& query, const LoadContext& context) {
  const Clock::time_point start = Clock::now();
  if (start < entry.may_place_at) return absl::OkStatus();
  LOCKSTEP_ASSIGN_OR_RETURN(KnownRanks known, FindRanks(query.name, query.time, context));
  entry.may_place_at = Clock::now() + kLoadFactor * (Clock::now() - start);
  const auto is_same = [](const training::RankPlace& a, const training::RankPlace& b) {
    return std::tie(a.rank, a.host, a.gpu, a.gpu_uuid) ==
           std::tie(b.rank, b.host, b.gpu, b.gpu_uuid);
  };
  if (!std::ranges::equal(known.places, entry.job.known->places, is_same)) {
    entry.is_late = true;
    return absl::OkStatus();
  }
  for (identity::Placement& placement : known.placements) {
    // The rank is assumed to stay there until reported otherwise.
    if (placement.time.max_ms >= entry.job.newest_ms) placement.time.max_ms = kAllTimes.max_ms;
  }
  entry.job.known = std::make_shared<const KnownRanks>(std::move(known));
  return absl::OkStatus();
}

// Reads devices and links if steps alone are not enough.
absl::Status LiveJobs::Judge(Entry& entry, const JobQuery& query, const LoadContext& context) {
  LoadedJob& job = entry.job;
  job.devices.clear();
  job.links.clear();
  entry.answer = FindStragglers(job, {}, &context.pool, &entry.memo);
  JobQuery devices = query;
  devices.needs = MoreNeeds(entry.answer);
  LOCKSTEP_RETURN_IF_ERROR(Place(entry, query, context));
  LOCKSTEP_RETURN_IF_ERROR(LoadDevices(devices, context, job));
  if (job.devices.empty() && job.links.empty()) return absl::OkStatus();
  entry.answer = FindStragglers(job, {}, &context.pool, &entry.memo);
  return absl::OkStatus();
}

}  // namespace lockstep::answers
