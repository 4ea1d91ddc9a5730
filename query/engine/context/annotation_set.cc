#include "query/engine/context/annotation_set.h"

#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::engine {
namespace {

// The text that distinguishes annotations. Monotonicity fixes are merged instead.
std::string IdentifyingText(const Annotation& annotation) {
  if (annotation.kind != AnnotationKind::kForcedMonotonicity) return RenderAnnotation(annotation);
  Annotation bare = annotation;
  bare.monotonicity = {};
  return RenderAnnotation(bare);
}

}  // namespace

void AnnotationSet::Add(Annotation annotation, promql::PositionRange at) {
  ++added_count_;
  const auto [found, added] = index_.try_emplace(IdentifyingText(annotation), entries_.size());
  if (added) {
    entries_.push_back({std::move(annotation), at.start});
  } else {
    Entry& entry = entries_[found->second];
    entry.annotation.monotonicity.Merge(annotation.monotonicity);
    entry.offset = at.start;
  }
}

void AnnotationSet::Absorb(AnnotationSink& sink, std::string_view metric_name,
                           promql::PositionRange at) {
  if (sink.empty()) return;
  for (Annotation& annotation : sink.Take()) {
    annotation.metric_name = metric_name;
    Add(std::move(annotation), at);
  }
}

Annotations AnnotationSet::Render() const {
  Annotations rendered;
  for (const Entry& entry : entries_) {
    std::vector<std::string>& list =
        IsWarning(entry.annotation.kind) ? rendered.warnings : rendered.infos;
    list.push_back(absl::StrFormat("%s (%s)", RenderAnnotation(entry.annotation),
                                   PositionText(query_, entry.offset)));
  }
  return rendered;
}

std::string PositionText(std::string_view query, int offset) {
  int line = 1;
  int column = 1;
  for (const char c : query.substr(0, static_cast<size_t>(offset))) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  return absl::StrFormat("%d:%d", line, column);
}

}  // namespace lockstep::engine
