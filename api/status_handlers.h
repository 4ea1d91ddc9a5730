// The endpoints about the server itself: status/* and metadata. Quick but for HandleTsdb, which
// reads the store. Safe from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "api/call.h"
#include "api/server_info.h"
#include "ingest/metadata_store.h"
#include "storage/storage.h"

namespace lockstep::api {

// What became of the configuration since the start.
struct ConfigState {
  std::string yaml;     // that is in effect
  int64_t time_ms = 0;  // when it was read
  bool last_read_succeeded = true;
};

Response HandleBuildInfo(const ServerInfo& info);
Response HandleRuntimeInfo(const ServerInfo& info, const ConfigState& config, int64_t now_ms);
Response HandleFlags(const ServerInfo& info);
Response HandleConfig(const ConfigState& config);
// docs/openapi.yaml.
Response HandleOpenApi();
// No blocks: this store has none that Prometheus could read.
Response HandleBlocks();
Response HandleWalReplay();
Response HandleTsdb(const Call& call, const Storage& storage);

// Blocking: run it on the query pool.
Response HandleMetadata(const Call& call, QueryBudget& budget);

}  // namespace lockstep::api
