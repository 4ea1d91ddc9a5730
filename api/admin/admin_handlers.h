// The endpoints that change the server other than by writing samples: /-/reload, and for the store
// backup and admin/tsdb/*. They block, some for minutes: run them on the query pool. If `admin` is
// null because the operator has not enabled them, they return 503, as Prometheus does. Safe from
// any thread.
#pragma once

#include <functional>
#include <string>

#include "api/http/call.h"
#include "base/status.h"
#include "storage/storage_admin.h"

namespace lockstep::api {

// Runs `reload`; 403 if it is empty.
Response HandleReload(const std::function<absl::Status()>& reload);
Response HandleSnapshot(const Call& call, StorageAdmin* admin);
// Writes only below `backup_folder`.
Response HandleBackup(const Call& call, StorageAdmin* admin, const std::string& backup_folder);
Response HandleDeleteSeries(const Call& call, StorageAdmin* admin);
Response HandleCleanTombstones(const Call& call, StorageAdmin* admin);

}  // namespace lockstep::api
