#include "rules/alerts/notice.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"

namespace lockstep::rules {
namespace {

Notice FiringNotice() {
  return {.labels = LabelSet::Of({{"alertname", "Hot"}, {"gpu", "1"}}),
          .annotations = {{"text", "say \"hi\" \\ \n"}},
          .starts_at_ms = 0,
          .ends_at_ms = 1'767'323'045'678,
          .generator_url = "http://here/graph"};
}

Notice ResolvedNotice() {
  Notice notice = FiringNotice();
  notice.labels = LabelSet::Of({{"alertname", "Hot"}, {"gpu", "2"}});
  notice.annotations.clear();
  notice.is_resolved = true;
  return notice;
}

// PostableAlert of Alertmanager's API version 2.
TEST(Notice, ForAlertmanagers) {
  EXPECT_EQ(AlertmanagerBody({}), "[]");
  const std::vector<Notice> both = {FiringNotice(), ResolvedNotice()};
  EXPECT_EQ(
      AlertmanagerBody(both),
      R"([{"labels":{"alertname":"Hot","gpu":"1"},)"
      R"("annotations":{"text":"say \"hi\" \\ \u000a"},"startsAt":"1970-01-01T00:00:00.000Z",)"
      R"("endsAt":"2026-01-02T03:04:05.678Z","generatorURL":"http://here/graph"},)"
      R"({"labels":{"alertname":"Hot","gpu":"2"},"annotations":{},)"
      R"("startsAt":"1970-01-01T00:00:00.000Z","endsAt":"2026-01-02T03:04:05.678Z",)"
      R"("generatorURL":"http://here/graph"}])");
}

// The message of Alertmanager's webhooks, in version 4: what fires has no end, and all fire if one
// does.
TEST(Notice, ForWebhooks) {
  const auto check = [](const std::vector<Notice>& notices, const std::string& status,
                        const std::string& common, const std::string& alerts) {
    EXPECT_EQ(WebhookBody(notices, "http://here"),
              R"({"version":"4","status":")" + status +
                  R"(","receiver":"lockstep","groupKey":"{}","truncatedAlerts":0,)"
                  R"("groupLabels":{},"commonLabels":)" +
                  common + R"(,"commonAnnotations":{},"externalURL":"http://here","alerts":[)" +
                  alerts + "]}");
  };
  const auto end = [](const Notice& notice) {
    return absl::StrFormat(R"(,"generatorURL":"http://here/graph","fingerprint":"%016x"})",
                           notice.labels.Hash());
  };
  const std::string firing =
      R"({"status":"firing","labels":{"alertname":"Hot","gpu":"1"},)"
      R"("annotations":{"text":"say \"hi\" \\ \u000a"},"startsAt":"1970-01-01T00:00:00.000Z",)"
      R"("endsAt":"0001-01-01T00:00:00Z")" +
      end(FiringNotice());
  const std::string resolved =
      R"({"status":"resolved","labels":{"alertname":"Hot","gpu":"2"},"annotations":{},)"
      R"("startsAt":"1970-01-01T00:00:00.000Z","endsAt":"2026-01-02T03:04:05.678Z")" +
      end(ResolvedNotice());
  check({}, "resolved", "{}", "");
  check({FiringNotice()}, "firing", R"({"alertname":"Hot","gpu":"1"})", firing);
  check({ResolvedNotice()}, "resolved", R"({"alertname":"Hot","gpu":"2"})", resolved);
  check({ResolvedNotice(), FiringNotice()}, "firing", R"({"alertname":"Hot"})",
        resolved + "," + firing);
}

}  // namespace
}  // namespace lockstep::rules
