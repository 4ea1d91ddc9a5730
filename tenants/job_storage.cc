#include "tenants/job_storage.h"

namespace lockstep::tenants {
namespace {

class JobQuerier : public Querier {
 public:
  JobQuerier(std::unique_ptr<Querier> stored, const Matcher& jobs)
      : stored_(std::move(stored)), jobs_(jobs) {}

  absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override {
    const Bound bound(selection, jobs_);
    return stored_->Select(bound.selection);
  }
  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const override {
    const Bound bound(selection, jobs_);
    return stored_->LabelNames(bound.selection);
  }
  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       const Selection& selection) const override {
    const Bound bound(selection, jobs_);
    return stored_->LabelValues(name, bound.selection);
  }

 private:
  // A selection with one condition more.
  struct Bound {
    Bound(const Selection& asked, const Matcher& jobs)
        : matchers(asked.matchers.begin(), asked.matchers.end()), selection(asked) {
      matchers.push_back(jobs);
      selection.matchers = matchers;
    }

    std::vector<Matcher> matchers;
    Selection selection;
  };

  const std::unique_ptr<Querier> stored_;
  const Matcher jobs_;
};

}  // namespace

void JobStorage::Write(WriteRequest /*request*/, WriteCallback committed) {
  committed(absl::PermissionDeniedError("a reader that is held to some jobs may not write"));
}

absl::StatusOr<std::unique_ptr<Querier>> JobStorage::NewQuerier() const {
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Querier> stored, stored_.NewQuerier());
  return std::make_unique<JobQuerier>(std::move(stored), jobs_);
}

absl::StatusOr<CardinalityStats> JobStorage::Cardinality(const CardinalityQuery& query) const {
  std::vector<std::vector<Matcher>> sets(query.matcher_sets.begin(), query.matcher_sets.end());
  if (sets.empty()) sets.emplace_back();
  for (std::vector<Matcher>& matchers : sets) matchers.push_back(jobs_);
  CardinalityQuery bound = query;
  bound.matcher_sets = sets;
  return stored_.Cardinality(bound);
}

}  // namespace lockstep::tenants
