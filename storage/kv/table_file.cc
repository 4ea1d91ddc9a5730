#include "storage/kv/table_file.h"

#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {

absl::Status VerifyTable(const Env& env, const std::string& path) {
  rocksdb::Options options;
  options.env = env.rocks();
  rocksdb::SstFileReader reader(options);
  rocksdb::ReadOptions read;
  read.verify_checksums = true;
  read.fill_cache = false;
  rocksdb::Status status = reader.Open(path);
  if (status.ok()) status = reader.VerifyChecksum(read);
  // A file that is not a table at all has other codes.
  if (status.IsNotSupported() || status.IsInvalidArgument()) {
    return absl::DataLossError(status.ToString());
  }
  return FromRocks(status);
}

}  // namespace lockstep::kv
