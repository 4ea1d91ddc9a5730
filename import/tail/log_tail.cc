#include "import/tail/log_tail.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/log.h"
#include "import/files/byte_source.h"
#include "import/files/file_kind.h"
#include "import/files/input_files.h"

namespace lockstep::tail {
namespace {

// When to forget a log that was moved away and no longer grows, or whose folder is gone.
constexpr int64_t kForgetAfterMs = 600'000;

std::optional<importer::PushedLog::Route> RouteOf(const importer::FileFormat& format) {
  if (format.kind == importer::FileKind::kLog) return importer::PushedLog::Route::kLog;
  if (format.kind == importer::FileKind::kSteps) return importer::PushedLog::Route::kSteps;
  return std::nullopt;
}

// Detected from the first bytes, or from the newest ones if the file begins with other lines.
std::optional<importer::PushedLog::Route> RouteOf(const OpenFile& file, const std::string& path,
                                                  uint64_t size) {
  std::string bytes;
  for (const uint64_t offset :
       {uint64_t{0}, size - std::min<uint64_t>(size, importer::ByteSource::kHeadBytes)}) {
    if (!file.Read(offset, importer::ByteSource::kHeadBytes, bytes).ok()) return std::nullopt;
    const auto format = importer::FormatOfFile(path, bytes);
    if (format.ok()) return RouteOf(*format);
    if (size <= importer::ByteSource::kHeadBytes) break;
  }
  return std::nullopt;
}

}  // namespace

LogTail::LogTail(TailOptions options, importer::Delivery& delivery, TailState state)
    : options_(std::move(options)), delivery_(delivery) {
  for (TailedLogState& log : state.logs) {
    const FileId id{log.device, log.inode};
    earlier_.insert_or_assign(id, std::move(log));
  }
}

void LogTail::Find(int64_t now_ms) {
  for (const importer::InputFile& file : importer::FindInputFiles(options_.paths).files) {
    struct stat about {};
    if (file.is_block || stat(file.path.c_str(), &about) != 0) continue;
    const FileId id{about.st_dev, about.st_ino};
    if (logs_.contains(id)) {
      seen_ms_[id] = now_ms;
    } else if (const auto looked = looked_at_.find(id);
               looked == looked_at_.end() ||
               looked->second != static_cast<uint64_t>(about.st_size)) {
      Examine(file, now_ms);
    }
  }
  earlier_.clear();
  Forget(now_ms);
}

void LogTail::Examine(const importer::InputFile& file, int64_t now_ms) {
  auto opened = OpenFile::Open(file.path);
  if (!opened.ok()) return;
  const auto about = opened->Look();
  if (!about.ok() || !about->is_regular) return;
  const FileId id{about->device, about->inode};
  looked_at_[id] = about->size;
  if (about->size == 0) return;
  std::optional<importer::PushedLog::Route> route = RouteOf(*opened, file.path, about->size);
  TailedLogState state = TakeEarlier(id);
  if (!route.has_value() && (file.is_named || !state.stream.empty())) {
    route = importer::PushedLog::Route::kLog;
  }
  if (!route.has_value()) return;
  looked_at_.erase(id);
  Log(LogLevel::kInfo, "following a log", {{"path", file.path}, {"from", state.offset}});
  seen_ms_[id] = now_ms;
  logs_[id] = std::make_unique<TailedLog>(*std::move(opened), file.path, *route,
                                          importer::HintsOf(file, options_.hints), options_.host,
                                          std::move(state));
}

TailedLogState LogTail::TakeEarlier(const FileId& id) {
  const auto found = earlier_.find(id);
  if (found == earlier_.end()) return {};
  TailedLogState state = std::move(found->second);
  earlier_.erase(found);
  return state;
}

absl::Status LogTail::Push(int64_t now_ms) {
  absl::Status first_failure;
  for (auto at = logs_.begin(); at != logs_.end();) {
    const absl::Status status = PushOne(*at->second, now_ms);
    first_failure.Update(status);
    if (absl::IsUnavailable(status)) break;
    if (status.ok() && at->second->is_over()) {
      Log(LogLevel::kInfo, "a log was deleted", {{"path", at->second->source()}});
      seen_ms_.erase(at->first);
      at = logs_.erase(at);
    } else {
      ++at;
    }
  }
  return first_failure;
}

absl::Status LogTail::PushOne(TailedLog& log, int64_t now_ms) {
  absl::Status status = log.Push(delivery_, now_ms);
  if (status.ok() && log.is_over()) status = log.End(delivery_);
  return Annotate(status, log.source());
}

void LogTail::Forget(int64_t now_ms) {
  std::erase_if(logs_, [&](const auto& entry) {
    const auto& [id, log] = entry;
    const bool is_old =
        now_ms - seen_ms_[id] > kForgetAfterMs && now_ms - log->grown_ms() > kForgetAfterMs;
    const bool is_taken = log->is_at_end();
    if (is_old && is_taken) seen_ms_.erase(id);
    return is_old && is_taken;
  });
}

TailState LogTail::state() const {
  TailState state;
  for (const auto& [id, log] : logs_) {
    if (!log->state().stream.empty()) state.logs.push_back(log->state());
  }
  return state;
}

}  // namespace lockstep::tail
