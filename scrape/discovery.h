// Discovery: repeatedly looks up the target groups of a job or another user: from its
// configuration, from files, which are read again when they change, and from sources that take time
// to answer: URLs, DNS, Kubernetes, Slurm, EC2. For one thread.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scrape/config/discovery_config.h"
#include "scrape/discovery/target_source.h"

namespace lockstep::scrape {

class Discovery {
 public:
  // `user` identifies the user in the log. Targets that `before` (may be null) found in sources
  // that are still configured are kept until these answer again; afterwards `before` may only be
  // destroyed.
  Discovery(std::string user, std::shared_ptr<const DiscoveryConfig> config,
            Discovery* before = nullptr);
  // Cancels lookups in progress.
  ~Discovery();
  Discovery(const Discovery&) = delete;
  Discovery& operator=(const Discovery&) = delete;

  // Checks all files, and starts lookups of the other sources that are due, all in parallel. Blocks
  // for at most about a second; later answers count in a later call. Returns whether groups() have
  // changed. A source that cannot be read or is invalid keeps its groups, and the start of the
  // failure is logged.
  bool Refresh(int64_t now_ms);

  std::vector<TargetGroup> groups() const;
  // The number of failed lookups since the last call.
  uint64_t TakeFailures();

 private:
  using SourceConfig =
      std::variant<HttpDiscovery, DnsDiscovery, KubernetesDiscovery, SlurmDiscovery, Ec2Discovery>;
  using Answer = absl::StatusOr<std::optional<FoundTargets>>;

  // A source and its last answer.
  struct Lookup {
    std::unique_ptr<TargetSource> source;
    std::string error;  // of the last lookup
    FoundTargets found;
  };
  // A lookup on its own thread.
  struct SlowLookup {
    SourceConfig config;
    Lookup lookup;
    int64_t due_ms = 0;
    std::future<Answer> answer;  // valid during a lookup; last member, so it is awaited first
  };

  static std::unique_ptr<TargetSource> MakeSource(const SourceConfig& config);
  void AddSlow(SourceConfig config, Discovery* before);
  bool RefreshFiles();
  bool RefreshSlow(int64_t now_ms);
  bool Take(Lookup& lookup, Answer answer);

  const std::string user_;
  const std::shared_ptr<const DiscoveryConfig> config_;
  std::map<std::string, Lookup> files_;  // by path
  std::vector<SlowLookup> slow_;
  bool is_fresh_ = true;
  uint64_t failures_ = 0;
};

}  // namespace lockstep::scrape
