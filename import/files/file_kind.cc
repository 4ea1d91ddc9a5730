#include "import/files/file_kind.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/str_format.h"
#include "hang/dump/evidence.h"
#include "import/mlflow/mlflow_store.h"
#include "import/traces/nsys/nsys_stats.h"
#include "import/traces/tensorboard/tfrecord.h"
#include "import/wandb/wandb_log.h"
#include "ingest/exposition/text_entry.h"
#include "ingest/exposition/text_format.h"
#include "ingest/logs/log_formats.h"
#include "ingest/logs/log_parser.h"
#include "ingest/logs/record/log_hints.h"

namespace lockstep::importer {
namespace {

struct NamedKind {
  FileKind kind;
  std::string_view name;
};

constexpr NamedKind kKinds[] = {
    {FileKind::kOpenMetrics, "openmetrics"},
    {FileKind::kPrometheus, "prometheus"},
    {FileKind::kTensorboard, "tensorboard"},
    {FileKind::kKineto, "kineto"},
    {FileKind::kNsys, "nsys"},
    {FileKind::kWandb, "wandb"},
    {FileKind::kMlflow, "mlflow"},
    {FileKind::kSteps, "steps"},
    {FileKind::kFlightRecorder, "flight-recorder"},
    {FileKind::kStack, "stack"},
};

// How many lines of a text exposition to examine.
constexpr int kLookedAtLines = 200;
// Milliseconds read as seconds would be beyond the year 5000.
constexpr int64_t kLatestTimeMs = 100'000'000'000'000;

// Checks the length before the first record, and its checksum.
bool IsTensorboard(std::string_view head) {
  constexpr size_t kLengthBytes = sizeof(uint64_t);
  if (head.size() < traces::kTfRecordHeaderBytes) return false;
  uint32_t checksum = 0;
  std::memcpy(&checksum, head.data() + kLengthBytes, sizeof(checksum));
  return checksum == traces::MaskedCrc32c(head.substr(0, kLengthBytes));
}

bool IsKineto(std::string_view head) {
  const size_t begin = head.find_first_not_of(" \t\r\n");
  return begin != head.npos && head[begin] == '{' && head.find("\"traceEvents\"") != head.npos;
}

bool IsNsys(std::string_view head) {
  traces::NsysStatsReader reader;
  std::vector<traces::TraceRecord> records;
  reader.Feed(head, records);
  reader.Finish(records);
  return reader.table_count() > 0;
}

// Counts of an exposition's lines by kind.
struct ExpositionLines {
  int good = 0;  // samples and metadata
  int bad = 0;
  bool needs_prometheus = false;
  std::optional<int64_t> timestamp_ms;  // of the first sample with a timestamp
};

void CountLine(std::string_view line, ExpositionLines& lines) {
  using exposition::EntryKind;
  using exposition::TextFormat;
  std::string_view rest = line;
  auto entry = exposition::TakeEntry(rest, TextFormat::kOpenMetrics);
  if (!entry.ok()) {
    entry = exposition::TakeEntry(line, TextFormat::kPrometheus);
    lines.needs_prometheus = lines.needs_prometheus || entry.ok();
  }
  if (!entry.ok()) {
    ++lines.bad;
  } else if (entry->kind != EntryKind::kNothing) {
    ++lines.good;
    if (!lines.timestamp_ms.has_value()) lines.timestamp_ms = entry->timestamp_ms;
  }
}

// The exposition format if most lines have it.
std::optional<FileKind> ExpositionKindOf(std::string_view head) {
  ExpositionLines lines;
  for (int i = 0; i < kLookedAtLines && !head.empty(); ++i) {
    const size_t end = head.find('\n');
    // The last line may be truncated.
    if (end == head.npos && i > 0) break;
    std::string_view line = head.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    CountLine(line, lines);
    head.remove_prefix(end == head.npos ? head.size() : end + 1);
  }
  if (lines.good == 0 || lines.bad * 2 > lines.good) return std::nullopt;
  if (lines.timestamp_ms.has_value() ? *lines.timestamp_ms > kLatestTimeMs
                                     : lines.needs_prometheus) {
    return FileKind::kPrometheus;
  }
  return FileKind::kOpenMetrics;
}

class NoSink : public logs::LogSink {
 public:
  void Take(const logs::LogRecord&) override {}
};

// The format whose parser produces records from it.
std::string_view LogFormatOf(std::string_view path, std::string_view head) {
  NoSink sink;
  const auto parser = logs::LogParser::New(logs::HintsFromPath(path), sink);
  if (!parser.ok()) return "";
  (*parser)->Feed(head);
  (*parser)->Finish();
  const logs::RecordCounts counts = (*parser)->counts().records;
  const logs::LogFormatKind* const kind = logs::LogFormatByName((*parser)->format_name());
  if (kind == nullptr) return "";
  // A document yields its records only at its end.
  const bool has_records = counts.values > 0 || counts.of(logs::RecordKind::kEvent) > 0 ||
                           kind->name == "hf_trainer_state";
  return has_records ? kind->name : std::string_view();
}

std::string Names() {
  std::string names;
  for (const NamedKind& kind : kKinds) absl::StrAppendFormat(&names, "%s, ", kind.name);
  for (const std::string_view name : logs::LogFormatNames()) {
    absl::StrAppendFormat(&names, "%s, ", name);
  }
  names.resize(names.size() - 2);
  return names;
}

FileFormat FormatOfKind(FileKind kind) {
  for (const NamedKind& named : kKinds) {
    if (named.kind == kind) return {kind, std::string(named.name)};
  }
  return {kind, ""};
}

}  // namespace

absl::StatusOr<FileFormat> FormatOfName(std::string_view name) {
  for (const NamedKind& kind : kKinds) {
    if (kind.name == name) return FileFormat{kind.kind, std::string(name)};
  }
  if (logs::LogFormatByName(name) != nullptr) return FileFormat{FileKind::kLog, std::string(name)};
  return absl::InvalidArgumentError(
      absl::StrFormat("unknown format \"%s\"; the formats are %s", name, Names()));
}

absl::StatusOr<FileFormat> FormatOfFile(std::string_view path, std::string_view head) {
  if (wandb::IsWandbLog(head)) return FormatOfKind(FileKind::kWandb);
  if (mlflow::IsSqlite(head)) return FormatOfKind(FileKind::kMlflow);
  if (IsTensorboard(head)) return FormatOfKind(FileKind::kTensorboard);
  if (const auto evidence = hang::KindOfEvidence(head)) {
    return FormatOfKind(*evidence == hang::EvidenceKind::kStack ? FileKind::kStack
                                                                : FileKind::kFlightRecorder);
  }
  if (IsKineto(head)) return FormatOfKind(FileKind::kKineto);
  if (IsNsys(head)) return FormatOfKind(FileKind::kNsys);
  if (const auto kind = ExpositionKindOf(head)) return FormatOfKind(*kind);
  const std::string_view log = LogFormatOf(path, head);
  if (log == "jsonl" && path.find(".jsonl") != path.npos) return FormatOfKind(FileKind::kSteps);
  if (!log.empty()) return FileFormat{FileKind::kLog, std::string(log)};
  return absl::InvalidArgumentError(absl::StrFormat(
      "its first %d bytes match no known format (%s); set it with --format", head.size(), Names()));
}

}  // namespace lockstep::importer
