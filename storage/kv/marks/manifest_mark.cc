#include "storage/kv/marks/manifest_mark.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/log.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/listener.h"
#include "storage/kv/files/rocks_status.h"
#include "storage/kv/marks/log_damage.h"

namespace lockstep::kv {
namespace {

constexpr std::string_view kMarkFile = "/MANIFEST-MARK";
constexpr std::string_view kBytes = " bytes ";

class Marker : public rocksdb::EventListener {
 public:
  Marker(std::shared_ptr<Env> env, std::string folder, std::shared_ptr<LogMarker> logs)
      : env_(std::move(env)), folder_(std::move(folder)), logs_(std::move(logs)) {}

  // If no new mark can be written, the previous one stays valid, and requires less.
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo&) override {
    const absl::StatusOr<std::string> manifest = WriteManifestMark(*env_, folder_, *db);
    if (manifest.ok()) logs_->SetManifest(*manifest);
  }

 private:
  const std::shared_ptr<Env> env_;
  const std::string folder_;
  const std::shared_ptr<LogMarker> logs_;
};

absl::Status Damaged(const std::string& path, const std::string& what) {
  return absl::DataLossError(path + " " + what + ": restore the store from a backup");
}

// RocksDB creates an empty database where it finds no CURRENT.
absl::Status CheckUnused(const Env& env, const std::string& folder) {
  std::vector<std::string> names;
  const rocksdb::Status listed = env.rocks()->GetChildren(folder, &names);
  if (listed.IsPathNotFound() || listed.IsNotFound()) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(listed), "listing " + folder));
  const bool is_used = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.ends_with(".sst") || name.ends_with(".log");
  });
  return is_used ? Damaged(folder + "/CURRENT", "is missing") : absl::OkStatus();
}

// 0 if the mark belongs to another MANIFEST, or if there is no mark.
absl::StatusOr<uint64_t> CertainBytes(const Env& env, const std::string& folder,
                                      std::string_view manifest) {
  const std::string path = folder + std::string(kMarkFile);
  const absl::StatusOr<std::string> text = env.ReadFile(path);
  if (absl::IsNotFound(text.status())) return 0;
  LOCKSTEP_RETURN_IF_ERROR(text.status());
  const absl::StatusOr<ManifestMark> mark = ParseManifestMark(*text);
  LOCKSTEP_RETURN_IF_ERROR(Annotate(mark.status(), path));
  return mark->file_name == manifest ? mark->byte_count : 0;
}

}  // namespace

std::string FormatManifestMark(const ManifestMark& mark) {
  return mark.file_name + std::string(kBytes) + std::to_string(mark.byte_count) + "\n";
}

absl::StatusOr<ManifestMark> ParseManifestMark(std::string_view text) {
  const absl::Status malformed = absl::DataLossError("the MANIFEST mark is malformed");
  const size_t name_end = text.find(kBytes);
  if (name_end == std::string_view::npos) return malformed;
  ManifestMark mark{std::string(text.substr(0, name_end)), 0};
  const std::string_view number = text.substr(name_end + kBytes.size());
  const char* const end = number.data() + number.size();
  const auto [behind, error] = std::from_chars(number.data(), end, mark.byte_count);
  if (error != std::errc() || std::string_view(behind, end) != "\n") return malformed;
  return mark;
}

absl::StatusOr<std::string> WriteManifestMark(Env& env, const std::string& folder,
                                              rocksdb::DB& db) {
  std::vector<std::string> names;
  ManifestMark mark;
  LOCKSTEP_RETURN_IF_ERROR(
      FromRocks(db.GetLiveFiles(names, &mark.byte_count, /*flush_memtable=*/false)));
  for (const std::string& name : names) {
    if (name.starts_with("/MANIFEST-")) mark.file_name = name.substr(1);
  }
  LOCKSTEP_RETURN_IF_ERROR(
      env.WriteFile(folder + std::string(kMarkFile), FormatManifestMark(mark)));
  return mark.file_name;
}

std::shared_ptr<rocksdb::EventListener> MakeManifestMarker(std::shared_ptr<Env> env,
                                                           std::string folder,
                                                           std::shared_ptr<LogMarker> logs) {
  return std::make_shared<Marker>(std::move(env), std::move(folder), std::move(logs));
}

absl::StatusOr<std::string> CheckManifest(const Env& env, const std::string& folder) {
  absl::StatusOr<std::string> name = env.ReadFile(folder + "/CURRENT");
  if (absl::IsNotFound(name.status())) {
    LOCKSTEP_RETURN_IF_ERROR(CheckUnused(env, folder));
    return std::string();
  }
  LOCKSTEP_RETURN_IF_ERROR(name.status());
  if (name->ends_with('\n')) name->pop_back();
  const std::string path = folder + "/" + *name;
  const absl::StatusOr<std::string> manifest = env.ReadFile(path);
  if (absl::IsNotFound(manifest.status())) return Damaged(path, "is missing");
  LOCKSTEP_RETURN_IF_ERROR(manifest.status());
  LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t certain, CertainBytes(env, folder, *name));
  LogInspector inspector;
  inspector.Add(*manifest);
  const uint64_t damaged_at = inspector.damaged_at().value_or(manifest->size());
  if (damaged_at < certain || inspector.damage() == LogDamage::kInside) {
    return Damaged(path, "is damaged at byte " + std::to_string(damaged_at));
  }
  return name;
}

absl::StatusOr<bool> CutZeroedManifest(Env& env, const std::string& folder) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::string name, env.ReadFile(folder + "/CURRENT"));
  if (name.ends_with('\n')) name.pop_back();
  const std::string path = folder + "/" + name;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string manifest, env.ReadFile(path));
  LogInspector inspector;
  inspector.Add(manifest);
  if (inspector.damage() != LogDamage::kAtEnd || !manifest.ends_with('\0')) return false;
  const uint64_t damaged_at = *inspector.damaged_at();
  Log(LogLevel::kWarn, "cutting off the end of a MANIFEST, which was never written to disk",
      {{"file", path}, {"from", manifest.size()}, {"to", damaged_at}});
  LOCKSTEP_RETURN_IF_ERROR(env.WriteFile(path, std::string_view(manifest).substr(0, damaged_at)));
  return true;
}

}  // namespace lockstep::kv
