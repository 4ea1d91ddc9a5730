#include <utility>

#include "scrape/config/discovery_keys.h"

namespace lockstep::scrape {

absl::Status ReadSlurmDiscovery(const ConfigKeys& keys, const YAML::Node& node,
                                std::vector<SlurmDiscovery>& into) {
  if (!node.IsSequence()) return keys.Error(node, "slurm_sd_configs has to be a list");
  for (const YAML::Node& item : node) {
    SlurmDiscovery discovery;
    LOCKSTEP_RETURN_IF_ERROR(
        ReadYamlMap(keys.path(), item, "slurm_sd_configs",
                    {keys.Texts("command", discovery.command), keys.File("file", discovery.file),
                     keys.Port("port", discovery.port),
                     keys.Duration("refresh_interval", discovery.refresh_interval)}));
    if (discovery.port == 0) return keys.Error(item, "slurm_sd_configs needs port");
    if (item["command"] && item["file"]) {
      return keys.Error(item, "slurm_sd_configs takes either command or file");
    }
    if (discovery.command.empty() || discovery.command.front().empty()) {
      return keys.Error(item, "slurm_sd_configs: command has to name a program");
    }
    into.push_back(std::move(discovery));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::scrape
