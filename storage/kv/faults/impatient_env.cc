#include "storage/kv/faults/impatient_env.h"

#include <algorithm>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/system_clock.h"

namespace lockstep::kv {
namespace {

// After an I/O error in the background RocksDB sleeps for a second, and tests cause thousands of
// such errors.
constexpr int kLongestSleepMicros = 1000;

class ShortSleeps : public rocksdb::SystemClockWrapper {
 public:
  ShortSleeps() : SystemClockWrapper(rocksdb::SystemClock::Default()) {}
  const char* Name() const override { return "ShortSleeps"; }
  void SleepForMicroseconds(int micros) override {
    SystemClockWrapper::SleepForMicroseconds(std::min(micros, kLongestSleepMicros));
  }
};

class ImpatientEnv : public rocksdb::EnvWrapper {
 public:
  explicit ImpatientEnv(std::shared_ptr<rocksdb::FileSystem> files)
      : EnvWrapper(rocksdb::NewCompositeEnv(files)) {
    file_system_ = std::move(files);
    system_clock_ = std::make_shared<ShortSleeps>();
  }
  const char* Name() const override { return "ImpatientEnv"; }
};

}  // namespace

std::unique_ptr<rocksdb::Env> MakeImpatientEnv(std::shared_ptr<rocksdb::FileSystem> files) {
  return std::make_unique<ImpatientEnv>(std::move(files));
}

}  // namespace lockstep::kv
