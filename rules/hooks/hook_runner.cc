#include "rules/hooks/hook_runner.h"

#include <pthread.h>

#include <utility>

#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/run_program.h"
#include "base/text/url.h"
#include "rules/alerts/notice.h"
#include "rules/hooks/hook_command.h"
#include "rules/hooks/hook_policy.h"
#include "scrape/http_fetch.h"

namespace lockstep::rules {
namespace {

absl::Status Post(const HookConfig& hook, const Alert& alert) {
  Notice notice;
  notice.labels = alert.labels;
  notice.annotations = alert.annotations;
  notice.starts_at_ms = alert.fired_at_ms;
  scrape::FetchOptions request;
  request.url = hook.webhook;
  request.headers = {"Content-Type: application/json"};
  request.timeout = hook.timeout;
  request.post_body = WebhookBody({&notice, 1}, "");
  return scrape::HttpFetch().Send(request);
}

// Empty if none were kept or, which is logged, they cannot be read.
std::vector<HookAction> ReadKeptActions(const KeptRows* kept) {
  if (kept == nullptr) return {};
  const auto row = kept->ReadKept(KeptKind::kHookActions, 0);
  std::vector<HookAction> actions;
  const bool is_read = row.ok() && (!row->has_value() || DecodeKeptHookActions(**row, actions));
  if (is_read) return actions;
  Log(LogLevel::kError, "cannot read earlier actions of remediation hooks; starting a new window",
      {{"why", row.ok() ? absl::DataLossError("the row is malformed") : row.status()}});
  return {};
}

}  // namespace

HookRunner::HookRunner(KeptRows* kept)
    : kept_(kept), done_(ReadKeptActions(kept)), thread_([this] { Run(); }) {}

HookRunner::~HookRunner() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void HookRunner::Configure(RemediationConfig config) {
  const MutexLock lock(mutex_);
  config_ = std::move(config);
}

void HookRunner::Tell(const std::vector<Alert>& alerts) {
  const int64_t now_ms = SystemTimeMs();
  const MutexLock lock(mutex_);
  for (const Alert& alert : alerts) {
    if (alert.state != AlertState::kFiring) continue;
    for (const HookConfig& hook : config_.hooks) {
      if (Matches(hook, alert.labels)) Consider(hook, alert, now_ms);
    }
  }
  changed_.NotifyAll();
}

void HookRunner::Consider(const HookConfig& hook, const Alert& alert, int64_t now_ms) {
  const std::string unit = UnitOf(hook, alert.labels);
  if (unit.empty()) {
    ++stats_.refusals;
    Log(LogLevel::kWarn, "an alert does not name a node to act on",
        {{"hook", hook.name}, {"alert", alert.labels.ToString()}});
    return;
  }
  if (!hook.command.empty()) {
    if (const absl::Status fit = CommandOf(hook, alert).status(); !fit.ok()) {
      ++stats_.refusals;
      Log(LogLevel::kWarn, "a remediation hook does nothing",
          {{"hook", hook.name}, {"node", unit}, {"why", fit}});
      return;
    }
  }
  HookPolicy& policy = config_.dry_run ? rehearsed_ : done_;
  const HookPolicy::Verdict verdict = policy.Ask(config_, hook.name, unit, now_ms);
  if (verdict == HookPolicy::Verdict::kDoneBefore) return;
  Log(LogLevel::kWarn, "an alert matches a remediation hook",
      {{"hook", hook.name}, {"node", unit}, {"verdict", Name(verdict)}});
  if (verdict != HookPolicy::Verdict::kAct) {
    ++stats_.refusals;
    return;
  }
  const absl::Status kept = config_.dry_run ? absl::OkStatus() : Remember();
  if (kept.ok()) {
    jobs_.push_back({hook, alert, unit, config_.dry_run});
    return;
  }
  ++stats_.refusals;
  policy.TakeBack(hook.name, unit);
  Log(LogLevel::kError, "a remediation hook does nothing because its action cannot be saved",
      {{"hook", hook.name}, {"node", unit}, {"why", kept}});
}

absl::Status HookRunner::Remember() {
  if (kept_ == nullptr) return absl::OkStatus();
  std::string row = EncodeKeptHookActions(done_.Done());
  if (row.size() > KeptRows::kMaxRowBytes) {
    return absl::ResourceExhaustedError("too many hook actions in the window");
  }
  return kept_->WriteKept(KeptKind::kHookActions, {{0, std::move(row)}});
}

void HookRunner::Run() {
  pthread_setname_np(pthread_self(), "hooks");
  while (true) {
    Job job;
    {
      const MutexLock lock(mutex_);
      while (jobs_.empty() && !ending_) changed_.Wait(mutex_);
      if (ending_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      ++stats_.actions;
    }
    if (job.is_dry) {
      const auto command = CommandOf(job.hook, job.alert);
      const std::string what = job.hook.webhook.empty() && command.ok()
                                   ? absl::StrJoin(command->arguments, " ")
                                   : RedactUrlToHost(job.hook.webhook);
      Log(LogLevel::kWarn, "dry run: nothing was done",
          {{"hook", job.hook.name}, {"node", job.unit}, {"would", what}});
      continue;
    }
    const absl::Status status = Act(job);
    Log(status.ok() ? LogLevel::kWarn : LogLevel::kError, "a remediation hook ran",
        {{"hook", job.hook.name}, {"node", job.unit}, {"status", status}});
    const MutexLock lock(mutex_);
    stats_.failures += status.ok() ? 0 : 1;
  }
}

absl::Status HookRunner::Act(const Job& job) const {
  if (!job.hook.webhook.empty()) return Post(job.hook, job.alert);
  LOCKSTEP_ASSIGN_OR_RETURN(HookCommand command, CommandOf(job.hook, job.alert));
  ProgramCall call;
  call.arguments = std::move(command.arguments);
  call.environment = std::move(command.environment);
  call.timeout = job.hook.timeout;
  return RunProgram(call);
}

HookStats HookRunner::stats() const {
  const MutexLock lock(mutex_);
  return stats_;
}

}  // namespace lockstep::rules
