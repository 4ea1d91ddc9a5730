// PointLabels: the labels of points, from their attributes, those of their resource and of their scope. Not
// thread-safe.
//
// Of labels with one name the later in this list wins, but a promoted attribute, which only fills a gap:
//   attributes of the point; attributes whose names become the same are joined with ';' in order of their keys
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
#include "ingest/label_check.h"
#include "ingest/limits.h"
#include "ingest/otlp/attributes.h"
#include "ingest/otlp/metric_points.h"
#include "ingest/otlp/translation.h"
#include "model/labels.h"

namespace lockstep::otlp {

class PointLabels {
 public:
  // Both outlive the object, and so do the keys of all attributes.
  PointLabels(const Translation& translation, const IngestLimits& limits)
      : translation_(translation), limits_(limits) {}

  // Those of the points to come. `resource` and `scope` stay as they are until the next.
  void SetResource(const Attributes& resource);
  void SetScope(const Scope& scope);

  // Why a point has none, if so: too many attributes, or a key that makes no label name.
  std::optional<BadLabels> Build(const Attributes& point);
  // Those of the resource's target_info. False if it would say no more than job and instance, if the resource
  // has neither, or for the reasons above.
  bool BuildTargetInfo();
  // What was built last, until the next time: in no order, without a metric name.
  std::span<const LabelView> labels() const { return views_; }

 private:
  // Why a value can be no label, if so.
  std::optional<BadLabels> RefusalOf(std::string_view value) const;
  // "" if the key makes none.
  std::string_view NameOf(std::string_view key);
  // Adds the attributes but those with one of the `left_out` keys.
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
  // Of all points of the resource, or of the scope.
  std::optional<BadLabels> resource_refusal_;
  std::optional<BadLabels> scope_refusal_;

  // Deques: views of what is there stay when they grow.
  std::deque<std::string> names_;
  std::deque<std::string> rare_names_;  // of one point, when there are very many
  absl::flat_hash_map<std::string_view, std::string_view> name_by_key_;
  std::deque<std::string> promoted_names_;
  std::deque<std::string> scope_names_;
  std::vector<LabelView> sorted_;  // scratch
  std::vector<Label> labels_;      // reused; the first label_count_ count
  size_t label_count_ = 0;
  std::vector<LabelView> views_;
};

}  // namespace lockstep::otlp
