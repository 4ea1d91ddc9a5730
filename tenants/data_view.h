// DataView: what one request may read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answers/live_jobs.h"
#include "ingest/exemplar_store.h"
#include "ingest/metadata_store.h"
#include "model/matcher.h"
#include "query/cache/range_cache.h"
#include "query/engine/engine.h"
#include "storage/storage.h"
#include "tenants/tenant.h"

namespace lockstep::tenants {

// One tenant's data; those of several tenants joined (joined_storage.h); of either only some jobs,
// if the reader is held to them. Safe from any thread.
class DataView {
 public:
  // Keeps the tenants. `jobs` is a condition on the label "job". Precondition: at least one tenant,
  // none twice.
  DataView(std::vector<std::shared_ptr<Tenant>> tenants, std::optional<Matcher> jobs);
  DataView(const DataView&) = delete;
  DataView& operator=(const DataView&) = delete;

  // What was sent, and what is computed from it.
  const Storage& storage() const { return *storage_; }
  // What was sent.
  const Storage& written() const { return *written_; }
  const engine::Engine& engine() const { return *engine_; }
  cache::RangeCache& range_cache() const { return *range_cache_; }
  // What is known of the jobs that run; null: they are loaded each time.
  answers::LiveJobs* live_jobs() const { return live_jobs_; }

  // As ExemplarStore::Select() and MetadataStore::List(). Metadata belong to no job: all of a
  // tenant's are there.
  std::vector<SeriesExemplars> Exemplars(ExemplarStore::Selections selections,
                                         TimeRange range) const;
  std::vector<MetadataStore::Metric> Metadata(const MetadataStore::Filter& filter) const;

  const std::vector<std::shared_ptr<Tenant>>& tenants() const { return tenants_; }
  const std::optional<Matcher>& jobs() const { return jobs_; }

 private:
  void Join();
  void HoldToJobs();

  const std::vector<std::shared_ptr<Tenant>> tenants_;
  const std::optional<Matcher> jobs_;
  // Of this view alone, where it is not a tenant's.
  std::vector<std::unique_ptr<Storage>> own_storages_;
  std::optional<engine::Engine> own_engine_;
  std::optional<cache::RangeCache> own_range_cache_;

  const Storage* storage_ = nullptr;
  const Storage* written_ = nullptr;
  const engine::Engine* engine_ = nullptr;
  cache::RangeCache* range_cache_ = nullptr;
  answers::LiveJobs* live_jobs_ = nullptr;
};

}  // namespace lockstep::tenants
