#include "ingest/exposition/bound_label.h"

#include "ingest/exposition/family_text.h"
#include "ingest/exposition/text_number.h"

namespace lockstep::exposition {

std::string_view BoundLabelOf(std::string_view type) {
  if (type == "histogram") return "le";
  return type == "summary" ? "quantile" : "";
}

void UnifyBound(std::string_view bound_label, SeriesLabels& labels) {
  if (bound_label.empty()) return;
  for (LabelView& label : labels.labels) {
    if (label.name != bound_label) continue;
    const absl::StatusOr<double> bound = ParseValue(label.value);
    if (!bound.ok()) return;
    labels.bound.clear();
    AppendBound(labels.bound, *bound);
    label.value = labels.bound;
  }
}

}  // namespace lockstep::exposition
