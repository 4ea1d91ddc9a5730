#include "rules/hooks/hook_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "ingest/write/ingest_testing.h"
#include "rules/hooks/hook_policy.h"
#include "tests/support/answering_server.h"
#include "tests/support/test_folder.h"

namespace lockstep::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A hook that writes a line for each node to a file.
class HookRunnerTest : public testing::Test {
 protected:
  HookRunnerTest() {
    config_.dry_run = false;
    config_.max_nodes = 10;
    config_.min_interval = milliseconds(0);
    config_.hooks = {Hook()};
    Start();
  }
  ~HookRunnerTest() override { runner_ = nullptr; }

  void Start() {
    runner_ = nullptr;
    runner_ = std::make_unique<HookRunner>(&kept_);
    runner_->Configure(config_);
  }

  std::string Lines() const { return folder_.path() + "/lines"; }

  HookConfig Hook() const {
    HookConfig hook;
    hook.name = "drain";
    hook.match = {{"action", "drain"}};
    hook.command = {"/bin/sh", "-c", "echo $1 $LOCKSTEP_LABEL_gpu >> " + Lines(), "sh",
                    "{{ $labels.node }}"};
    return hook;
  }

  static Alert Firing(const std::string& node) {
    Alert alert;
    alert.state = AlertState::kFiring;
    alert.labels = LabelSet::Of({{"action", "drain"}, {"gpu", "3"}, {"node", node}});
    return alert;
  }

  // Waits until so many actions have been begun and, as the next one shows, are over.
  void AwaitActions(uint64_t count) const {
    while (runner_->stats().actions < count) std::this_thread::yield();
  }
  // Ends the runner, which waits for the hook that runs.
  std::vector<std::string> EndWithLines() {
    runner_ = nullptr;
    std::ifstream file(Lines());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  std::vector<HookAction> Kept() const {
    std::vector<HookAction> actions;
    const auto row = kept_.ReadKept(KeptKind::kHookActions, 0);
    if (!row.ok() || !row->has_value()) return actions;
    EXPECT_TRUE(DecodeKeptHookActions(**row, actions));
    return actions;
  }

  const TestFolder folder_;
  KeptRowsInMemory kept_;
  RemediationConfig config_;
  std::unique_ptr<HookRunner> runner_;
};

TEST_F(HookRunnerTest, RunsTheCommandOncePerNode) {
  runner_->Tell({Firing("n1"), Firing("n2")});
  runner_->Tell({Firing("n1")});
  AwaitActions(2);
  EXPECT_THAT(EndWithLines(), ElementsAre("n1 3", "n2 3"));
}

TEST_F(HookRunnerTest, CountsNoRefusalForWhatIsDone) {
  runner_->Tell({Firing("n1")});
  AwaitActions(1);
  runner_->Tell({Firing("n1")});
  EXPECT_EQ(runner_->stats().actions, 1u);
  EXPECT_EQ(runner_->stats().failures, 0u);
  EXPECT_EQ(runner_->stats().refusals, 0u);
}

TEST_F(HookRunnerTest, LeavesOtherAlertsAlone) {
  Alert pending = Firing("n1");
  pending.state = AlertState::kPending;
  Alert resolved = Firing("n2");
  resolved.state = AlertState::kInactive;
  Alert other = Firing("n3");
  other.labels = LabelSet::Of({{"action", "look"}, {"node", "n3"}});
  runner_->Tell({pending, resolved, other, Firing("n4")});
  AwaitActions(1);
  EXPECT_EQ(runner_->stats().refusals, 0u);
  EXPECT_THAT(EndWithLines(), ElementsAre("n4 3"));
}

TEST_F(HookRunnerTest, SavesAnActionBeforeItIsCarriedOut) {
  const int64_t before_ms = SystemTimeMs();
  runner_->Tell({Firing("n1")});
  const std::vector<HookAction> kept = Kept();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].hook, "drain");
  EXPECT_EQ(kept[0].unit, "n1");
  EXPECT_GE(kept[0].time_ms, before_ms);
  EXPECT_LE(kept[0].time_ms, SystemTimeMs());
  AwaitActions(1);
  // After a restart it still counts.
  Start();
  runner_->Tell({Firing("n1"), Firing("n2")});
  AwaitActions(1);
  EXPECT_THAT(EndWithLines(), ElementsAre("n1 3", "n2 3"));
}

TEST_F(HookRunnerTest, ActionsThatCannotBeReadBeginANewWindow) {
  runner_->Tell({Firing("n1")});
  AwaitActions(1);
  runner_ = nullptr;
  kept_.Damage(KeptKind::kHookActions, 0);
  Start();
  runner_->Tell({Firing("n1")});
  AwaitActions(1);
  EXPECT_THAT(EndWithLines(), ElementsAre("n1 3", "n1 3"));
}

TEST_F(HookRunnerTest, WithoutAPlaceToSaveThemActionsAreCarriedOut) {
  runner_ = std::make_unique<HookRunner>(nullptr);
  runner_->Configure(config_);
  runner_->Tell({Firing("n1")});
  AwaitActions(1);
  EXPECT_THAT(Kept(), IsEmpty());
  EXPECT_THAT(EndWithLines(), ElementsAre("n1 3"));
}

// Rows that cannot be written.
class ReadOnlyRows : public KeptRowsInMemory {
 public:
  absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) override {
    if (is_read_only) return absl::PermissionDeniedError("read-only");
    return KeptRowsInMemory::WriteKept(kind, rows);
  }
  bool is_read_only = true;
};

TEST_F(HookRunnerTest, AnActionThatCannotBeSavedIsNotCarriedOut) {
  ReadOnlyRows rows;
  runner_ = std::make_unique<HookRunner>(&rows);
  runner_->Configure(config_);
  runner_->Tell({Firing("n1")});
  EXPECT_EQ(runner_->stats().refusals, 1u);
  EXPECT_EQ(runner_->stats().actions, 0u);
  // It does not count as done.
  rows.is_read_only = false;
  runner_->Tell({Firing("n1")});
  AwaitActions(1);
  EXPECT_EQ(runner_->stats().refusals, 1u);
  EXPECT_THAT(EndWithLines(), ElementsAre("n1 3"));
}

TEST_F(HookRunnerTest, MoreActionsThanARowHoldsAreRefused) {
  // A name fills more than half of a row.
  config_.hooks[0].name = std::string(KeptRows::kMaxRowBytes * 2 / 3, 'h');
  runner_->Configure(config_);
  runner_->Tell({Firing("n1"), Firing("n2")});
  EXPECT_EQ(runner_->stats().refusals, 1u);
  AwaitActions(1);
  EXPECT_THAT(EndWithLines(), ElementsAre("n1 3"));
}

TEST_F(HookRunnerTest, ActsOnAsManyNodesAsItMay) {
  config_.max_nodes = 1;
  runner_->Configure(config_);
  runner_->Tell({Firing("n1"), Firing("n2"), Firing("n3")});
  AwaitActions(1);
  EXPECT_EQ(runner_->stats().refusals, 2u);
  EXPECT_THAT(EndWithLines(), ElementsAre("n1 3"));
}

TEST_F(HookRunnerTest, AnAlertThatNamesNoNodeIsRefused) {
  Alert alert = Firing("");
  runner_->Tell({alert});
  EXPECT_EQ(runner_->stats().refusals, 1u);
  EXPECT_THAT(Kept(), IsEmpty());
  EXPECT_THAT(EndWithLines(), IsEmpty());
}

TEST_F(HookRunnerTest, ALabelThatIsNoArgumentIsRefused) {
  config_.hooks[0].command = {"/bin/echo", "{{ $labels.gpu }}"};
  runner_->Configure(config_);
  Alert alert = Firing("n1");
  alert.labels = LabelSet::Of({{"action", "drain"}, {"gpu", "$(id)"}, {"node", "n1"}});
  runner_->Tell({alert});
  EXPECT_EQ(runner_->stats().refusals, 1u);
  EXPECT_THAT(Kept(), IsEmpty());
}

TEST_F(HookRunnerTest, ADryRunDoesNothingAndDoesNotCount) {
  config_.dry_run = true;
  runner_->Configure(config_);
  runner_->Tell({Firing("n1")});
  runner_->Tell({Firing("n1")});
  AwaitActions(1);
  EXPECT_EQ(runner_->stats().actions, 1u);
  EXPECT_THAT(Kept(), IsEmpty());
  config_.dry_run = false;
  runner_->Configure(config_);
  runner_->Tell({Firing("n1")});
  AwaitActions(2);
  EXPECT_THAT(EndWithLines(), ElementsAre("n1 3"));
}

TEST_F(HookRunnerTest, CountsWhatFails) {
  config_.hooks[0].command = {"/bin/sh", "-c", "exit 3"};
  runner_->Configure(config_);
  runner_->Tell({Firing("n1")});
  while (runner_->stats().failures == 0) std::this_thread::yield();
  EXPECT_EQ(runner_->stats().actions, 1u);
  EXPECT_EQ(runner_->stats().failures, 1u);
}

TEST_F(HookRunnerTest, ACommandEndsAtItsTimeout) {
  config_.hooks[0].command = {"/bin/sh", "-c", "exec sleep 1000"};
  config_.hooks[0].timeout = milliseconds(20);
  runner_->Configure(config_);
  runner_->Tell({Firing("n1")});
  while (runner_->stats().failures == 0) std::this_thread::yield();
}

TEST_F(HookRunnerTest, CallsAWebhook) {
  std::string request;
  {
    AnsweringServer server([&request](std::string_view got) {
      request = got;
      return AnsweringServer::Page("200 OK", "");
    });
    config_.hooks[0].command.clear();
    config_.hooks[0].webhook = "http://" + server.address() + "/hook";
    runner_->Configure(config_);
    Alert alert = Firing("n1");
    alert.annotations = {{"text", "hot"}};
    alert.fired_at_ms = 1'767'323'045'678;
    runner_->Tell({alert});
    AwaitActions(1);
    runner_ = nullptr;
  }
  EXPECT_THAT(request, testing::StartsWith("POST /hook HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(request, HasSubstr(R"("status":"firing","labels":{"action":"drain","gpu":"3",)"
                                 R"("node":"n1"},"annotations":{"text":"hot"},)"
                                 R"("startsAt":"2026-01-02T03:04:05.678Z")"));
}

TEST_F(HookRunnerTest, AWebhookThatRefusesIsAFailure) {
  AnsweringServer server([](std::string_view) { return AnsweringServer::Page("500 x", ""); });
  config_.hooks[0].command.clear();
  config_.hooks[0].webhook = "http://" + server.address() + "/hook";
  runner_->Configure(config_);
  runner_->Tell({Firing("n1")});
  while (runner_->stats().failures == 0) std::this_thread::yield();
  EXPECT_EQ(runner_->stats().actions, 1u);
}

}  // namespace
}  // namespace lockstep::rules
