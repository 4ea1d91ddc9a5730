#include "query/engine/metric_labels.h"

namespace lockstep::engine {
namespace {

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

LabelSet DropMetric(const LabelSet& labels) {
  if (!labels.Has(kMetricType) && !labels.Has(kMetricUnit)) return labels.DropMetricName();
  return labels.Drop(
      {std::string(kMetricName), std::string(kMetricType), std::string(kMetricUnit)});
}

std::string LabelsText(const LabelSet& labels) {
  std::string text = "{";
  for (const LabelView& label : labels) {
    if (text.size() > 1) text += ", ";
    if (IsLegacyLabelName(label.name)) {
      text += label.name;
    } else {
      AppendQuoted(text, label.name);
    }
    text += '=';
    AppendQuoted(text, label.value);
  }
  return text + '}';
}

absl::Status SameLabelsetError() {
  return absl::FailedPreconditionError("vector cannot contain metrics with the same labelset");
}

}  // namespace lockstep::engine
