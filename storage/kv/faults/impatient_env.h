// For the tests' environments: after an error, RocksDB waits a millisecond instead of a second, and
// the store a hundredth of its time.
#pragma once

#include <memory>

namespace rocksdb {
class Env;
class FileSystem;
}  // namespace rocksdb

namespace lockstep::kv {

// Uses `files`.
std::unique_ptr<rocksdb::Env> MakeImpatientEnv(std::shared_ptr<rocksdb::FileSystem> files);

}  // namespace lockstep::kv
