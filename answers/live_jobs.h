// LiveJobs: a cache of running jobs and their stragglers.
//
// A job is loaded once, up to its frontier. After that, each query reads the new steps, appends the
// complete ones, and evaluates the table again if there are any, so queries for the same frontier
// share one evaluation. The result equals that of a job loaded with JobQuery::live_steps_alone.
// Steps that arrive late, before the frontier, are picked up when the job is reloaded, whose cost
// is limited to 1 % of the time. A restart of the job causes one reload.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "answers/load/job_loader.h"
#include "base/mutex.h"
#include "training/stragglers/stragglers.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::answers {

class LiveJobs {
 public:
  // `stored` must outlive this. Keeps at most `max_cells` of ranks x steps, over all jobs.
  LiveJobs(const Storage& stored, size_t max_cells);
  // For another tenant; shares the limit of `others`. `stored` is this tenant's view of the store.
  LiveJobs(const Storage& stored, std::string tenant, const LiveJobs& others);
  LiveJobs(const LiveJobs&) = delete;
  LiveJobs& operator=(const LiveJobs&) = delete;

  // Calls `visit` with the job as of `now_ms` or slightly later and with its stragglers, and
  // returns true. Returns false without calling it if `now_ms` is too far in the past.
  // `context.querier` must see at least the store's state at change count `change_count`. Same
  // errors as LoadJob().
  using Visit = absl::FunctionRef<void(const LoadedJob&, const training::StragglerAnswer&)>;
  absl::StatusOr<bool> Find(const std::string& name, int64_t now_ms, uint64_t change_count,
                            const LoadContext& context, Visit visit);

 private:
  struct Entry;
  struct Table;

  std::shared_ptr<Entry> EntryOf(const std::string& name);
  absl::Status Update(Entry& entry, const JobQuery& query, uint64_t change_count,
                      const LoadContext& context) const;
  absl::Status Load(Entry& entry, const JobQuery& query, uint64_t change_count,
                    const LoadContext& context) const;
  absl::StatusOr<bool> Extend(Entry& entry, const JobQuery& query,
                              const LoadContext& context) const;
  static absl::Status Place(Entry& entry, const JobQuery& query, const LoadContext& context);
  static absl::Status Judge(Entry& entry, const JobQuery& query, const LoadContext& context);
  void Forget(const std::string& name);
  void MakeRoom(const std::string& name, size_t cells);

  const Storage& stored_;
  const std::string tenant_;
  const std::shared_ptr<Table> table_;
};

}  // namespace lockstep::answers
