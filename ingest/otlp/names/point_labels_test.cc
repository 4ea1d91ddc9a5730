#include "ingest/otlp/names/point_labels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::otlp {
namespace {

Attributes AttributesOf(const std::vector<LabelView>& all) {
  Attributes attributes;
  for (const LabelView& one : all) attributes.Add(one.name, one.value);
  return attributes;
}

std::string Text(const PointLabels& labels) {
  const std::span<const LabelView> all = labels.labels();
  return LabelSet::Of(std::vector<LabelView>(all.begin(), all.end())).ToString();
}

const IngestLimits kDefaultLimits;

// The labels of a point with this resource and scope.
std::string Labels(const Translation& translation, const Attributes& resource, const Scope& scope,
                   const Attributes& point) {
  PointLabels labels(translation, kDefaultLimits);
  labels.SetResource(resource);
  labels.SetScope(scope);
  const auto bad = labels.Build(point);
  return bad.has_value() ? bad->why : Text(labels);
}

std::string TargetInfo(const Translation& translation, const Attributes& resource) {
  PointLabels labels(translation, kDefaultLimits);
  labels.SetResource(resource);
  return labels.BuildTargetInfo() ? Text(labels) : "none";
}

TEST(PointLabels, KeysAreEscapedAndCollisionsJoined) {
  const Attributes none;
  EXPECT_EQ(Labels({}, none, {}, AttributesOf({{"http.method", "GET"}, {"gpu", "0"}})),
            R"({gpu="0", http_method="GET"})");
  // Ordered by key: '.' comes before '_'.
  EXPECT_EQ(Labels({}, none, {}, AttributesOf({{"a_b", "2"}, {"a.b", "1"}})), R"({a_b="1;2"})");
  EXPECT_EQ(Labels({}, none, {}, AttributesOf({{"a.b", ""}, {"a_b", "2"}})), R"({a_b="2"})");
  EXPECT_EQ(Labels({}, none, {}, AttributesOf({{"__name__", "x"}, {"a", "1"}})), R"({a="1"})");
  EXPECT_EQ(Labels({}, none, {}, AttributesOf({{"...", "x"}})),
            "an attribute's key is empty after conversion");
  Translation translation;
  translation.names = NameTranslation::kNoTranslation;
  EXPECT_EQ(Labels(translation, none, {}, AttributesOf({{"a_b", "2"}, {"a.b", "1"}})),
            R"({"a.b"="1", a_b="2"})");
}

TEST(PointLabels, JobAndInstanceComeFromTheService) {
  struct Case {
    std::vector<LabelView> resource;
    std::string labels;
  };
  const Case cases[] = {
      {{{"service.name", "train"}}, R"({job="train"})"},
      {{{"service.name", "train"}, {"service.namespace", "ai"}}, R"({job="ai/train"})"},
      {{{"service.namespace", "ai"}}, "{}"},
      {{{"service.instance.id", "node-1"}}, R"({instance="node-1"})"},
      {{{"service.name", ""}, {"service.instance.id", ""}}, "{}"},
      {{{"host.name", "h"}}, "{}"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Labels({}, AttributesOf(c.resource), {}, Attributes()), c.labels);
  }
  // They override attributes of the point.
  EXPECT_EQ(Labels({}, AttributesOf({{"service.name", "train"}}), {},
                   AttributesOf({{"job", "mine"}, {"instance", "mine"}})),
            R"({instance="mine", job="train"})");
}

TEST(PointLabels, ChosenAttributesOfTheResourceArePromoted) {
  const Attributes resource =
      AttributesOf({{"host.name", "h"}, {"cluster", "c"}, {"service.name", "s"}});
  Translation chosen;
  chosen.promotion.attributes = {"host.name"};
  EXPECT_EQ(Labels(chosen, resource, {}, Attributes()), R"({host_name="h", job="s"})");
  EXPECT_EQ(Labels(chosen, resource, {}, AttributesOf({{"host_name", "mine"}})),
            R"({host_name="mine", job="s"})");
  Translation all;
  all.promotion = {.promotes_all = true, .attributes = {"host.name"}};
  EXPECT_EQ(Labels(all, resource, {}, Attributes()), R"({cluster="c", job="s", service_name="s"})");
}

TEST(PointLabels, ScopesArePromotedOnRequest) {
  Scope scope;
  scope.name = "lib";
  scope.version = "1.2";
  scope.attributes.Add("a.b", "x");
  EXPECT_EQ(Labels({}, Attributes(), scope, Attributes()), "{}");
  Translation translation;
  translation.promotes_scope = true;
  EXPECT_EQ(Labels(translation, Attributes(), scope, AttributesOf({{"otel_scope_name", "mine"}})),
            R"({otel_scope_a_b="x", otel_scope_name="lib", otel_scope_version="1.2"})");
  scope.name = "";
  EXPECT_EQ(Labels(translation, Attributes(), scope, Attributes()), "{}");
}

TEST(PointLabels, TargetInfoHasTheRestOfTheResource) {
  Translation keeps;
  keeps.keeps_identifying_attributes = true;
  const Attributes resource =
      AttributesOf({{"service.name", "train"}, {"service.instance.id", "i"}, {"host.name", "h"}});
  EXPECT_EQ(TargetInfo({}, resource), R"({host_name="h", instance="i", job="train"})");
  EXPECT_EQ(TargetInfo(keeps, resource),
            R"({host_name="h", instance="i", job="train", service_instance_id="i", )"
            R"(service_name="train"})");
  // It has only job and instance, or neither of them.
  EXPECT_EQ(TargetInfo({}, AttributesOf({{"service.name", "train"}})), "none");
  EXPECT_EQ(TargetInfo({}, AttributesOf({{"host.name", "h"}})), "none");
  EXPECT_EQ(TargetInfo({}, Attributes()), "none");
}

TEST(PointLabels, TooManyAttributesAreRefused) {
  std::vector<std::string> keys;
  for (int i = 0; i < 65; ++i) keys.push_back("k" + std::to_string(i));
  Attributes attributes;
  for (const std::string& key : keys) attributes.Add(key, "v");
  EXPECT_EQ(Labels({}, Attributes(), {}, attributes),
            "65 attributes exceed the limit of 64 labels");
  attributes.Add("service.name", "train");
  EXPECT_EQ(TargetInfo({}, attributes), "none");
}

}  // namespace
}  // namespace lockstep::otlp
