#include "ingest/write/label_check.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "model/tenant.h"

namespace lockstep {
namespace {

bool HasSmallerName(const LabelView& a, const LabelView& b) { return a.name < b.name; }

std::optional<BadLabels> CheckLabel(const LabelView& label, const IngestLimits& limits) {
  if (label.name.empty()) return BadLabels{RejectReason::kEmptyLabelName, "empty label name"};
  if (label.name == kTenantLabel) {
    return BadLabels{RejectReason::kReservedLabelName,
                     "a label name of one zero byte is reserved for tenants"};
  }
  if (label.name.size() > limits.max_label_name_bytes) {
    return BadLabels{RejectReason::kLabelTooLong,
                     absl::StrFormat("a label name of %d bytes is longer than the limit of %d",
                                     label.name.size(), limits.max_label_name_bytes)};
  }
  if (label.value.size() > limits.max_label_value_bytes) {
    return BadLabels{RejectReason::kLabelTooLong,
                     absl::StrFormat("a label value of %d bytes is longer than the limit of %d",
                                     label.value.size(), limits.max_label_value_bytes)};
  }
  if (!IsValidUtf8(label.name)) {
    return BadLabels{RejectReason::kInvalidUtf8, "a label name is not valid UTF-8"};
  }
  if (!IsValidUtf8(label.value)) {
    return BadLabels{RejectReason::kInvalidUtf8,
                     absl::StrFormat("the value of label \"%s\" is not valid UTF-8", label.name)};
  }
  return std::nullopt;
}

}  // namespace

void SortLabels(std::vector<LabelView>& labels) {
  if (std::is_sorted(labels.begin(), labels.end(), HasSmallerName)) return;
  std::stable_sort(labels.begin(), labels.end(), HasSmallerName);
}

std::optional<BadLabels> CheckLabels(std::span<const LabelView> labels,
                                     const IngestLimits& limits) {
  if (labels.size() > limits.max_labels_per_series) {
    return BadLabels{RejectReason::kTooManyLabels,
                     absl::StrFormat("%d labels exceed the limit of %d", labels.size(),
                                     limits.max_labels_per_series)};
  }
  bool has_metric_name = false;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (auto bad = CheckLabel(labels[i], limits)) return bad;
    if (i > 0 && labels[i].name == labels[i - 1].name) {
      return BadLabels{RejectReason::kDuplicateLabel,
                       absl::StrFormat("duplicate label name \"%s\"", labels[i].name)};
    }
    has_metric_name |= labels[i].name == kMetricName && !labels[i].value.empty();
  }
  if (!has_metric_name) {
    return BadLabels{RejectReason::kNoMetricName, "no metric name (label \"__name__\")"};
  }
  return std::nullopt;
}

std::optional<BadLabels> CheckSpelling(std::span<const LabelView> labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i > 0 && labels[i].name < labels[i - 1].name) {
      return BadLabels{RejectReason::kUnsortedLabels, "label names are not in order"};
    }
    if (labels[i].value.empty()) {
      return BadLabels{RejectReason::kEmptyLabelValue, "a label value is empty"};
    }
  }
  return std::nullopt;
}

}  // namespace lockstep
