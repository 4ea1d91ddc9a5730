#include "storage/kv/rocks_options.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "base/log.h"
#include "rocksdb/env.h"
#include "rocksdb/table.h"
#include "storage/kv/space.h"

namespace lockstep::kv {
namespace {

constexpr size_t kSmallWriteBuffer = size_t{4} << 20;
constexpr size_t kLargeWriteBuffer = size_t{16} << 20;
// As much as a head has in its journal: see FreeDeletedBlocks().
constexpr size_t kJournalWriteBuffer = size_t{64} << 20;

std::shared_ptr<rocksdb::TableFactory> Tables(const Resources& resources, size_t block_bytes) {
  rocksdb::BlockBasedTableOptions options;
  options.block_cache = resources.block_cache;
  options.block_size = block_bytes;
  options.format_version = 5;
  // Index blocks count against the cache too, so that memory has one bound.
  options.cache_index_and_filter_blocks = true;
  return std::shared_ptr<rocksdb::TableFactory>(rocksdb::NewBlockBasedTableFactory(options));
}

rocksdb::ColumnFamilyOptions Common(const Resources& resources, size_t write_buffer_bytes) {
  rocksdb::ColumnFamilyOptions options;
  options.write_buffer_size = write_buffer_bytes;
  options.max_write_buffer_number = 3;
  options.compression = rocksdb::kZSTD;
  options.table_factory = Tables(resources, /*block_bytes=*/16 << 10);
  return options;
}

rocksdb::ColumnFamilyOptions SeriesOptions(const Resources& resources) {
  rocksdb::ColumnFamilyOptions options = Common(resources, kSmallWriteBuffer);
  // Label sets of neighbours differ in only a few bytes; larger blocks compress that better.
  options.table_factory = Tables(resources, /*block_bytes=*/64 << 10);
  return options;
}

rocksdb::ColumnFamilyOptions JournalOptions(const Resources& resources) {
  rocksdb::ColumnFamilyOptions options = Common(resources, kJournalWriteBuffer);
  // Rows live for one head generation, so compressing or moving them would be wasted work.
  options.compression = rocksdb::kNoCompression;
  return options;
}

// Rows live for some hours, and merges rewrite them meanwhile. Universal compaction merges tables
// by size and writes each row fewer times than levels do.
rocksdb::ColumnFamilyOptions HotOptions(const Resources& resources) {
  rocksdb::ColumnFamilyOptions options = Common(resources, kLargeWriteBuffer);
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  return options;
}

// Windows are written one after the other, each in the order of its keys, and hardly ever again, so
// tables move down through the levels without being rewritten.
rocksdb::ColumnFamilyOptions ColdOptions(const Resources& resources) {
  return Common(resources, kLargeWriteBuffer);
}

// Longer messages are truncated.
constexpr size_t kMaxMessageBytes = 1024;

// Writes RocksDB's messages, from warnings on, to the process's log instead of a separate file in
// the data folder. Safe from any thread.
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
  // RocksDB would log its options at each start.
  void LogHeader(const char* /*format*/, va_list /*arguments*/) override {}

 private:
  const std::string folder_;
};

}  // namespace

rocksdb::DBOptions MakeDbOptions(const std::string& folder, const Env& env,
                                 const Resources& resources) {
  rocksdb::DBOptions options;
  options.env = env.rocks();
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  // A cut last record was never acknowledged; anything else that is wrong must be reported, see
  // Store::Open().
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.max_total_wal_size = uint64_t{128} << 20;
  options.write_buffer_manager = resources.write_buffers;
  options.rate_limiter = resources.background_writes;
  options.bytes_per_sync = 1 << 20;
  options.max_open_files = resources.max_open_tables;
  // With a limit of open files, an open reads at most 16 tables of each space ahead; by default it
  // would start as many threads for them.
  options.max_file_opening_threads = 1;
  options.max_background_jobs = 2;
  options.info_log = std::make_shared<RocksLog>(folder);
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> MakeSpaceOptions(const Resources& resources) {
  const auto name = [](Space space) {
    return std::string(kSpaceNames[static_cast<size_t>(space)]);
  };
  return {{name(Space::kMeta), Common(resources, kSmallWriteBuffer)},
          {name(Space::kSeries), SeriesOptions(resources)},
          {name(Space::kJournal), JournalOptions(resources)},
          {name(Space::kHot), HotOptions(resources)},
          {name(Space::kCold), ColdOptions(resources)},
          {name(Space::kRollup), ColdOptions(resources)}};
}

}  // namespace lockstep::kv
