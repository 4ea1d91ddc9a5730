#include "query/engine/values/metric_labels.h"

#include "model/label_notation.h"

namespace lockstep::engine {

LabelSet DropMetric(const LabelSet& labels) {
  if (!labels.Has(kMetricType) && !labels.Has(kMetricUnit)) return labels.DropMetricName();
  return labels.Drop(
      {std::string(kMetricName), std::string(kMetricType), std::string(kMetricUnit)});
}

std::string LabelsText(const LabelSet& labels) {
  std::string text = "{";
  for (const LabelView& label : labels) {
    if (text.size() > 1) text += ", ";
    AppendLabelName(text, label.name);
    text += '=';
    AppendQuoted(text, label.value);
  }
  return text + '}';
}

absl::Status SameLabelsetError() {
  return absl::FailedPreconditionError("vector cannot contain metrics with the same labelset");
}

}  // namespace lockstep::engine
