#include "ingest/otlp/names/point_labels.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "ingest/otlp/names/metric_name.h"

namespace lockstep::otlp {
namespace {

constexpr std::string_view kServiceName = "service.name";
constexpr std::string_view kServiceNamespace = "service.namespace";
constexpr std::string_view kServiceInstance = "service.instance.id";
constexpr std::string_view kIdentifying[] = {kServiceName, kServiceNamespace, kServiceInstance};
// Only the metric sets this label.
constexpr std::string_view kReserved[] = {kMetricName};

bool IsPromoted(const Promotion& promotion, std::string_view key) {
  return promotion.promotes_all != promotion.attributes.contains(key);
}

bool IsOneOf(std::span<const std::string_view> keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

BadLabels Unnameable() {
  return {RejectReason::kBadName, "an attribute's key is empty after conversion"};
}

std::string JobOf(const Attributes& resource) {
  const auto name = resource.Find(kServiceName);
  if (!name.has_value()) return "";
  const auto space = resource.Find(kServiceNamespace);
  return space.has_value() ? std::string(*space) + "/" + std::string(*name) : std::string(*name);
}

}  // namespace

void PointLabels::SetResource(const Attributes& resource) {
  resource_ = &resource;
  job_ = JobOf(resource);
  instance_ = std::string(resource.Find(kServiceInstance).value_or(""));
  resource_refusal_ = RefusalOf(job_);
  if (!resource_refusal_.has_value()) resource_refusal_ = RefusalOf(instance_);
  promoted_.clear();
  promoted_names_.clear();
  for (const LabelView& attribute : resource.all()) {
    if (promoted_.size() > limits_.max_labels_per_series) break;
    if (!IsPromoted(translation_.promotion, attribute.name)) continue;
    promoted_names_.push_back(LabelName(attribute.name, translation_.names));
    promoted_.push_back({promoted_names_.back(), attribute.value});
    if (!resource_refusal_.has_value()) resource_refusal_ = RefusalOf(attribute.value);
  }
}

void PointLabels::SetScope(const Scope& scope) {
  scope_.clear();
  scope_names_.clear();
  scope_refusal_.reset();
  if (!translation_.promotes_scope || scope.name.empty()) return;
  for (const LabelView& attribute : scope.attributes.all()) {
    if (scope_.size() > limits_.max_labels_per_series) break;
    const std::string key = "otel_scope_" + std::string(attribute.name);
    scope_names_.push_back(LabelName(key, translation_.names));
    scope_.push_back({scope_names_.back(), attribute.value});
  }
  scope_.push_back({"otel_scope_name", scope.name});
  scope_.push_back({"otel_scope_version", scope.version});
  scope_.push_back({"otel_scope_schema_url", scope.schema_url});
  for (const LabelView& label : scope_) {
    if (!scope_refusal_.has_value()) scope_refusal_ = RefusalOf(label.value);
  }
}

std::optional<BadLabels> PointLabels::RefusalOf(std::string_view value) const {
  if (value.size() <= limits_.max_label_value_bytes) return std::nullopt;
  return BadLabels{RejectReason::kLabelTooLong,
                   absl::StrFormat("a label value of %d bytes is longer than the limit of %d",
                                   value.size(), limits_.max_label_value_bytes)};
}

std::optional<BadLabels> PointLabels::Build(const Attributes& point) {
  // Checked before the labels are copied for every point.
  if (resource_refusal_.has_value()) return resource_refusal_;
  if (scope_refusal_.has_value()) return scope_refusal_;
  Clear();
  if (auto bad = AddAttributes(point, kReserved)) return bad;
  for (const LabelView& label : promoted_) {
    if (label.name.empty()) return Unnameable();
    const std::string* const there = Find(label.name);
    if (there == nullptr || there->empty()) Set(label.name, label.value);
  }
  AddIdentity();
  for (const LabelView& label : scope_) Set(label.name, label.value);
  ListViews();
  return std::nullopt;
}

bool PointLabels::BuildTargetInfo() {
  const bool says_more = std::ranges::any_of(resource_->all(), [](const LabelView& attribute) {
    return !IsOneOf(kIdentifying, attribute.name);
  });
  if (!says_more || (job_.empty() && instance_.empty())) return false;
  Clear();
  const auto left_out = translation_.keeps_identifying_attributes
                            ? std::span<const std::string_view>(kReserved)
                            : std::span<const std::string_view>(kIdentifying);
  if (AddAttributes(*resource_, left_out).has_value()) return false;
  AddIdentity();
  ListViews();
  return true;
}

void PointLabels::Clear() {
  label_count_ = 0;
  rare_names_.clear();
}

std::string_view PointLabels::NameOf(std::string_view key) {
  constexpr size_t kMaxKeptNames = 10'000;
  if (const auto found = name_by_key_.find(key); found != name_by_key_.end()) return found->second;
  std::string name = LabelName(key, translation_.names);
  if (names_.size() == kMaxKeptNames) return rare_names_.emplace_back(std::move(name));
  return name_by_key_[key] = names_.emplace_back(std::move(name));
}

std::optional<BadLabels> PointLabels::AddAttributes(const Attributes& attributes,
                                                    std::span<const std::string_view> left_out) {
  const std::span<const LabelView> all = attributes.all();
  if (all.size() > limits_.max_labels_per_series) {
    return BadLabels{RejectReason::kTooManyLabels,
                     absl::StrFormat("%d attributes exceed the limit of %d labels", all.size(),
                                     limits_.max_labels_per_series)};
  }
  sorted_.assign(all.begin(), all.end());
  std::ranges::stable_sort(sorted_, {}, &LabelView::name);
  for (const LabelView& attribute : sorted_) {
    if (IsOneOf(left_out, attribute.name)) continue;
    const std::string_view name = NameOf(attribute.name);
    if (name.empty()) return Unnameable();
    std::string* const there = Find(name);
    if (there == nullptr || there->empty()) {
      Set(name, attribute.value);
    } else {
      there->append(";").append(attribute.value);
    }
  }
  return std::nullopt;
}

void PointLabels::AddIdentity() {
  if (!job_.empty()) Set("job", job_);
  if (!instance_.empty()) Set("instance", instance_);
}

std::string* PointLabels::Find(std::string_view name) {
  for (size_t i = 0; i < label_count_; ++i) {
    if (labels_[i].name == name) return &labels_[i].value;
  }
  return nullptr;
}

void PointLabels::Set(std::string_view name, std::string_view value) {
  if (std::string* const there = Find(name)) {
    there->assign(value);
    return;
  }
  if (label_count_ == labels_.size()) labels_.emplace_back();
  labels_[label_count_].name = name;
  labels_[label_count_].value.assign(value);
  ++label_count_;
}

void PointLabels::ListViews() {
  views_.clear();
  for (size_t i = 0; i < label_count_; ++i) views_.push_back({labels_[i].name, labels_[i].value});
}

}  // namespace lockstep::otlp
