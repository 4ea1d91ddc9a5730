// The endpoints that change the store beside writing to it: backup, admin/tsdb/*. Blocking, some for
// minutes: run them on the query pool. `admin` is null when the operator has not asked for them; then
// they are answered 503, as Prometheus does. Safe from any thread.
#pragma once

#include "api/call.h"
#include "storage/storage_admin.h"

namespace lockstep::api {

Response HandleSnapshot(const Call& call, StorageAdmin* admin);
Response HandleBackup(const Call& call, StorageAdmin* admin);
Response HandleDeleteSeries(const Call& call, StorageAdmin* admin);
Response HandleCleanTombstones(const Call& call, StorageAdmin* admin);

}  // namespace lockstep::api
