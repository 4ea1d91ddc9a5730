#include "hang/dump/evidence.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <string>
#include <utility>

#include "hang/dump/flight_dump.h"
#include "hang/dump/json_document.h"
#include "hang/dump/pickle.h"
#include "hang/dump/stack_text.h"

namespace lockstep::hang {
namespace {

bool HasAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return text.find(word) != text.npos; });
}

bool HasWordsOfRecorder(std::string_view head) {
  return HasAny(head, {"pg_config", "pg_status", "collective_seq_id", "comm_lib_version",
                       "nccl_version", "nccl_comm_state"});
}

// Profilers' traces describe groups too, and logs may mention any word.
bool HasFieldsOfRecorder(std::string_view head) {
  const auto has = [head](std::string_view word) { return head.find(word) != head.npos; };
  if (HasAny(head, {"\"traceEvents\"", "\"distributedInfo\""})) return false;
  const bool has_entries = has("\"record_id\"") && has("\"profiling_name\"");
  return has_entries || (has("\"pg_config\"") && has("\"version\""));
}

bool IsJsonObject(std::string_view head) {
  const size_t begin = head.find_first_not_of(" \t\r\n");
  return begin != head.npos && head[begin] == '{';
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<int32_t> NumberAt(std::string_view text, size_t at) {
  int32_t number = -1;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || number > kMaxRank) return std::nullopt;
  return number;
}

}  // namespace

std::string_view Name(EvidenceKind kind) {
  return kind == EvidenceKind::kFlightRecorder ? "flight-recorder" : "stack";
}

std::optional<EvidenceKind> KindOfEvidence(std::string_view head) {
  if ((IsPickle(head) && HasWordsOfRecorder(head)) ||
      (IsJsonObject(head) && HasFieldsOfRecorder(head))) {
    return EvidenceKind::kFlightRecorder;
  }
  if (IsStackText(head)) return EvidenceKind::kStack;
  return std::nullopt;
}

std::optional<int32_t> RankInName(std::string_view path) {
  const std::string_view given = path.substr(path.find_last_of('/') + 1);
  std::string name(given);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (size_t at = name.rfind("rank"); at != name.npos && at > 0; at = name.rfind("rank", at - 1)) {
    size_t digits = at + 4;
    while (digits < name.size() && (name[digits] == '_' || name[digits] == '-')) ++digits;
    if (digits < name.size() && IsDigit(name[digits])) return NumberAt(name, digits);
  }
  if (name.starts_with("rank")) {
    const size_t digits = name.find_first_of("0123456789");
    if (digits == 4 || digits == 5) return NumberAt(name, digits);
  }
  // The end of the name without its extensions.
  const size_t stem = std::min(name.find('.', 1), name.size());
  size_t digits = stem;
  while (digits > 0 && IsDigit(name[digits - 1])) --digits;
  return digits < stem ? NumberAt(name, digits) : std::nullopt;
}

absl::StatusOr<RankRecord> ReadEvidence(std::string_view bytes, MemoryCharge* memory) {
  if (IsPickle(bytes)) {
    LOCKSTEP_ASSIGN_OR_RETURN(const Document document, ReadPickle(bytes, memory));
    return ReadFlightDump(document);
  }
  if (IsJsonObject(bytes)) {
    LOCKSTEP_ASSIGN_OR_RETURN(const JsonDocument json, JsonDocument::Read(bytes, memory));
    return ReadFlightDump(json.document());
  }
  RankRecord record;
  if (bytes.find('\0') == bytes.npos) record.stack = ReadStackText(bytes);
  if (!record.stack.empty()) return record;
  return absl::InvalidArgumentError(
      "neither a flight recorder's dump (a pickle or JSON) nor a stack by faulthandler or py-spy");
}

}  // namespace lockstep::hang
