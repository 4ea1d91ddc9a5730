// LiveJobs: what is known of the jobs that run, kept from one question to the next.
//
// A job is loaded once, up to its frontier. Then each question reads the steps that came since, adds those that are
// complete, and judges the table again if there are any: questions about one frontier share one judgement. What it says is
// what a job that is loaded with JobQuery::live_steps_alone says. Steps that come late, behind the frontier, are seen when
// the job is loaded again, which is at most every half minute. A restart loads once.
//
// Safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "answers/job_loader.h"
#include "base/mutex.h"
#include "training/stragglers.h"

namespace lockstep::answers {

class LiveJobs {
 public:
  // `stored` outlives it; `max_cells` of ranks x steps, of all jobs together, are kept.
  LiveJobs(const Storage& stored, size_t max_cells);
  // For another tenant than that of `others`; shares their bound. `stored` is what this tenant sees.
  LiveJobs(const Storage& stored, std::string tenant, const LiveJobs& others);
  LiveJobs(const LiveJobs&) = delete;
  LiveJobs& operator=(const LiveJobs&) = delete;

  // Calls `visit` with the job as of `now_ms`, or of a little later, and its stragglers, and returns true; false, and
  // nothing is done, if `now_ms` is in the past of what is known. `context.querier` sees all that the store had when it had changed
  // `change_count` times. Errors as LoadJob's.
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
