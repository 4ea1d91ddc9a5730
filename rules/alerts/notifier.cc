#include "rules/alerts/notifier.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "rules/template/template_functions.h"
#include "scrape/config/relabel.h"

namespace lockstep::rules {
namespace {

// How soon a file change is noticed.
constexpr std::chrono::seconds kRefreshEvery{2};
constexpr std::string_view kAlertsPath = "/api/v2/alerts";

std::string PathOf(const AlertmanagerConfig& config) {
  std::string path = config.path_prefix;
  if (!path.starts_with('/')) path.insert(0, "/");
  while (path.ends_with('/')) path.pop_back();
  return absl::StrFormat("%s%s", path, kAlertsPath);
}

std::string UrlOf(const LabelSet& labels) {
  return absl::StrFormat("%s://%s%s", labels.Get("__scheme__"), labels.Get("__address__"),
                         labels.Get("__alerts_path__"));
}

LabelSet AlertmanagerLabels(const AlertmanagerConfig& config, const scrape::TargetGroup& group,
                            const std::string& address) {
  LabelSetBuilder labels(group.labels);
  labels.Set("__address__", address);
  if (labels.Get("__scheme__").empty()) labels.Set("__scheme__", config.scheme);
  if (labels.Get("__alerts_path__").empty()) labels.Set("__alerts_path__", PathOf(config));
  return labels.Build();
}

}  // namespace

Notifier::Notifier(std::string external_url)
    : external_url_(std::move(external_url)), discoverer_([this] { DiscoverReceivers(); }) {}

Notifier::~Notifier() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.NotifyAll();
  }
  discoverer_.join();
}

void Notifier::Configure(RulesConfig config) {
  const MutexLock lock(mutex_);
  next_config_ = std::make_unique<RulesConfig>(std::move(config));
  changed_.NotifyAll();
}

void Notifier::DiscoverReceivers() {
  pthread_setname_np(pthread_self(), "alert-discover");
  while (true) {
    TakeConfig();
    for (Group& group : groups_) Refresh(group);
    Publish();
    couriers_before_.clear();
    const MutexLock lock(mutex_);
    if (next_config_ == nullptr && !ending_) changed_.WaitFor(mutex_, kRefreshEvery);
    if (ending_) return;
  }
}

void Notifier::TakeConfig() {
  std::unique_ptr<RulesConfig> config;
  {
    const MutexLock lock(mutex_);
    config = std::move(next_config_);
    if (config == nullptr) return;
    external_labels_ = config->external_labels;
    alert_rules_ =
        std::make_shared<const std::vector<scrape::RelabelRule>>(config->alert_relabel_rules);
  }
  couriers_before_ = std::move(webhooks_);
  for (const Group& group : groups_) {
    for (const auto& [url, courier] : group.couriers) couriers_before_.push_back(courier);
  }
  const std::vector<Group> groups_before = std::exchange(groups_, {});
  for (AlertmanagerConfig& alertmanager : config->alertmanagers) {
    Group group;
    const size_t i = groups_.size();
    group.discovery = std::make_unique<scrape::Discovery>(
        "alertmanagers", std::make_shared<const scrape::DiscoveryConfig>(alertmanager.discovery),
        i < groups_before.size() ? groups_before[i].discovery.get() : nullptr);
    group.config = std::move(alertmanager);
    groups_.push_back(std::move(group));
  }
  webhooks_.clear();
  webhook_configs_ = std::move(config->webhooks);
  for (const WebhookConfig& webhook : webhook_configs_) {
    webhooks_.push_back(CourierOf(
        CourierOptions{
            .url = webhook.url, .timeout = webhook.timeout, .http = webhook.http, .once = true},
        [url = external_url_](std::span<const Notice> notices) {
          return WebhookBody(notices, url);
        }));
  }
}

std::shared_ptr<Courier> Notifier::CourierOf(const CourierOptions& options,
                                             Courier::MakeBody make_body) {
  const auto known = std::ranges::find_if(
      couriers_before_, [&](const auto& courier) { return courier->options() == options; });
  if (known == couriers_before_.end()) {
    return std::make_shared<Courier>(options, std::move(make_body), counters_);
  }
  std::shared_ptr<Courier> courier = std::move(*known);
  couriers_before_.erase(known);
  return courier;
}

void Notifier::Refresh(Group& group) {
  if (!group.discovery->Refresh(SystemTimeMs())) return;
  std::map<std::string, std::shared_ptr<Courier>> couriers;
  group.dropped.clear();
  for (const scrape::TargetGroup& targets : group.discovery->groups()) {
    for (const std::string& address : targets.addresses) {
      const LabelSet before = AlertmanagerLabels(group.config, targets, address);
      LabelSetBuilder labels(before);
      if (!scrape::Relabel(group.config.relabel_rules, labels)) {
        group.dropped.push_back(UrlOf(before));
        continue;
      }
      const std::string url = UrlOf(labels.Build());
      std::shared_ptr<Courier>& courier = couriers[url];
      const auto known = group.couriers.find(url);
      if (known != group.couriers.end()) courier = known->second;
      if (courier != nullptr) continue;
      courier = CourierOf({.url = url, .timeout = group.config.timeout, .http = group.config.http},
                          AlertmanagerBody);
    }
  }
  group.couriers = std::move(couriers);
}

void Notifier::Publish() {
  std::vector<Receiver> receivers;
  Alertmanagers alertmanagers;
  for (const Group& group : groups_) {
    const auto rules =
        std::make_shared<const std::vector<scrape::RelabelRule>>(group.config.alert_relabel_rules);
    for (const auto& [url, courier] : group.couriers) {
      receivers.push_back({courier, rules});
      alertmanagers.active.push_back(url);
    }
    alertmanagers.dropped.insert(alertmanagers.dropped.end(), group.dropped.begin(),
                                 group.dropped.end());
  }
  for (size_t i = 0; i < webhooks_.size(); ++i) {
    receivers.push_back({webhooks_[i], std::make_shared<const std::vector<scrape::RelabelRule>>(
                                           webhook_configs_[i].alert_relabel_rules)});
  }
  std::vector<Receiver> before;  // destroyed outside the lock
  const MutexLock lock(mutex_);
  before.swap(receivers_);
  for (const Receiver& receiver : receivers) {
    const auto is_same = [&](const Receiver& old) { return old.courier == receiver.courier; };
    if (std::ranges::none_of(before, is_same)) TellOfFiring(receiver);
  }
  receivers_ = std::move(receivers);
  alertmanagers_ = std::move(alertmanagers);
}

void Notifier::Tell(const Rule& rule, const std::vector<Alert>& alerts) {
  const std::vector<Notice> notices = NoticesOf(rule, alerts);
  std::vector<Receiver> receivers;
  {
    const MutexLock lock(mutex_);
    Remember(notices);
    receivers = receivers_;
  }
  for (const Receiver& receiver : receivers) TellReceiver(receiver, notices);
}

std::vector<Notice> Notifier::NoticesOf(const Rule& rule, const std::vector<Alert>& alerts) const {
  LabelSet external_labels;
  std::shared_ptr<const std::vector<scrape::RelabelRule>> rules;
  {
    const MutexLock lock(mutex_);
    external_labels = external_labels_;
    rules = alert_rules_;
  }
  const std::string generator_url = external_url_ + TableLink(rule.expression);
  std::vector<Notice> notices;
  for (const Alert& alert : alerts) {
    LabelSetBuilder labels(alert.labels);
    for (const LabelView& label : external_labels) {
      if (labels.Get(label.name).empty()) labels.Set(label.name, label.value);
    }
    if (!scrape::Relabel(*rules, labels)) continue;
    const bool is_resolved = alert.resolved_at_ms != 0;
    notices.push_back({labels.Build(), alert.annotations, alert.fired_at_ms,
                       is_resolved ? alert.resolved_at_ms : alert.valid_until_ms, alert.source,
                       is_resolved, generator_url});
  }
  return notices;
}

void Notifier::Remember(const std::vector<Notice>& notices) {
  for (const Notice& notice : notices) {
    if (notice.is_resolved) {
      firing_.erase(notice.source);
    } else {
      firing_[notice.source] = notice;
    }
  }
  if (firing_.size() < forget_at_size_) return;
  // Alerts of removed rules never resolve.
  const int64_t now_ms = SystemTimeMs();
  std::erase_if(firing_, [now_ms](const auto& item) { return item.second.ends_at_ms <= now_ms; });
  forget_at_size_ = std::max<size_t>(1'024, 2 * firing_.size());
}

void Notifier::TellOfFiring(const Receiver& receiver) {
  const int64_t now_ms = SystemTimeMs();
  std::vector<Notice> notices;
  for (const auto& [source, notice] : firing_) {
    if (notice.ends_at_ms > now_ms) notices.push_back(notice);
  }
  TellReceiver(receiver, notices);
}

void Notifier::TellReceiver(const Receiver& receiver, std::span<const Notice> notices) {
  std::vector<Notice> own;
  for (Notice notice : notices) {
    LabelSetBuilder labels(notice.labels);
    if (!scrape::Relabel(*receiver.rules, labels)) continue;
    notice.labels = labels.Build();
    own.push_back(std::move(notice));
  }
  receiver.courier->Tell(own);
}

Notifier::Alertmanagers Notifier::alertmanagers() const {
  const MutexLock lock(mutex_);
  return alertmanagers_;
}

NotifierStats Notifier::stats() const {
  return {alertmanagers().active.size(), counters_.sent, counters_.dropped,
          counters_.failed_requests};
}

}  // namespace lockstep::rules
