// AllSamples: a storage that returns all samples, even to readers that need only some of them.
// Tests compare its results with those computed from fewer samples.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/storage.h"

namespace lockstep {

// As thread-safe as the storage that it wraps, which must outlive it.
class AllSamples : public Storage {
 public:
  explicit AllSamples(Storage& storage) : storage_(storage) {}

  void Write(WriteRequest request, WriteCallback committed) override {
    storage_.Write(std::move(request), std::move(committed));
  }
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override {
    LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<Querier> querier, storage_.NewQuerier());
    return std::make_unique<AllQuerier>(std::move(querier));
  }
  StorageStats stats() const override { return storage_.stats(); }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override {
    return storage_.Cardinality(query);
  }

 private:
  class AllQuerier : public Querier {
   public:
    explicit AllQuerier(std::unique_ptr<Querier> querier) : querier_(std::move(querier)) {}

    absl::StatusOr<std::unique_ptr<SeriesSet>> Select(const Selection& selection) const override {
      Selection all = selection;
      all.needed = SamplesNeeded::kAll;
      return querier_->Select(all);
    }
    absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const override {
      return querier_->LabelNames(selection);
    }
    absl::StatusOr<std::vector<std::string>> LabelValues(
        std::string_view name, const Selection& selection) const override {
      return querier_->LabelValues(name, selection);
    }

   private:
    const std::unique_ptr<Querier> querier_;
  };

  Storage& storage_;
};

}  // namespace lockstep
