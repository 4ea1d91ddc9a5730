#include "storage/kv/rocks_log.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "base/log.h"
#include "rocksdb/env.h"

namespace lockstep::kv {
namespace {

// Longer messages are cut.
constexpr size_t kMaxMessageBytes = 1024;

class RocksLog : public rocksdb::Logger {
 public:
  explicit RocksLog(std::string folder)
      : rocksdb::Logger(rocksdb::WARN_LEVEL), folder_(std::move(folder)) {}

  using rocksdb::Logger::Logv;
  void Logv(const rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level < GetInfoLogLevel() || level >= rocksdb::HEADER_LEVEL) return;
    std::array<char, kMaxMessageBytes> text;
    if (std::vsnprintf(text.data(), text.size(), format, arguments) < 0) return;
    Log(level == rocksdb::WARN_LEVEL ? LogLevel::kWarn : LogLevel::kError, "RocksDB reports",
        {{"folder", folder_}, {"message", text.data()}});
  }
  // The options, at each start.
  void LogHeader(const char* /*format*/, va_list /*arguments*/) override {}

 private:
  const std::string folder_;
};

}  // namespace

std::shared_ptr<rocksdb::Logger> MakeRocksLog(std::string folder) {
  return std::make_shared<RocksLog>(std::move(folder));
}

}  // namespace lockstep::kv
