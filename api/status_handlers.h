// The endpoints about the server itself: status/* and metadata. Quick but for HandleTsdb, which reads the
// store. Safe from any thread.
#pragma once

#include "api/call.h"
#include "api/server_info.h"
#include "ingest/metadata_store.h"
#include "storage/storage.h"

namespace lockstep::api {

Response HandleBuildInfo(const ServerInfo& info);
Response HandleRuntimeInfo(const ServerInfo& info, int64_t now_ms);
Response HandleFlags(const ServerInfo& info);
Response HandleConfig(const ServerInfo& info);
Response HandleWalReplay();
Response HandleTsdb(const Call& call, const Storage& storage);

// Blocking: run it on the query pool.
Response HandleMetadata(const Call& call, QueryBudget& budget);

}  // namespace lockstep::api
