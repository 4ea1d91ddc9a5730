#include "storage/kv/faults/impatient_env.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/system_clock.h"

namespace lockstep::kv {
namespace {

// After an I/O error in the background RocksDB sleeps for a second, and tests cause thousands of
// such errors.
constexpr int kLongestSleepMicros = 1000;
constexpr uint64_t kTimesFaster = 100;

class ImpatientClock : public rocksdb::SystemClockWrapper {
 public:
  ImpatientClock() : SystemClockWrapper(rocksdb::SystemClock::Default()) {}
  const char* Name() const override { return "ImpatientClock"; }
  void SleepForMicroseconds(int micros) override {
    SystemClockWrapper::SleepForMicroseconds(std::min(micros, kLongestSleepMicros));
  }
  // The store waits by it between attempts to resume.
  uint64_t NowNanos() override { return kTimesFaster * SystemClockWrapper::NowNanos(); }
};

class ImpatientEnv : public rocksdb::EnvWrapper {
 public:
  explicit ImpatientEnv(std::shared_ptr<rocksdb::FileSystem> files)
      : EnvWrapper(rocksdb::NewCompositeEnv(files)) {
    file_system_ = std::move(files);
    system_clock_ = std::make_shared<ImpatientClock>();
  }
  const char* Name() const override { return "ImpatientEnv"; }
};

}  // namespace

std::unique_ptr<rocksdb::Env> MakeImpatientEnv(std::shared_ptr<rocksdb::FileSystem> files) {
  return std::make_unique<ImpatientEnv>(std::move(files));
}

}  // namespace lockstep::kv
