#include "storage/kv/marks/log_mark.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/crc32c.h"
#include "base/log.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {
namespace {

constexpr std::string_view kLogSuffix = ".log";
constexpr std::string_view kHeading = "logs of ";
constexpr std::string_view kLog = "log ";
constexpr std::string_view kSynced = " bytes ";

// A disk writes 512 bytes atomically, so a line of this length is never torn.
constexpr size_t kLineBytes = 64;
constexpr size_t kTextBytes = 38;
constexpr int kNumberDigits = 12;
constexpr int kByteDigits = 15;

std::string Line(std::string text) {
  text.resize(kTextBytes, ' ');
  std::string line = text + absl::StrFormat(" checksum %08x", Crc32c(text));
  line.resize(kLineBytes - 1, ' ');
  return line + '\n';
}

std::string FreeLine() { return std::string(kLineBytes - 1, ' ') + '\n'; }

bool ConsumeDigits(std::string_view& text, size_t count, uint64_t& number) {
  if (text.size() < count) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + count, number);
  if (error != std::errc() || end != text.data() + count) return false;
  text.remove_prefix(count);
  return true;
}

bool Consume(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool ParseLine(std::string_view line, SyncedLog& log) {
  std::string_view text = line;
  return Consume(text, kLog) && ConsumeDigits(text, kNumberDigits, log.number) &&
         Consume(text, kSynced) && ConsumeDigits(text, kByteDigits, log.byte_count) &&
         line == FormatLogMarkLine(log);
}

bool IsHeading(std::string_view line) {
  if (line.size() < kLineBytes || !line.starts_with(kHeading)) return false;
  const std::string_view text = line.substr(kHeading.size(), kTextBytes - kHeading.size());
  return line == FormatLogMarkHeading(text.substr(0, text.find(' ')));
}

std::string MarkPath(const std::string& folder) { return folder + "/" + std::string(kLogMarkFile); }

}  // namespace

std::string LogName(uint64_t number) { return absl::StrFormat("%06d.log", number); }

std::optional<uint64_t> NumberOfLog(std::string_view name) {
  if (!name.ends_with(kLogSuffix)) return std::nullopt;
  name.remove_suffix(kLogSuffix.size());
  uint64_t number = 0;
  if (!ConsumeDigits(name, name.size(), number)) return std::nullopt;
  return number;
}

std::string FormatLogMarkHeading(std::string_view manifest) {
  return Line(std::string(kHeading) + std::string(manifest));
}

std::string FormatLogMarkLine(const SyncedLog& log) {
  return Line(absl::StrFormat("%s%0*d%s%0*d", kLog, kNumberDigits, log.number, kSynced, kByteDigits,
                              log.byte_count));
}

absl::StatusOr<std::vector<SyncedLog>> ReadLogMark(const Env& env, const std::string& folder,
                                                   std::string_view manifest) {
  std::vector<SyncedLog> logs;
  const absl::StatusOr<std::string> text = env.ReadFile(MarkPath(folder));
  if (absl::IsNotFound(text.status())) return logs;
  LOCKSTEP_RETURN_IF_ERROR(text.status());
  const std::string_view whole = *text;
  const std::string_view heading = whole.substr(0, kLineBytes);
  bool is_damaged = !IsHeading(heading);
  // The mark belongs to another run, which ended before it began to write, or which kept no marks.
  if (!is_damaged && heading != FormatLogMarkHeading(manifest)) return logs;
  for (size_t at = kLineBytes; IsHeading(heading) && at < whole.size(); at += kLineBytes) {
    const std::string_view line = whole.substr(at, kLineBytes);
    SyncedLog log;
    if (ParseLine(line, log)) {
      logs.push_back(log);
    } else if (line != FreeLine()) {
      is_damaged = true;
    }
  }
  if (is_damaged) {
    Log(LogLevel::kWarn, "the log mark is damaged, so the ends of some logs are not checked",
        {{"mark", MarkPath(folder)}});
  }
  return logs;
}

LogMarker::LogMarker(std::shared_ptr<Env> env, std::string folder, std::vector<SyncedLog> logs)
    : env_(std::move(env)), folder_(std::move(folder)), logs_(std::move(logs)) {}

LogMarker::~LogMarker() = default;

absl::Status LogMarker::Start(std::string_view manifest) {
  MutexLock lock(mutex_);
  manifest_ = manifest;
  std::string text = FormatLogMarkHeading(manifest_);
  for (const SyncedLog& log : logs_) text += log.number == 0 ? FreeLine() : FormatLogMarkLine(log);
  LOCKSTEP_RETURN_IF_ERROR(env_->WriteFile(MarkPath(folder_), text));
  return Annotate(FromRocks(env_->rocks()->GetFileSystem()->NewRandomRWFile(MarkPath(folder_), {},
                                                                            &file_, nullptr)),
                  "opening " + MarkPath(folder_));
}

void LogMarker::SetManifest(std::string_view manifest) {
  MutexLock lock(mutex_);
  if (file_ == nullptr || manifest == manifest_) return;
  manifest_ = manifest;
  (void)WriteSynced(0, FormatLogMarkHeading(manifest_));
}

void LogMarker::Synced(const SyncedLog& log) {
  MutexLock lock(mutex_);
  const size_t line = LineOf(log.number);
  logs_[line] = log;
  (void)WriteLine(line + 1, FormatLogMarkLine(log));
}

// If neither this line nor the whole mark can be cleared, the log has to stay.
absl::Status LogMarker::Forget(uint64_t number) {
  MutexLock lock(mutex_);
  const auto log = std::find_if(logs_.begin(), logs_.end(),
                                [&](const SyncedLog& each) { return each.number == number; });
  if (log == logs_.end()) return absl::OkStatus();
  const auto line = static_cast<size_t>(log - logs_.begin()) + 1;
  if (!WriteSynced(line, FreeLine()).ok()) {
    LOCKSTEP_RETURN_IF_ERROR(env_->RemoveFile(MarkPath(folder_)));
    file_ = nullptr;
  }
  *log = {};
  return absl::OkStatus();
}

// The line of the log, or a free line, or a new one.
size_t LogMarker::LineOf(uint64_t number) {
  size_t free_line = logs_.size();
  for (size_t line = 0; line < logs_.size(); ++line) {
    if (logs_[line].number == number) return line;
    if (logs_[line].number == 0) free_line = line;
  }
  if (free_line == logs_.size()) logs_.emplace_back();
  return free_line;
}

absl::Status LogMarker::WriteLine(size_t line, const std::string& text) {
  if (file_ == nullptr) return absl::OkStatus();
  return FromRocks(file_->Write(line * kLineBytes, text, {}, nullptr));
}

absl::Status LogMarker::WriteSynced(size_t line, const std::string& text) {
  LOCKSTEP_RETURN_IF_ERROR(WriteLine(line, text));
  return file_ == nullptr ? absl::OkStatus() : FromRocks(file_->Sync({}, nullptr));
}

}  // namespace lockstep::kv
