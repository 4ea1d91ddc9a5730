// AnnotationSet: the warnings and infos of one query. Each text occurs once, in order of
// appearance, with the position of its last occurrence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "query/engine/kernels/text/annotation.h"
#include "query/engine/values/value.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

// Not thread-safe. The query text is borrowed and must outlive the set.
class AnnotationSet {
 public:
  explicit AnnotationSet(std::string_view query) : query_(query) {}

  // `at`: the expression that the annotation refers to.
  void Add(Annotation annotation, promql::PositionRange at);
  // Moves all annotations out of `sink`, for the metric of that name.
  void Absorb(AnnotationSink& sink, std::string_view metric_name, promql::PositionRange at);

  // The number of annotations added, including those that only changed the position of an earlier
  // one.
  size_t added_count() const { return added_count_; }
  // Renders the texts with their positions.
  Annotations Render() const;

 private:
  struct Entry {
    Annotation annotation;
    int offset = 0;
  };

  const std::string_view query_;
  size_t added_count_ = 0;
  std::vector<Entry> entries_;
  // Index in entries_ by text.
  absl::flat_hash_map<std::string, size_t> index_;
};

// "line:column" of a byte offset into `query`, both from 1; bytes count as columns.
std::string PositionText(std::string_view query, int offset);

}  // namespace lockstep::engine
