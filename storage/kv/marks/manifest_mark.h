// RocksDB's MANIFEST lists the files of a store. RocksDB opens a MANIFEST that has lost its end as
// if it had never been longer, and then deletes the table files that only the lost end names. So
// the store records next to it, in MANIFEST-MARK, how much of it was certainly on disk. On disk:
// docs/formats/keys.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/kv/files/env.h"
#include "storage/kv/marks/log_mark.h"

namespace rocksdb {
class DB;
class EventListener;
}  // namespace rocksdb

namespace lockstep::kv {

struct ManifestMark {
  std::string file_name;  // the MANIFEST, in the mark's folder
  uint64_t byte_count = 0;
};

std::string FormatManifestMark(const ManifestMark& mark);
// kDataLoss for input that FormatManifestMark() does not write.
absl::StatusOr<ManifestMark> ParseManifestMark(std::string_view text);

// Writes the mark of the database that is open in `folder`. Returns the name of the MANIFEST.
absl::StatusOr<std::string> WriteManifestMark(Env& env, const std::string& folder, rocksdb::DB& db);
// Writes the mark after each flush, because from then on the log of the flushed rows may be
// deleted. Tells `logs` which MANIFEST is in use.
std::shared_ptr<rocksdb::EventListener> MakeManifestMarker(std::shared_ptr<Env> env,
                                                           std::string folder,
                                                           std::shared_ptr<LogMarker> logs);

// For a folder that is not open. kDataLoss, naming the file, if the MANIFEST in use is damaged or
// shorter than its mark says, or if no CURRENT says which one is in use. Otherwise returns the name
// of the one in use, or nothing for a folder without a store.
absl::StatusOr<std::string> CheckManifest(const Env& env, const std::string& folder);
// If the last record of the MANIFEST in use ends in zeros, cuts it off: a power cut can leave a
// file that had grown before its bytes were written, and RocksDB does not open it. Each record is
// synced before anything depends on it, so nothing depended on this one. Returns whether it cut
// something. Call CheckManifest() first.
absl::StatusOr<bool> CutZeroedManifest(Env& env, const std::string& folder);

}  // namespace lockstep::kv
