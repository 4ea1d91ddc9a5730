#include "rules/alerts/active_alerts.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::rules {
namespace {

constexpr int64_t kMinute = 60'000;

Alert Found(double value) {
  Alert alert;
  alert.labels = LabelSet::Of({{kAlertName, "Hot"}});
  alert.value = value;
  return alert;
}

// One evaluation per minute from minute 1 on, '+' if the expression returns the alert. The result
// has a letter for each state: pending, firing, inactive, or '.' when it is forgotten.
void Check(const Rule& rule, std::string_view given, std::string_view expected) {
  ActiveAlerts alerts;
  std::string states;
  for (size_t i = 0; i < given.size(); ++i) {
    std::vector<Alert> found;
    if (given[i] == '+') found.push_back(Found(static_cast<double>(i)));
    const int64_t time_ms = static_cast<int64_t>(i + 1) * kMinute;
    EXPECT_TRUE(alerts.Update(rule, std::move(found), time_ms, 0).ok());
    states += alerts.all().empty() ? '.' : Name(alerts.all().begin()->second.state)[0];
  }
  EXPECT_EQ(states, expected) << given;
}

Rule RuleOf(int64_t hold_minutes, int64_t keep_minutes) {
  Rule rule;
  rule.kind = RuleKind::kAlerting;
  rule.name = "Hot";
  rule.hold_duration = milliseconds(hold_minutes * kMinute);
  rule.keep_firing_for = milliseconds(keep_minutes * kMinute);
  return rule;
}

TEST(ActiveAlertsTest, GoesFromStateToState) {
  Check(RuleOf(0, 0), "+-+", "fif");
  Check(RuleOf(2, 0), "+++-+", "ppfip");
  Check(RuleOf(2, 0), "++-+++", "pp.ppf");
  Check(RuleOf(0, 2), "+--+---", "ffffffi");
  // Resolved at minute 2, it is forgotten after more than 15 minutes.
  Check(RuleOf(0, 0), "+-----------------", "fiiiiiiiiiiiiiiii.");
}

TEST(ActiveAlertsTest, TellsAgainAfterTheDelay) {
  ActiveAlerts alerts;
  const Rule rule = RuleOf(0, 0);
  std::string told;
  for (int64_t minute = 1; minute <= 6; ++minute) {
    std::vector<Alert> found;
    if (minute <= 3) found.push_back(Found(1));
    ASSERT_TRUE(alerts.Update(rule, std::move(found), minute * kMinute, 0).ok());
    for (const Alert& alert : alerts.TakeUnsent(minute * kMinute, minute * kMinute,
                                                milliseconds(kMinute), milliseconds(kMinute))) {
      absl::StrAppendFormat(&told, "%d%s-%d ", minute, Name(alert.state).substr(0, 1),
                            alert.valid_until_ms / kMinute);
    }
  }
  // Not one minute after the last time but later; immediately when it resolves.
  EXPECT_EQ(told, "1f-5 3f-7 4i-8 6i-10 ");
}

TEST(ActiveAlertsTest, IsNotOverWhileEvaluatingTakesLong) {
  ActiveAlerts alerts;
  const milliseconds minute(kMinute);
  ASSERT_TRUE(alerts.Update(RuleOf(0, 0), {Found(1)}, kMinute, 0).ok());
  // The rule was last in a round that took five minutes.
  const auto told = alerts.TakeUnsent(kMinute, 6 * kMinute, minute, minute);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].valid_until_ms, 10 * kMinute);
  EXPECT_TRUE(alerts.TakeExpiring(7 * kMinute, minute, minute).empty());
  // The next round takes even longer.
  const auto again = alerts.TakeExpiring(8 * kMinute, minute, minute);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].valid_until_ms, 12 * kMinute);
  EXPECT_TRUE(alerts.TakeExpiring(9 * kMinute, minute, minute).empty());
  // The evaluation resolves it immediately, although it was sent later than the evaluation time.
  ASSERT_TRUE(alerts.Update(RuleOf(0, 0), {}, 2 * kMinute, 0).ok());
  const auto resolved = alerts.TakeUnsent(2 * kMinute, 9 * kMinute, minute, minute);
  ASSERT_EQ(resolved.size(), 1u);
  EXPECT_EQ(resolved[0].state, AlertState::kInactive);
  EXPECT_TRUE(alerts.TakeExpiring(20 * kMinute, minute, minute).empty());
}

TEST(ActiveAlertsTest, WritesBothSeries) {
  ActiveAlerts alerts;
  ASSERT_TRUE(alerts.Update(RuleOf(1, 0), {Found(1)}, 61'500, 0).ok());
  const auto samples = alerts.Samples(61'500);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].labels.ToString(), "ALERTS{alertname=\"Hot\", alertstate=\"pending\"}");
  EXPECT_EQ(samples[0].value, 1);
  EXPECT_EQ(samples[1].labels.ToString(), "ALERTS_FOR_STATE{alertname=\"Hot\"}");
  EXPECT_EQ(samples[1].value, 61);
}

TEST(ActiveAlertsTest, ForgetsAllAboveTheLimit) {
  ActiveAlerts alerts;
  Alert other = Found(1);
  other.labels = LabelSet::Of({{kAlertName, "Hot"}, {"gpu", "1"}});
  const absl::Status status = alerts.Update(RuleOf(0, 0), {Found(1), other}, kMinute, 1);
  EXPECT_EQ(Message(status), "exceeded limit of 1 with 2 alerts");
  EXPECT_TRUE(alerts.all().empty());
}

TEST(ActiveAlertsTest, AtTheLimitAllAreThere) {
  ActiveAlerts alerts;
  Alert other = Found(1);
  other.labels = LabelSet::Of({{kAlertName, "Hot"}, {"gpu", "1"}});
  ASSERT_TRUE(alerts.Update(RuleOf(0, 0), {Found(1), other}, kMinute, 2).ok());
  EXPECT_EQ(alerts.all().size(), 2u);
  // What is over does not count.
  Alert third = Found(1);
  third.labels = LabelSet::Of({{kAlertName, "Hot"}, {"gpu", "2"}});
  EXPECT_TRUE(alerts.Update(RuleOf(0, 0), {other, third}, 2 * kMinute, 2).ok());
  EXPECT_EQ(alerts.all().size(), 3u);
}

TEST(ActiveAlertsTest, AnAlertKeepsItsTimesAndHasTheLatestTexts) {
  ActiveAlerts alerts;
  const Rule rule = RuleOf(1, 0);
  for (int64_t minute = 1; minute <= 3; ++minute) {
    Alert found = Found(static_cast<double>(minute));
    found.annotations = {{"at", std::to_string(minute)}};
    ASSERT_TRUE(alerts.Update(rule, {found}, minute * kMinute, 0).ok());
  }
  const Alert& alert = alerts.all().at(Found(0).labels);
  EXPECT_EQ(alert.value, 3);
  EXPECT_EQ(alert.annotations.at("at"), "3");
  EXPECT_EQ(alert.active_at_ms, kMinute);
  EXPECT_EQ(alert.fired_at_ms, 2 * kMinute);
  EXPECT_EQ(alert.resolved_at_ms, 0);
  ASSERT_TRUE(alerts.Update(rule, {}, 4 * kMinute, 0).ok());
  ASSERT_TRUE(alerts.Update(rule, {}, 5 * kMinute, 0).ok());
  EXPECT_EQ(alert.resolved_at_ms, 4 * kMinute);
  EXPECT_TRUE(alerts.Samples(0).empty());
  // It is another alert when it comes back.
  ASSERT_TRUE(alerts.Update(rule, {Found(7)}, 6 * kMinute, 0).ok());
  EXPECT_EQ(alert.active_at_ms, 6 * kMinute);
  EXPECT_EQ(alert.resolved_at_ms, 0);
  EXPECT_EQ(alert.state, AlertState::kPending);
}

TEST(ActiveAlertsTest, KeepsFiringFromTheLastTimeItWasSeen) {
  // The time begins anew when the expression returns it in between.
  Check(RuleOf(0, 2), "+-+--+", "ffffff");
  Check(RuleOf(0, 2), "+-+---", "fffffi");
  // What is pending is not kept.
  Check(RuleOf(2, 2), "+-", "p.");
}

TEST(ActiveAlertsTest, TellsNothingOfWhatIsPending) {
  ActiveAlerts alerts;
  const milliseconds minute(kMinute);
  ASSERT_TRUE(alerts.Update(RuleOf(5, 0), {Found(1)}, kMinute, 0).ok());
  EXPECT_TRUE(alerts.TakeUnsent(kMinute, kMinute, minute, minute).empty());
  EXPECT_TRUE(alerts.TakeExpiring(kMinute, minute, minute).empty());
}

TEST(ActiveAlertsTest, IsValidForFourOfTheLongerTimes) {
  for (const auto& [resend_min, interval_min, valid_min] :
       {std::tuple<int64_t, int64_t, int64_t>{1, 3, 12}, {3, 1, 12}, {2, 2, 8}}) {
    ActiveAlerts alerts;
    ASSERT_TRUE(alerts.Update(RuleOf(0, 0), {Found(1)}, kMinute, 0).ok());
    const auto told = alerts.TakeUnsent(kMinute, kMinute, milliseconds(resend_min * kMinute),
                                        milliseconds(interval_min * kMinute));
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].valid_until_ms, (1 + valid_min) * kMinute);
  }
}

TEST(ActiveAlertsTest, OnlyWhatWasToldExpires) {
  ActiveAlerts alerts;
  const milliseconds minute(kMinute);
  ASSERT_TRUE(alerts.Update(RuleOf(0, 0), {Found(1)}, kMinute, 0).ok());
  EXPECT_TRUE(alerts.TakeExpiring(100 * kMinute, minute, minute).empty());
}

TEST(ActiveAlertsTest, TimesBeforeTheEpochAreRoundedDown) {
  for (const auto& [active_ms, seconds] :
       {std::pair<int64_t, double>{-1, -1}, {-1'000, -1}, {-1'001, -2}, {999, 0}, {0, 0}}) {
    ActiveAlerts alerts;
    ASSERT_TRUE(alerts.Update(RuleOf(1, 0), {Found(1)}, active_ms, 0).ok());
    EXPECT_EQ(alerts.Samples(7).at(1).value, seconds) << active_ms;
    EXPECT_EQ(alerts.Samples(7).at(1).timestamp_ms, 7);
    EXPECT_EQ(alerts.Samples(7).at(0).timestamp_ms, 7);
    EXPECT_EQ(alerts.Samples(7).at(0).value, 1);
  }
}

TEST(ActiveAlertsTest, AnAlertThatIsNotThereHasNoTimeToSet) {
  ActiveAlerts alerts;
  ASSERT_TRUE(alerts.Update(RuleOf(1, 0), {Found(1)}, kMinute, 0).ok());
  alerts.SetActiveAt(LabelSet::Of({{"other", "1"}}), 5);
  EXPECT_EQ(alerts.all().size(), 1u);
  alerts.SetActiveAt(Found(1).labels, 5);
  EXPECT_EQ(alerts.all().begin()->second.active_at_ms, 5);
}

}  // namespace
}  // namespace lockstep::rules
