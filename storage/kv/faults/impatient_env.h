// For the tests' environments: shortens RocksDB's one-second waits after an error.
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
