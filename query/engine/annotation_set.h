// AnnotationSet: the warnings and infos of one query, each text once, in order of appearance, with the
// position where it was said last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "query/engine/kernels/annotation.h"
#include "query/engine/value.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

// Not thread-safe. The query text is borrowed and must outlive the set.
class AnnotationSet {
 public:
  explicit AnnotationSet(std::string_view query) : query_(query) {}

  // `at`: the expression that the annotation is about.
  void Add(Annotation annotation, promql::PositionRange at);
  // Takes all that `sink` holds, for the metric of that name.
  void Absorb(AnnotationSink& sink, std::string_view metric_name, promql::PositionRange at);

  // How many were added, those included that only moved the place of an earlier one.
  size_t added_count() const { return added_count_; }
  // Rendered, with their positions.
  Annotations Render() const;

 private:
  struct Entry {
    Annotation annotation;
    int offset = 0;
  };

  const std::string_view query_;
  size_t added_count_ = 0;
  std::vector<Entry> entries_;
  // By text: where in entries_.
  absl::flat_hash_map<std::string, size_t> index_;
};

// "line:column" of a byte offset into `query`, both from 1; bytes count as columns.
std::string PositionText(std::string_view query, int offset);

}  // namespace lockstep::engine
