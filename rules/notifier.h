// Notifier: tells Alertmanagers and webhooks of alerts. It has a thread that discovers Alertmanagers, and couriers with
// threads of their own.
//
// Safe from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "rules/alert.h"
#include "rules/config/rules_config.h"
#include "rules/courier.h"
#include "scrape/discovery.h"

namespace lockstep::rules {

struct NotifierStats {
  uint64_t alertmanagers = 0;
  uint64_t sent = 0;  // alerts, counted for each receiver
  uint64_t dropped = 0;
  uint64_t failed_requests = 0;
};

class Notifier {
 public:
  explicit Notifier(std::string external_url);
  // Tries once more to tell what waits.
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  // From now on these receivers and no others; what waits for one that stays as it is goes on waiting.
  // Returns at once.
  void Configure(RulesConfig config);

  // Returns at once. Receivers that are found later hear of what fires as soon as they are found.
  void Tell(const Rule& rule, const std::vector<Alert>& alerts);

  struct Alertmanagers {
    std::vector<std::string> active;  // URLs
    std::vector<std::string> dropped;
  };
  Alertmanagers alertmanagers() const;
  NotifierStats stats() const;

 private:
  // Alertmanagers of one entry of the configuration.
  struct Group {
    AlertmanagerConfig config;
    std::unique_ptr<scrape::Discovery> discovery;
    std::map<std::string, std::shared_ptr<Courier>> couriers;  // by URL
    std::vector<std::string> dropped;
  };
  // A receiver, and what rewrites alerts for it.
  struct Receiver {
    std::shared_ptr<Courier> courier;
    std::shared_ptr<const std::vector<scrape::RelabelRule>> rules;
  };

  void DiscoverReceivers();
  void TakeConfig();
  // One that did the same before the configuration was read again, or a new one.
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
  std::map<uint64_t, Notice> firing_ LOCKSTEP_GUARDED_BY(mutex_);  // by source, as last told
  size_t forget_at_size_ LOCKSTEP_GUARDED_BY(mutex_) = 1'024;

  // Of the discovering thread alone.
  std::vector<Group> groups_;
  std::vector<std::shared_ptr<Courier>> webhooks_;
  std::vector<WebhookConfig> webhook_configs_;
  std::vector<std::shared_ptr<Courier>> couriers_before_;  // of the configuration before
  std::thread discoverer_;
};

}  // namespace lockstep::rules
