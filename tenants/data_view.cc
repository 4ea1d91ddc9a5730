#include "tenants/data_view.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/tenant.h"
#include "tenants/job_storage.h"
#include "tenants/joined_storage.h"

namespace lockstep::tenants {
namespace {

// Views of equal names read the same.
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
