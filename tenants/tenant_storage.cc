#include "tenants/tenant_storage.h"

#include <utility>

#include "model/tenant.h"

namespace lockstep::tenants {
namespace {

// The series of a set without the tenant label. They stay in order, because that label is the first
// in each series.
class PlainSeriesSet : public SeriesSet {
 public:
  explicit PlainSeriesSet(std::unique_ptr<SeriesSet> stored) : stored_(std::move(stored)) {}

  size_t size() const override { return stored_->size(); }
  size_t work() const override { return stored_->work(); }
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) override {
    std::vector<std::unique_ptr<SeriesSet>> parts = stored_->Split(max_parts);
    for (std::unique_ptr<SeriesSet>& part : parts) {
      part = std::make_unique<PlainSeriesSet>(std::move(part));
    }
    return parts;
  }
  bool Next() override {
    if (!stored_->Next()) return false;
    labels_ = WithoutTenant(stored_->labels());
    return true;
  }
  size_t position() const override { return stored_->position(); }
  const LabelSet& labels() const override { return labels_; }
  absl::Status Read(SampleColumns& columns) override { return stored_->Read(columns); }
  absl::Status status() const override { return stored_->status(); }

 private:
  const std::unique_ptr<SeriesSet> stored_;
  LabelSet labels_;
};

Matcher MatcherOf(std::string_view tenant) {
  return Matcher::Equal(std::string(kTenantLabel), std::string(tenant));
}

std::vector<Matcher> OfTenant(std::string_view tenant, std::span<const Matcher> matchers) {
  std::vector<Matcher> all(matchers.begin(), matchers.end());
  all.push_back(MatcherOf(tenant));
  return all;
}

class TenantQuerier : public Querier {
 public:
  TenantQuerier(std::unique_ptr<Querier> stored, std::string_view tenant)
      : stored_(std::move(stored)), tenant_(tenant) {}

  absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override {
    const std::vector<Matcher> matchers = OfTenant(tenant_, selection.matchers);
    LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<SeriesSet> stored,
                              stored_->Select(With(selection, matchers)));
    if (tenant_.empty()) return stored;
    return std::make_unique<PlainSeriesSet>(std::move(stored));
  }

  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const override {
    const std::vector<Matcher> matchers = OfTenant(tenant_, selection.matchers);
    LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> names,
                              stored_->LabelNames(With(selection, matchers)));
    std::erase(names, kTenantLabel);
    return names;
  }

  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       const Selection& selection) const override {
    if (name == kTenantLabel) return std::vector<std::string>();
    const std::vector<Matcher> matchers = OfTenant(tenant_, selection.matchers);
    return stored_->LabelValues(name, With(selection, matchers));
  }

 private:
  static Selection With(Selection selection, std::span<const Matcher> matchers) {
    selection.matchers = matchers;
    return selection;
  }

  const std::unique_ptr<Querier> stored_;
  const std::string tenant_;
};

uint64_t StoredCount(const WriteOutcome& outcome) {
  return outcome.written_count + outcome.duplicate_count + outcome.overwritten_count;
}

}  // namespace

std::vector<std::vector<Matcher>> OfTenant(std::string_view tenant,
                                           std::span<const std::vector<Matcher>> sets) {
  std::vector<std::vector<Matcher>> bound(sets.begin(), sets.end());
  if (bound.empty()) bound.emplace_back();
  for (std::vector<Matcher>& matchers : bound) matchers.push_back(MatcherOf(tenant));
  return bound;
}

void TenantStorage::Write(WriteRequest request, WriteCallback committed) {
  if (tenant_.empty()) return store_.Write(std::move(request), std::move(committed));
  for (SeriesWrite& series : request.series) series.labels = WithTenant(tenant_, series.labels);
  WriteCallback plain = [committed =
                             std::move(committed)](absl::StatusOr<WriteOutcome> outcome) mutable {
    if (outcome.ok()) {
      for (RejectedSeries& rejected : outcome->rejected) {
        rejected.labels = WithoutTenant(rejected.labels);
      }
    }
    committed(std::move(outcome));
  };
  if (!entry_.number().has_value()) return WriteFirst(std::move(request), std::move(plain));
  store_.Write(std::move(request), std::move(plain));
}

// The samples are stored before the tenant is added to the directory, so rejected writes do not
// create tenants. If the process ends in between, Tenants::Load() finds them.
void TenantStorage::WriteFirst(WriteRequest request, WriteCallback committed) {
  if (absl::Status room = entry_.directory().Reserve(tenant_); !room.ok()) {
    return committed(std::move(room));
  }
  store_.Write(std::move(request), [this, committed = std::move(committed)](
                                       absl::StatusOr<WriteOutcome> outcome) mutable {
    if (outcome.ok() && StoredCount(*outcome) > 0) {
      if (const auto number = entry_.Enter(); !number.ok()) outcome = number.status();
    }
    entry_.directory().Release(tenant_);
    committed(std::move(outcome));
  });
}

void TenantStorage::FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const {
  if (tenant_.empty()) return store_.FindSeries(keys, refs);
  std::vector<SeriesKey> own;
  own.reserve(keys.size());
  for (const SeriesKey& key : keys) own.push_back(key_.Of(key));
  store_.FindSeries(own, refs);
}

absl::StatusOr<std::unique_ptr<Querier>> TenantStorage::NewQuerier() const {
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Querier> stored, store_.NewQuerier());
  // Checked after the querier was made: the directory knew other tenants before the querier could
  // see their data.
  if (tenant_.empty() && !entry_.directory().has_others()) return stored;
  return std::make_unique<TenantQuerier>(std::move(stored), tenant_);
}

absl::StatusOr<CardinalityStats> TenantStorage::Cardinality(const CardinalityQuery& query) const {
  if (tenant_.empty() && !entry_.directory().has_others()) return store_.Cardinality(query);
  const std::vector<std::vector<Matcher>> sets = OfTenant(tenant_, query.matcher_sets);
  CardinalityQuery bound = query;
  bound.matcher_sets = sets;
  return store_.Cardinality(bound);
}

}  // namespace lockstep::tenants
