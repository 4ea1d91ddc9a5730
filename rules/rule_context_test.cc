#include "rules/rule_context.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace lockstep::rules {
namespace {

Rule AlertRule() {
  Rule rule;
  rule.kind = RuleKind::kAlerting;
  rule.name = "Hot";
  rule.labels = {{"level", "{{ $value }}"}, {"job", ""}, {"plain", "}} as it is"}};
  rule.annotations = {{"text", "{{ $labels.gpu }} in {{ $externalLabels.cluster }} at {{ now }}"}};
  return rule;
}

engine::VectorElement Element(const std::string& gpu, double value) {
  return {LabelSet::Of({{"__name__", "temp"}, {"gpu", gpu}, {"job", "j"}}), 0, value, nullptr};
}

RuleContext Context() {
  RuleContext context;
  context.external_labels = [] {
    return std::make_shared<const TextMap>(TextMap{{"cluster", "c1"}});
  };
  context.external_url = "http://here";
  context.query = [](std::string_view text,
                     int64_t time_ms) -> absl::StatusOr<engine::VectorResult> {
    if (text != "up") return absl::InvalidArgumentError("no such query");
    return engine::VectorResult{
        {LabelSet::Of({{"job", "b"}}), time_ms, static_cast<double>(time_ms), nullptr}};
  };
  return context;
}

TEST(FindAlertsTest, EachElementIsAnAlertWithItsTexts) {
  const auto alerts =
      FindAlerts(AlertRule(), {Element("1", 81), Element("2", 82)}, 2'000, Context());
  ASSERT_TRUE(alerts.ok()) << alerts.status();
  ASSERT_EQ(alerts->size(), 2u);
  EXPECT_EQ((*alerts)[0].labels.ToString(),
            R"({alertname="Hot", gpu="1", level="81", plain="}} as it is"})");
  EXPECT_EQ((*alerts)[0].annotations.at("text"), "1 in c1 at 2");
  EXPECT_EQ((*alerts)[0].value, 81);
  EXPECT_EQ((*alerts)[1].labels.Get("level"), "82");
  EXPECT_EQ((*alerts)[1].annotations.at("text"), "2 in c1 at 2");
}

TEST(FindAlertsTest, TemplatesMayAskAtTheTimeOfTheEvaluation) {
  Rule rule = AlertRule();
  rule.annotations = {{"text",
                       "{{ with query \"up\" | first }}{{ .Labels.job }}={{ .Value }}{{ end }}"
                       " {{ externalURL }}"}};
  const auto alerts = FindAlerts(rule, {Element("1", 81)}, 2'000, Context());
  ASSERT_TRUE(alerts.ok()) << alerts.status();
  EXPECT_EQ(alerts->at(0).annotations.at("text"), "b=2000 http://here");
}

TEST(FindAlertsTest, AnErrorInATemplateIsItsText) {
  Rule rule = AlertRule();
  rule.labels = {{"a", "{{ query \"x\" }}"}};
  rule.annotations = {{"b", "{{ frob }}"}};
  const auto alerts = FindAlerts(rule, {Element("1", 81)}, 2'000, Context());
  ASSERT_TRUE(alerts.ok()) << alerts.status();
  EXPECT_EQ(alerts->at(0).labels.Get("a"),
            "<error expanding template: error calling query: no such query>");
  EXPECT_EQ(alerts->at(0).annotations.at("b"),
            "<error expanding template: line 1: function \"frob\" not defined>");
}

TEST(FindAlertsTest, ExternalLabelsMayBeMissing) {
  RuleContext context = Context();
  context.external_labels = nullptr;
  const auto alerts = FindAlerts(AlertRule(), {Element("1", 81)}, 2'000, context);
  ASSERT_TRUE(alerts.ok()) << alerts.status();
  EXPECT_EQ(alerts->at(0).annotations.at("text"), "1 in  at 2");
}

TEST(FindAlertsTest, TwoAlertsWithTheSameLabelsAreAnError) {
  const absl::Status status =
      FindAlerts(AlertRule(), {Element("1", 81), Element("1", 81)}, 0, Context()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status),
            "vector contains metrics with the same labelset after applying alert labels");
}

TEST(RecordedSeriesTest, HasTheNameAndTheLabelsOfTheRule) {
  Rule rule;
  rule.name = "job:temp:max";
  rule.labels = {{"job", ""}, {"by", "rule"}};
  const auto series = RecordedSeries(rule, {Element("1", 81), Element("2", 82)}, 2);
  ASSERT_TRUE(series.ok()) << series.status();
  ASSERT_EQ(series->size(), 2u);
  EXPECT_EQ((*series)[0].labels.ToString(), R"(job:temp:max{by="rule", gpu="1"})");
  EXPECT_EQ((*series)[1].value, 82);
  const absl::Status above = RecordedSeries(rule, {Element("1", 81), Element("2", 82)}, 1).status();
  EXPECT_EQ(above.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Message(above), "exceeded limit of 1 with 2 series");
  EXPECT_TRUE(RecordedSeries(rule, {Element("1", 81), Element("2", 82)}, 0).ok());
}

TEST(RecordedSeriesTest, TwoWithTheSameLabelsAreAnError) {
  Rule rule;
  rule.name = "r";
  rule.labels = {{"gpu", ""}};
  EXPECT_EQ(Message(RecordedSeries(rule, {Element("1", 81), Element("2", 82)}, 0).status()),
            "vector contains metrics with the same labelset after applying rule labels");
}

}  // namespace
}  // namespace lockstep::rules
