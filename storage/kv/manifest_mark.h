// RocksDB's MANIFEST lists which files make up a store, and RocksDB opens one that has lost its end as
// if it had never been longer: then the table files that only the lost end names are deleted. So the
// store writes beside it, in MANIFEST-MARK, how much of it was on disk for certain. On disk:
// docs/formats/keys.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/kv/env.h"
#include "storage/kv/log_mark.h"

namespace rocksdb {
class DB;
class EventListener;
}  // namespace rocksdb

namespace lockstep::kv {

struct ManifestMark {
  std::string file_name;  // of the MANIFEST, in the mark's folder
  uint64_t byte_count = 0;
};

std::string FormatManifestMark(const ManifestMark& mark);
// kDataLoss for anything that FormatManifestMark() does not write.
absl::StatusOr<ManifestMark> ParseManifestMark(std::string_view text);

// The mark of a database that is open in `folder` now. Returns the name of the MANIFEST.
absl::StatusOr<std::string> WriteManifestMark(Env& env, const std::string& folder, rocksdb::DB& db);
// Writes the mark after each flush: then the log of what was flushed may go. Tells `logs` which
// MANIFEST is in use.
std::shared_ptr<rocksdb::EventListener> MakeManifestMarker(std::shared_ptr<Env> env,
                                                           std::string folder,
                                                           std::shared_ptr<LogMarker> logs);

// Of a folder that is not open. kDataLoss, naming the file, if the MANIFEST in use is damaged or
// shorter than its mark says, or if there is no CURRENT that says which one is in use. Otherwise
// the name of the one in use, or nothing in a folder without a store.
absl::StatusOr<std::string> CheckManifest(const Env& env, const std::string& folder);
// Cuts off a last record of the MANIFEST in use that ends in zeros: a power cut can leave a file that has
// grown before its bytes came, which RocksDB does not open. Each record is synced before anything
// follows from it, so nothing did from this one. Says whether it cut. Call CheckManifest() before.
absl::StatusOr<bool> CutZeroedManifest(Env& env, const std::string& folder);

}  // namespace lockstep::kv
