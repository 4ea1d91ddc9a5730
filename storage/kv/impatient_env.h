// For the tests' environments: RocksDB's waits after an error, of a second each, are short.
#pragma once

#include <memory>

namespace rocksdb {
class Env;
class FileSystem;
}  // namespace rocksdb

namespace lockstep::kv {

// Reaches `files`.
std::unique_ptr<rocksdb::Env> MakeImpatientEnv(std::shared_ptr<rocksdb::FileSystem> files);

}  // namespace lockstep::kv
