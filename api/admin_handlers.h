// The endpoints that change the store beside writing to it: backup, admin/tsdb/*. Blocking, some for
// minutes: run them on the query pool. `admin` is null when the operator has not asked for them; then
// they are answered 503, as Prometheus does. Safe from any thread.
#pragma once

#include <string>

#include "api/call.h"
#include "storage/storage_admin.h"

namespace lockstep::api {

Response HandleSnapshot(const Call& call, StorageAdmin* admin);
// Writes below `backup_folder` alone.
Response HandleBackup(const Call& call, StorageAdmin* admin, const std::string& backup_folder);
Response HandleDeleteSeries(const Call& call, StorageAdmin* admin);
Response HandleCleanTombstones(const Call& call, StorageAdmin* admin);

}  // namespace lockstep::api
