// SeriesTable: maps a series to its target and metric, and back.
//
// Threads: as for SeriesIndex, one writer or many readers. Spans live until the next change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/memory/sparse_array.h"
#include "storage/index/postings.h"

namespace lockstep {

struct SeriesParts {
  TargetId target = 0;
  MetricId metric = 0;
  friend bool operator==(const SeriesParts&, const SeriesParts&) = default;
};

// One series of a given target.
struct TargetSeries {
  MetricId metric = 0;
  SeriesId id = 0;
};

class SeriesTable {
 public:
  // Preconditions: neither the id nor the parts are there. Fastest if ids ascend.
  void Add(SeriesId id, SeriesParts parts);
  // Removes the series of `ids` that are there; returns the targets and the metrics that no series
  // is left for, ascending.
  struct Emptied {
    Postings targets;
    Postings metrics;
  };
  Emptied Remove(std::span<const SeriesId> ids);

  bool Contains(SeriesId id) const { return parts_.Has(id); }
  // Precondition: Contains(id).
  SeriesParts PartsOf(SeriesId id) const { return parts_[id]; }
  std::optional<SeriesId> Find(SeriesParts parts) const;
  size_t size() const { return parts_.size(); }

  // Ascending by metric; empty if there are none.
  std::span<const TargetSeries> OfTarget(TargetId target) const;
  PostingsView OfMetric(MetricId metric) const;
  // Makes room for more series of a target.
  void Reserve(TargetId target, size_t count);

  // Calls visit(id, parts) for each, ids ascending.
  template <typename Visit>
  void ForEach(Visit visit) const {
    parts_.ForEach(visit);
  }
  // The same for ids from `first` to `last`, both inclusive.
  template <typename Visit>
  void ForEachFrom(SeriesId first, SeriesId last, Visit visit) const {
    parts_.ForEachFrom(first, last, visit);
  }

 private:
  SparseArray<SeriesParts, 8> parts_;
  SparseArray<std::vector<TargetSeries>, 6> of_target_;
  SparseArray<Postings, 6> of_metric_;
};

}  // namespace lockstep
