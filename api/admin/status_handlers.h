// The endpoints about the server itself: status/* and metadata. Quick, except for HandleTsdb and
// HandleMetadata, which read the store. Safe from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "api/admin/server_info.h"
#include "api/http/call.h"
#include "ingest/side_data/metadata_store.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::api {

// The configuration's state since the start.
struct ConfigState {
  std::string yaml;     // in effect
  int64_t time_ms = 0;  // when it was read
  bool last_read_succeeded = true;
};

Response HandleHealthy();
Response HandleReady(bool accepts_writes);
Response HandleBuildInfo(const ServerInfo& info);
Response HandleRuntimeInfo(const ServerInfo& info, const ConfigState& config, int64_t now_ms);
Response HandleFlags(const ServerInfo& info);
Response HandleConfig(const ConfigState& config);
// docs/openapi.yaml.
Response HandleOpenApi();
// Always empty: this store has no blocks that Prometheus could read.
Response HandleBlocks();
Response HandleWalReplay();
Response HandleTsdb(const Call& call, const Storage& storage);

// Blocking: run it on the query pool.
Response HandleMetadata(const Call& call, QueryBudget& budget);

}  // namespace lockstep::api
