// DataView: the data that one request may read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "annotations/annotation_store.h"
#include "answers/lateness_cache.h"
#include "answers/live_jobs.h"
#include "ingest/side_data/exemplar_store.h"
#include "ingest/side_data/metadata_store.h"
#include "model/matcher.h"
#include "query/cache/range_cache.h"
#include "query/engine/engine.h"
#include "storage/storage.h"
#include "tenants/tenant.h"

namespace lockstep::tenants {

// The data of one tenant, or of several tenants joined (joined_storage.h), restricted to some jobs
// if the reader is. Safe from any thread.
class DataView {
 public:
  // Keeps the tenants alive. `jobs` is a matcher on the label "job". Precondition: at least one
  // tenant, and no duplicates.
  DataView(std::vector<std::shared_ptr<Tenant>> tenants, std::optional<Matcher> jobs);
  DataView(const DataView&) = delete;
  DataView& operator=(const DataView&) = delete;

  // Written samples, and those derived from them.
  const Storage& storage() const { return *storage_; }
  // Written samples only.
  const Storage& written() const { return *written_; }
  const engine::Engine& engine() const { return *engine_; }
  cache::RangeCache& range_cache() const { return *range_cache_; }
  // The state of running jobs; null: jobs are loaded each time.
  answers::LiveJobs* live_jobs() const { return live_jobs_; }
  // Of ended jobs; null: jobs are loaded each time.
  answers::LatenessCache* lateness() const { return lateness_; }

  // Like ExemplarStore::Select() and MetadataStore::List(). Metadata do not belong to jobs, so all
  // of a tenant's are included.
  std::vector<SeriesExemplars> Exemplars(ExemplarStore::Selections selections,
                                         TimeRange range) const;
  std::vector<MetadataStore::Metric> Metadata(const MetadataStore::Filter& filter) const;

  // Like AnnotationStore::List(). Those of several tenants have their tenants' names as a label.
  annotations::AnnotationList Annotations(annotations::AnnotationFilter filter,
                                          int64_t now_ms) const;

  const std::vector<std::shared_ptr<Tenant>>& tenants() const { return tenants_; }
  const std::optional<Matcher>& jobs() const { return jobs_; }

 private:
  void Join();
  void HoldToJobs();

  const std::vector<std::shared_ptr<Tenant>> tenants_;
  const std::optional<Matcher> jobs_;
  // The storages made for this view; those of a tenant are not included.
  std::vector<std::unique_ptr<Storage>> own_storages_;
  std::optional<engine::Engine> own_engine_;
  std::optional<cache::RangeCache> own_range_cache_;

  const Storage* storage_ = nullptr;
  const Storage* written_ = nullptr;
  const engine::Engine* engine_ = nullptr;
  cache::RangeCache* range_cache_ = nullptr;
  answers::LiveJobs* live_jobs_ = nullptr;
  answers::LatenessCache* lateness_ = nullptr;
};

}  // namespace lockstep::tenants
