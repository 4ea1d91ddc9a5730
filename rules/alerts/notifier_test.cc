#include "rules/alerts/notifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/clock.h"
#include "base/utc_text.h"
#include "tests/support/answering_server.h"

namespace lockstep::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int64_t kHourMs = 3'600'000;
constexpr std::chrono::seconds kDiscoveryPatience{60};

// Alertmanagers at paths of one server.
class NotifierTest : public testing::Test {
 protected:
  // $SERVER is the server's address. Returns when the receivers are as many as that.
  void Configure(const std::string& yaml, size_t count) {
    auto config =
        ParseRulesConfig(absl::StrReplaceAll(yaml, {{"$SERVER", server_.address()}}), "/etc/a.yml");
    ASSERT_TRUE(config.ok()) << config.status();
    notifier_.Configure(*std::move(config));
    const auto deadline = std::chrono::steady_clock::now() + kDiscoveryPatience;
    while (notifier_.alertmanagers().active.size() != count) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      std::this_thread::yield();
    }
  }

  static Alert Firing(const std::string& gpu, uint64_t source) {
    Alert alert;
    alert.state = AlertState::kFiring;
    alert.labels = LabelSet::Of({{"alertname", "Hot"}, {"gpu", gpu}});
    alert.fired_at_ms = SystemTimeMs();
    alert.valid_until_ms = SystemTimeMs() + kHourMs;
    alert.source = source;
    return alert;
  }

  void Tell(const std::vector<Alert>& alerts) {
    Rule rule;
    rule.expression = "temp > 80";
    notifier_.Tell(rule, alerts);
  }

  // The next request, with its first line, once it has come.
  std::string Await() {
    const MutexLock lock(mutex_);
    while (requests_.size() == taken_) arrived_.Wait(mutex_);
    return requests_[taken_++];
  }

  std::string Take(std::string_view request) {
    const MutexLock lock(mutex_);
    requests_.push_back(std::string(request.substr(0, request.find('\r'))) + "\n" +
                        std::string(AnsweringServer::BodyOf(request)));
    arrived_.NotifyAll();
    return AnsweringServer::Page("200 OK", "");
  }

  std::string Url(const std::string& path) { return "http://" + server_.address() + path; }

  Mutex mutex_;
  CondVar arrived_;
  std::vector<std::string> requests_ LOCKSTEP_GUARDED_BY(mutex_);
  size_t taken_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  AnsweringServer server_{[this](std::string_view request) { return Take(request); }};
  Notifier notifier_{"http://here"};
};

TEST_F(NotifierTest, ListsTheReceiversAndWhatRelabellingDrops) {
  Configure(R"(
alerting:
  alertmanagers:
  - static_configs: [{targets: [a:9093, b:9093]}]
    relabel_configs: [{source_labels: [__address__], regex: "b:.*", action: drop}]
  - scheme: https
    path_prefix: am/
    static_configs: [{targets: [c:1]}]
)",
            2);
  EXPECT_THAT(notifier_.alertmanagers().active,
              ElementsAre("http://a:9093/api/v2/alerts", "https://c:1/am/api/v2/alerts"));
  EXPECT_THAT(notifier_.alertmanagers().dropped, ElementsAre("http://b:9093/api/v2/alerts"));
  EXPECT_EQ(notifier_.stats().alertmanagers, 2u);
  Configure("{}", 0);
  EXPECT_THAT(notifier_.alertmanagers().dropped, IsEmpty());
}

// The rules for all receivers see external labels, which do not replace those of an alert; those
// of one receiver come after them.
TEST_F(NotifierTest, TellsWithTheLabelsThatAReceiverWants) {
  Configure(R"(
global: {external_labels: {cluster: c, gpu: none}}
alerting:
  alert_relabel_configs:
  - {source_labels: [gpu], regex: "9", action: drop}
  - {source_labels: [cluster], target_label: all}
  alertmanagers:
  - static_configs: [{targets: [$SERVER]}]
    alert_relabel_configs:
    - {source_labels: [gpu], regex: "8", action: drop}
    - {source_labels: [all], target_label: own}
)",
            1);
  Tell({Firing("9", 1), Firing("8", 2), Firing("1", 3)});
  const std::string request = Await();
  EXPECT_THAT(request, HasSubstr("POST /api/v2/alerts HTTP/1.1\n"));
  EXPECT_THAT(request, HasSubstr(R"([{"labels":{"alertname":"Hot","all":"c","cluster":"c",)"
                                 R"("gpu":"1","own":"c"},"annotations":{},)"));
  EXPECT_THAT(request,
              HasSubstr(R"("generatorURL":"http://here/graph?g0.expr=temp+%3E+80&g0.tab=1"}])"));
}

TEST_F(NotifierTest, WebhooksHaveTheirForm) {
  Configure(R"(
alerting:
  webhooks: [{url: "http://$SERVER/hook"}]
  alertmanagers:
  - static_configs: [{targets: [$SERVER]}]
    alert_relabel_configs: [{source_labels: [gpu], regex: "1", action: drop}]
)",
            1);
  Tell({Firing("1", 1)});
  EXPECT_THAT(Await(), testing::AllOf(HasSubstr("POST /hook HTTP/1.1\n"),
                                      HasSubstr(R"("version":"4","status":"firing")"),
                                      HasSubstr(R"("externalURL":"http://here")")));
}

// A receiver that is discovered later hears of what fires then, with its last state, and of nothing
// else.
TEST_F(NotifierTest, ALaterReceiverHearsOfWhatFires) {
  Alert over = Firing("1", 1);
  Tell({over, Firing("2", 2)});
  over.resolved_at_ms = SystemTimeMs();
  Alert expired = Firing("3", 3);
  expired.valid_until_ms = SystemTimeMs() - 1;
  Alert again = Firing("2", 2);
  again.annotations = {{"try", "second"}};
  Tell({over, expired, again});
  const std::string first = "{alerting: {alertmanagers: [{static_configs: [{targets: [$SERVER]}]}";
  Configure(first + "]}}", 1);
  EXPECT_THAT(Await(),
              testing::AllOf(HasSubstr(R"("gpu":"2")"), HasSubstr(R"("try":"second")"),
                             Not(HasSubstr(R"("gpu":"1")")), Not(HasSubstr(R"("gpu":"3")"))));
  // Another is told, and the first, which has heard of it, is not told again.
  Configure(first + ", {path_prefix: /two, static_configs: [{targets: [$SERVER]}]}]}}", 2);
  EXPECT_THAT(Await(), HasSubstr("POST /two/api/v2/alerts"));
  EXPECT_THAT(notifier_.alertmanagers().active,
              ElementsAre(Url("/api/v2/alerts"), Url("/two/api/v2/alerts")));
  Tell({Firing("4", 4)});
  EXPECT_THAT(Await(), HasSubstr(R"("gpu":"4")"));
  EXPECT_THAT(Await(), HasSubstr(R"("gpu":"4")"));
}

TEST_F(NotifierTest, PathsBeginWithOneSlashAndEndWithNone) {
  Configure(R"(
alerting:
  alertmanagers:
  - {path_prefix: "", static_configs: [{targets: [a:1]}]}
  - {path_prefix: /b//, static_configs: [{targets: [b:1]}]}
  - static_configs: [{targets: [c:1], labels: {__scheme__: https, __alerts_path__: /own}}]
)",
            3);
  EXPECT_THAT(
      notifier_.alertmanagers().active,
      ElementsAre("http://a:1/api/v2/alerts", "http://b:1/b/api/v2/alerts", "https://c:1/own"));
}

TEST_F(NotifierTest, RelabellingMayChangeAReceiversAddress) {
  Configure(R"(
alerting:
  alertmanagers:
  - static_configs: [{targets: [a:1, b:1]}]
    relabel_configs: [{replacement: "c:2", target_label: __address__}]
)",
            1);
  EXPECT_THAT(notifier_.alertmanagers().active, ElementsAre("http://c:2/api/v2/alerts"));
}

TEST_F(NotifierTest, CountsWhatItSends) {
  Configure("{alerting: {alertmanagers: [{static_configs: [{targets: [$SERVER]}]}]}}", 1);
  Tell({Firing("1", 1), Firing("2", 2)});
  Await();
  while (notifier_.stats().sent < 2) std::this_thread::yield();
  EXPECT_EQ(notifier_.stats().sent, 2u);
  EXPECT_EQ(notifier_.stats().dropped, 0u);
  EXPECT_EQ(notifier_.stats().failed_requests, 0u);
}

TEST_F(NotifierTest, AnAlertThatIsOverIsToldWithItsEnd) {
  Configure("{alerting: {alertmanagers: [{static_configs: [{targets: [$SERVER]}]}]}}", 1);
  Alert over = Firing("1", 1);
  over.fired_at_ms = SystemTimeMs() - 2'000;
  over.resolved_at_ms = SystemTimeMs() - 1'000;
  Tell({over});
  const std::string request = Await();
  EXPECT_THAT(request, HasSubstr("\"startsAt\":\"" + Rfc3339Text(over.fired_at_ms) + "\""));
  EXPECT_THAT(request, HasSubstr("\"endsAt\":\"" + Rfc3339Text(over.resolved_at_ms) + "\""));
}

TEST_F(NotifierTest, AFiringAlertIsValidForTheTimeOfARequestMore) {
  Configure("{alerting: {alertmanagers: [{timeout: 7s, static_configs: [{targets: [$SERVER]}]}]}}",
            1);
  const Alert alert = Firing("1", 1);
  Tell({alert});
  EXPECT_THAT(Await(),
              HasSubstr("\"endsAt\":\"" + Rfc3339Text(alert.valid_until_ms + 7'000) + "\""));
}

TEST_F(NotifierTest, ReceiversShareNoRules) {
  Configure(R"(
alerting:
  alertmanagers:
  - path_prefix: /one
    static_configs: [{targets: [$SERVER]}]
    alert_relabel_configs: [{replacement: "1", target_label: own}]
  - path_prefix: /two
    static_configs: [{targets: [$SERVER]}]
  webhooks:
  - url: "http://$SERVER/three"
    alert_relabel_configs: [{source_labels: [gpu], regex: "1", action: drop}]
)",
            2);
  Tell({Firing("1", 1), Firing("2", 2)});
  for (int i = 0; i < 3; ++i) {
    const std::string request = Await();
    const bool is_one = request.starts_with("POST /one/");
    EXPECT_EQ(request.find(R"("own":"1")") != std::string::npos, is_one) << request;
    const bool is_three = request.starts_with("POST /three ");
    EXPECT_EQ(request.find(R"("gpu":"1")") == std::string::npos, is_three) << request;
    EXPECT_THAT(request, HasSubstr(R"("gpu":"2")"));
  }
}

}  // namespace
}  // namespace lockstep::rules
