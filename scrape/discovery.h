// Discovery: the target groups of one job or of some other use, looked up again and again: those of
// its configuration, of files that are read again when they change, and of sources that take their
// time to answer: URLs, DNS, Kubernetes, Slurm. Used by one thread.
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
  // `user` is who looks, for the log. What `before`, which may be null, found in sources that are
  // still to be asked is kept until they answer again; nothing else may be done with it afterwards
  // but its destruction.
  Discovery(std::string user, std::shared_ptr<const DiscoveryConfig> config,
            Discovery* before = nullptr);
  // Ends looks that are under way.
  ~Discovery();
  Discovery(const Discovery&) = delete;
  Discovery& operator=(const Discovery&) = delete;

  // Looks at all files, and begins to ask the other sources whose time has come, all at the same
  // time. Blocks for about a second at most: a later answer counts in a later call. Returns whether
  // groups() have changed. What cannot be read or makes no sense stays as it was, and is logged
  // when that begins.
  bool Refresh(int64_t now_ms);

  std::vector<TargetGroup> groups() const;
  // How many looks have failed since the last call.
  uint64_t TakeFailures();

 private:
  using SourceConfig =
      std::variant<HttpDiscovery, DnsDiscovery, KubernetesDiscovery, SlurmDiscovery>;
  using Answer = absl::StatusOr<std::optional<FoundTargets>>;

  // A source and what it said.
  struct Lookup {
    std::unique_ptr<TargetSource> source;
    std::string error;  // of the last look
    FoundTargets found;
  };
  // One that is asked on a thread of its own.
  struct SlowLookup {
    SourceConfig config;
    Lookup lookup;
    int64_t due_ms = 0;
    std::future<Answer> answer;  // valid while it is asked; the last member: it is awaited first
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
