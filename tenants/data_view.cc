#include "tenants/data_view.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/matcher.h"
#include "model/tenant.h"
#include "storage/storage.h"
#include "tenants/joined_storage.h"

namespace lockstep::tenants {
namespace {

// A store as seen by a reader that is restricted to some jobs. Read-only; safe from any thread.
class JobStorage : public Storage {
 public:
  // `stored` must outlive this. `jobs` is a matcher on the label "job".
  JobStorage(const Storage& stored, Matcher jobs) : stored_(stored), jobs_(std::move(jobs)) {}

  // Always fails with kPermissionDenied.
  void Write(WriteRequest request, WriteCallback committed) override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  uint64_t change_count() const override { return stored_.change_count(); }
  TimeRange UnchangedSince(uint64_t count) const override { return stored_.UnchangedSince(count); }
  StorageStats stats() const override { return stored_.stats(); }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

 private:
  const Storage& stored_;
  const Matcher jobs_;
};

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
  // A selection with an additional matcher.
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

void JobStorage::Write(WriteRequest /*request*/, WriteCallback committed) {
  committed(absl::PermissionDeniedError("a reader that is restricted to some jobs may not write"));
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

// Views with the same name read the same data.
std::string NameOfView(const std::vector<std::shared_ptr<Tenant>>& tenants,
                       const std::optional<Matcher>& jobs) {
  std::string name;
  for (const std::shared_ptr<Tenant>& tenant : tenants) {
    name += IdOfTenant(tenant->name);
    name += '|';
  }
  if (jobs.has_value()) name += jobs->ToString();
  return name;
}

}  // namespace

DataView::DataView(std::vector<std::shared_ptr<Tenant>> tenants, std::optional<Matcher> jobs)
    : tenants_(std::move(tenants)), jobs_(std::move(jobs)) {
  Tenant& first = *tenants_.front();
  if (tenants_.size() == 1 && !jobs_.has_value()) {
    storage_ = &first.storage;
    written_ = &first.written;
    engine_ = &first.engine;
    range_cache_ = &first.range_cache;
    live_jobs_ = &first.storage.live_jobs();
    lateness_ = &first.lateness;
    return;
  }
  Join();
  HoldToJobs();
  engine_ = &own_engine_.emplace(*storage_, first.engine);
  range_cache_ = &own_range_cache_.emplace(*engine_, *storage_, NameOfView(tenants_, jobs_),
                                           first.range_cache);
}

void DataView::Join() {
  storage_ = &tenants_.front()->storage;
  written_ = &tenants_.front()->written;
  if (tenants_.size() == 1) return;
  std::vector<NamedStorage> storages, written;
  for (const std::shared_ptr<Tenant>& tenant : tenants_) {
    const std::string id(IdOfTenant(tenant->name));
    storages.push_back({id, &tenant->storage});
    written.push_back({id, &tenant->written});
  }
  storage_ = own_storages_.emplace_back(std::make_unique<JoinedStorage>(std::move(storages))).get();
  written_ = own_storages_.emplace_back(std::make_unique<JoinedStorage>(std::move(written))).get();
}

void DataView::HoldToJobs() {
  if (!jobs_.has_value()) return;
  storage_ = own_storages_.emplace_back(std::make_unique<JobStorage>(*storage_, *jobs_)).get();
  written_ = own_storages_.emplace_back(std::make_unique<JobStorage>(*written_, *jobs_)).get();
}

std::vector<SeriesExemplars> DataView::Exemplars(ExemplarStore::Selections selections,
                                                 TimeRange range) const {
  if (jobs_.has_value()) {
    for (std::vector<Matcher>& matchers : selections) matchers.push_back(*jobs_);
  }
  std::vector<SeriesExemplars> all;
  for (const std::shared_ptr<Tenant>& tenant : tenants_) {
    for (SeriesExemplars& one : tenant->ingester.exemplars().Select(selections, range)) {
      if (tenants_.size() > 1) {
        one.series =
            LabelSetBuilder(one.series).Set(kTenantIdLabel, IdOfTenant(tenant->name)).Build();
      }
      all.push_back(std::move(one));
    }
  }
  std::ranges::sort(all, {}, &SeriesExemplars::series);
  return all;
}

annotations::AnnotationList DataView::Annotations(annotations::AnnotationFilter filter,
                                                  int64_t now_ms) const {
  filter.may_see = jobs_;
  if (tenants_.size() == 1) return tenants_.front()->annotations.List(filter, now_ms);
  const size_t max_count = std::exchange(filter.max_count, SIZE_MAX);
  annotations::AnnotationList joined;
  for (const std::shared_ptr<Tenant>& tenant : tenants_) {
    const std::string_view id = IdOfTenant(tenant->name);
    for (const annotations::AnnotationPtr& one :
         tenant->annotations.List(filter, now_ms).annotations) {
      auto named = std::make_shared<annotations::Annotation>(*one);
      named->labels = named->labels.With({kTenantIdLabel, id});
      joined.annotations.push_back(std::move(named));
    }
  }
  KeepLatest(max_count, joined);
  return joined;
}

std::vector<MetadataStore::Metric> DataView::Metadata(const MetadataStore::Filter& filter) const {
  if (tenants_.size() == 1) return tenants_.front()->ingester.metadata().List(filter);
  std::map<std::string, std::vector<MetricMetadata>> joined;
  for (const std::shared_ptr<Tenant>& tenant : tenants_) {
    for (MetadataStore::Metric& metric : tenant->ingester.metadata().List(filter)) {
      std::vector<MetricMetadata>& variants = joined[metric.name];
      for (MetricMetadata& variant : metric.variants) {
        const bool is_new = std::ranges::find(variants, variant) == variants.end();
        if (is_new && variants.size() < filter.max_variants) variants.push_back(std::move(variant));
      }
    }
  }
  std::vector<MetadataStore::Metric> metrics;
  for (auto& [name, variants] : joined) {
    if (metrics.size() == filter.max_metrics) break;
    metrics.push_back({name, std::move(variants)});
  }
  return metrics;
}

}  // namespace lockstep::tenants
