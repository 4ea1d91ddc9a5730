// What RocksDB has to say goes to the process's log, from warnings on, instead of to a file of its
// own in the data folder.
#pragma once

#include <memory>
#include <string>

namespace rocksdb {
class Logger;
}

namespace lockstep::kv {

// For the store in `folder`. Safe from any thread.
std::shared_ptr<rocksdb::Logger> MakeRocksLog(std::string folder);

}  // namespace lockstep::kv
