#include "tenants/joined_storage.h"

#include <algorithm>

namespace lockstep::tenants {
namespace {

struct ReadSeries {
  LabelSet labels;
  SampleColumns samples;
};
using AllSeries = std::vector<ReadSeries>;

template <typename Value>
void AppendTo(std::vector<Value>& to, const std::vector<Value>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

class ReadSeriesSet : public SeriesSet {
 public:
  ReadSeriesSet(std::shared_ptr<const AllSeries> series, size_t begin, size_t end)
      : series_(std::move(series)), begin_(begin), next_(begin), end_(end) {}

  size_t size() const override { return end_ - begin_; }
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) override {
    const size_t count = std::clamp<size_t>(size(), 1, max_parts);
    std::vector<std::unique_ptr<SeriesSet>> parts;
    for (size_t i = 0; i < count; ++i) {
      parts.push_back(std::make_unique<ReadSeriesSet>(series_, begin_ + size() * i / count,
                                                      begin_ + size() * (i + 1) / count));
    }
    return parts;
  }
  bool Next() override {
    if (next_ == end_) return false;
    ++next_;
    return true;
  }
  size_t position() const override { return next_ - 1; }
  const LabelSet& labels() const override { return (*series_)[next_ - 1].labels; }
  absl::Status Read(SampleColumns& columns) override {
    const SampleColumns& samples = (*series_)[next_ - 1].samples;
    // Both are shorter than the values if their last entries carry no information.
    if (!samples.start_timestamps_ms.empty()) {
      columns.start_timestamps_ms.resize(columns.values.size());
      AppendTo(columns.start_timestamps_ms, samples.start_timestamps_ms);
    }
    if (!samples.left_out.empty()) {
      columns.left_out.resize(columns.values.size());
      AppendTo(columns.left_out, samples.left_out);
    }
    AppendTo(columns.timestamps_ms, samples.timestamps_ms);
    AppendTo(columns.values, samples.values);
    AppendTo(columns.histograms, samples.histograms);
    return absl::OkStatus();
  }
  absl::Status status() const override { return absl::OkStatus(); }

 private:
  const std::shared_ptr<const AllSeries> series_;
  const size_t begin_;
  size_t next_;  // the index after the current one
  const size_t end_;
};

struct NamedQuerier {
  std::string id;
  std::unique_ptr<Querier> querier;
};

// Adds the contents of `set` as series of the tenant `id`.
absl::Status ReadAll(SeriesSet& set, std::string_view id, QueryBudget* budget, AllSeries& all) {
  while (set.Next()) {
    ReadSeries one;
    LOCKSTEP_RETURN_IF_ERROR(set.Read(one.samples));
    one.labels = LabelSetBuilder(set.labels()).Set(kTenantIdLabel, id).Build();
    if (budget != nullptr) {
      LOCKSTEP_RETURN_IF_ERROR(budget->Charge(static_cast<int64_t>(one.samples.size())));
      LOCKSTEP_RETURN_IF_ERROR(budget->ChargeText(static_cast<int64_t>(one.labels.bytes().size())));
    }
    all.push_back(std::move(one));
  }
  return set.status();
}

void SortUnique(std::vector<std::string>& texts) {
  std::ranges::sort(texts);
  texts.erase(std::ranges::unique(texts).begin(), texts.end());
}

// The additional label changes the order of series, so all of them are read before the first is
// returned.
class JoinedQuerier : public Querier {
 public:
  explicit JoinedQuerier(std::vector<NamedQuerier> tenants) : tenants_(std::move(tenants)) {}

  absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override {
    auto all = std::make_shared<AllSeries>();
    const auto read = [&](const NamedQuerier& tenant, const Selection& own) -> absl::Status {
      LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<SeriesSet> set, tenant.querier->Select(own));
      return ReadAll(*set, tenant.id, selection.budget, *all);
    };
    LOCKSTEP_RETURN_IF_ERROR(ForEach(selection, read));
    std::ranges::sort(*all, {}, &ReadSeries::labels);
    const size_t count = all->size();
    return std::make_unique<ReadSeriesSet>(std::move(all), 0, count);
  }

  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const override {
    std::vector<std::string> names;
    const auto read = [&](const NamedQuerier& tenant, const Selection& own) -> absl::Status {
      LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> more,
                                tenant.querier->LabelNames(own));
      AppendTo(names, more);
      return absl::OkStatus();
    };
    LOCKSTEP_RETURN_IF_ERROR(ForEach(selection, read));
    if (!names.empty()) names.emplace_back(kTenantIdLabel);
    SortUnique(names);
    return names;
  }

  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       const Selection& selection) const override {
    std::vector<std::string> values;
    const auto read = [&](const NamedQuerier& tenant, const Selection& own) -> absl::Status {
      const bool is_tenant = name == kTenantIdLabel;
      LOCKSTEP_ASSIGN_OR_RETURN(
          const std::vector<std::string> more,
          is_tenant ? tenant.querier->LabelNames(own) : tenant.querier->LabelValues(name, own));
      if (!is_tenant) {
        AppendTo(values, more);
      } else if (!more.empty()) {
        values.push_back(tenant.id);
      }
      return absl::OkStatus();
    };
    LOCKSTEP_RETURN_IF_ERROR(ForEach(selection, read));
    SortUnique(values);
    return values;
  }

 private:
  // Calls `visit` for each tenant that the selection's matchers on __tenant_id__ match, with the
  // other matchers.
  template <typename Visit>
  absl::Status ForEach(const Selection& selection, const Visit& visit) const {
    std::vector<Matcher> others;
    std::ranges::copy_if(selection.matchers, std::back_inserter(others),
                         [](const Matcher& matcher) { return matcher.name() != kTenantIdLabel; });
    Selection own = selection;
    own.matchers = others;
    for (const NamedQuerier& tenant : tenants_) {
      const bool is_meant = std::ranges::all_of(selection.matchers, [&](const Matcher& matcher) {
        return matcher.name() != kTenantIdLabel || matcher.Matches(tenant.id);
      });
      if (is_meant) LOCKSTEP_RETURN_IF_ERROR(visit(tenant, own));
    }
    return absl::OkStatus();
  }

  const std::vector<NamedQuerier> tenants_;
};

}  // namespace

void JoinedStorage::Write(WriteRequest /*request*/, WriteCallback committed) {
  committed(absl::PermissionDeniedError("samples can be written to only one tenant"));
}

absl::StatusOr<std::unique_ptr<Querier>> JoinedStorage::NewQuerier() const {
  std::vector<NamedQuerier> queriers;
  for (const NamedStorage& tenant : tenants_) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Querier> querier, tenant.storage->NewQuerier());
    queriers.push_back({tenant.id, std::move(querier)});
  }
  return std::make_unique<JoinedQuerier>(std::move(queriers));
}

absl::StatusOr<CardinalityStats> JoinedStorage::Cardinality(
    const CardinalityQuery& /*query*/) const {
  return absl::InvalidArgumentError("series can be counted for only one tenant at a time");
}

}  // namespace lockstep::tenants
