// Notifier: sends alerts to Alertmanagers and webhooks. One thread discovers Alertmanagers, and
// each courier has its own thread.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "rules/alerts/alert.h"
#include "rules/alerts/courier.h"
#include "rules/config/rules_config.h"
#include "scrape/discovery.h"

namespace lockstep::rules {

struct NotifierStats {
  uint64_t alertmanagers = 0;
  uint64_t sent = 0;  // alerts, counted once per receiver
  uint64_t dropped = 0;
  uint64_t failed_requests = 0;
};

class Notifier {
 public:
  explicit Notifier(std::string external_url);
  // Makes one last attempt to send waiting alerts.
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  // Replaces the receivers. Alerts waiting for an unchanged receiver keep waiting. Returns
  // immediately.
  void Configure(RulesConfig config);

  // Returns immediately. Receivers discovered later get the firing alerts as soon as they are
  // discovered.
  void Tell(const Rule& rule, const std::vector<Alert>& alerts);

  struct Alertmanagers {
    std::vector<std::string> active;  // URLs
    std::vector<std::string> dropped;
  };
  Alertmanagers alertmanagers() const;
  NotifierStats stats() const;

 private:
  // The Alertmanagers of one configuration entry.
  struct Group {
    AlertmanagerConfig config;
    std::unique_ptr<scrape::Discovery> discovery;
    std::map<std::string, std::shared_ptr<Courier>> couriers;  // by URL
    std::vector<std::string> dropped;
  };
  // A receiver and the rules that rewrite alerts for it.
  struct Receiver {
    std::shared_ptr<Courier> courier;
    std::shared_ptr<const std::vector<scrape::RelabelRule>> rules;
  };

  void DiscoverReceivers();
  void TakeConfig();
  // Returns an equivalent courier from before the reload, or a new one.
  std::shared_ptr<Courier> CourierOf(const CourierOptions& options, Courier::MakeBody make_body);
  void Refresh(Group& group);
  void Publish();
  std::vector<Notice> NoticesOf(const Rule& rule, const std::vector<Alert>& alerts) const;
  void Remember(const std::vector<Notice>& notices) LOCKSTEP_REQUIRES(mutex_);
  void TellOfFiring(const Receiver& receiver) LOCKSTEP_REQUIRES(mutex_);
  static void TellReceiver(const Receiver& receiver, std::span<const Notice> notices);

  const std::string external_url_;
  CourierCounters counters_;

  mutable Mutex mutex_;
  CondVar changed_;
  bool ending_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::unique_ptr<RulesConfig> next_config_ LOCKSTEP_GUARDED_BY(mutex_);
  LabelSet external_labels_ LOCKSTEP_GUARDED_BY(mutex_);
  std::shared_ptr<const std::vector<scrape::RelabelRule>> alert_rules_ LOCKSTEP_GUARDED_BY(mutex_) =
      std::make_shared<const std::vector<scrape::RelabelRule>>();
  std::vector<Receiver> receivers_ LOCKSTEP_GUARDED_BY(mutex_);
  Alertmanagers alertmanagers_ LOCKSTEP_GUARDED_BY(mutex_);
  std::map<uint64_t, Notice> firing_ LOCKSTEP_GUARDED_BY(mutex_);  // by source, as last sent
  size_t forget_at_size_ LOCKSTEP_GUARDED_BY(mutex_) = 1'024;

  // Used only by the discovery thread.
  std::vector<Group> groups_;
  std::vector<std::shared_ptr<Courier>> webhooks_;
  std::vector<WebhookConfig> webhook_configs_;
  std::vector<std::shared_ptr<Courier>> couriers_before_;  // of the previous configuration
  std::thread discoverer_;
};

}  // namespace lockstep::rules
