// Notifier: tells Alertmanagers and webhooks of alerts. It has a thread that discovers Alertmanagers, and couriers with
// threads of their own.
//
// Safe from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

  // From now on these receivers and no others. Returns at once.
  void Configure(RulesConfig config);

  // Returns at once.
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
  bool TakeConfig();
  void Refresh(Group& group);
  void Publish();

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

  // Of the discovering thread alone.
  std::vector<Group> groups_;
  std::vector<std::shared_ptr<Courier>> webhooks_;
  std::vector<WebhookConfig> webhook_configs_;
  std::thread discoverer_;
};

}  // namespace lockstep::rules
