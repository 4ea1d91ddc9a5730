// PointLabels: builds the labels of points from their attributes and those of their resource and
// scope. Not thread-safe.
//
// If labels have the same name, the later one in this list wins, except that promoted attributes
// only fill gaps:
//   attributes of the point; keys that become the same name are joined with ';' in key order
//   promoted attributes of the resource
//   job and instance, from service.namespace, service.name and service.instance.id
//   otel_scope_name, _version, _schema_url and the scope's attributes, if scopes are promoted
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ingest/otlp/names/translation.h"
#include "ingest/otlp/points/attributes.h"
#include "ingest/otlp/points/metric_points.h"
#include "ingest/write/label_check.h"
#include "ingest/write/limits.h"
#include "model/labels.h"

namespace lockstep::otlp {

class PointLabels {
 public:
  // Both must outlive the object, and so must the keys of all attributes.
  PointLabels(const Translation& translation, const IngestLimits& limits)
      : translation_(translation), limits_(limits) {}

  // Apply to the following points. `resource` and `scope` must stay unchanged until the next call.
  void SetResource(const Attributes& resource);
  void SetScope(const Scope& scope);

  // Builds the labels of a point. Returns why it is refused, if so: too many attributes, or a key
  // that yields no label name.
  std::optional<BadLabels> Build(const Attributes& point);
  // Builds the labels of the resource's target_info. False if it would contain only job and
  // instance, if the resource has neither, or for the reasons above.
  bool BuildTargetInfo();
  // The labels built last, valid until the next call; unsorted, without a metric name.
  std::span<const LabelView> labels() const { return views_; }

 private:
  // Why a value cannot be a label value, if so.
  std::optional<BadLabels> RefusalOf(std::string_view value) const;
  // "" if the key yields no name.
  std::string_view NameOf(std::string_view key);
  // Adds the attributes except those whose key is in `left_out`.
  std::optional<BadLabels> AddAttributes(const Attributes& attributes,
                                         std::span<const std::string_view> left_out);
  void AddIdentity();
  std::string* Find(std::string_view name);
  void Set(std::string_view name, std::string_view value);
  void Clear();
  void ListViews();

  struct Label {
    std::string_view name;
    std::string value;
  };

  const Translation& translation_;
  const IngestLimits& limits_;
  const Attributes* resource_ = nullptr;
  std::string job_;
  std::string instance_;
  std::vector<LabelView> promoted_;
  std::vector<LabelView> scope_;
  // Applies to all points of the resource or of the scope.
  std::optional<BadLabels> resource_refusal_;
  std::optional<BadLabels> scope_refusal_;

  // Deques keep views of their elements valid when they grow.
  std::deque<std::string> names_;
  std::deque<std::string> rare_names_;  // of one point, if there are too many to keep
  absl::flat_hash_map<std::string_view, std::string_view> name_by_key_;
  std::deque<std::string> promoted_names_;
  std::deque<std::string> scope_names_;
  std::vector<LabelView> sorted_;  // scratch
  std::vector<Label> labels_;      // reused; the first label_count_ are in use
  size_t label_count_ = 0;
  std::vector<LabelView> views_;
};

}  // namespace lockstep::otlp
