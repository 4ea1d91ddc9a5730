// DeepSpeed's standard output: step, throughput and timer lines, and its communication log.
//
// Source: deepspeedai/DeepSpeed, deepspeed/runtime/engine.py, deepspeed/utils/timer.py,
// deepspeed/utils/comms_logging.py.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/text/line_time.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::array kDeepspeedSources = {MetricSource::kDeepspeed};
constexpr std::string_view kCommOp = "comm op: ";
constexpr std::string_view kTimers = "time (ms) | ";

// "[2026-03-02 09:16:08,125] [INFO] [logging.py:128:log_dist] [Rank 0] ", any part may be missing.
struct DeepspeedHead {
  std::optional<int64_t> time_ms;
  std::optional<int32_t> rank;
};

DeepspeedHead TakeDeepspeedHead(std::string_view& text, int32_t utc_offset_s) {
  DeepspeedHead head;
  while (text.starts_with('[')) {
    const size_t end = text.find("] ");
    if (end == text.npos) break;
    std::string_view part = text.substr(1, end - 1);
    if (TakePrefix(part, "Rank ")) {
      head.rank = RankOf(part);
    } else if (!head.time_ms.has_value()) {
      head.time_ms = TakeTime(part, utc_offset_s);
    }
    text.remove_prefix(end + 2);
  }
  return head;
}

class Deepspeed : public LogFormat {
 public:
  Deepspeed() : keys_(kDeepspeedSources) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    std::string_view text = line.text;
    const DeepspeedHead head = TakeDeepspeedHead(text, out.hints().utc_offset_s);
    const bool is_comm = TakePrefix(text, kCommOp);
    out.Begin(line, is_comm ? RecordKind::kMeasurement : RecordKind::kStep);
    if (head.time_ms.has_value()) out.set_time_ms(*head.time_ms);
    // Other lines of a step omit the rank; these records have no other key.
    if (is_comm && head.rank.has_value()) out.set_rank(*head.rank);
    if (is_comm) return ParseCommOp(text, out);
    if (TakePrefix(text, "step=")) return ParseStep(text, out);
    if (TakePrefix(text, "steps: ")) return ParseLoss(text, out);
    if (TakePrefix(text, "epoch=")) return ParseThroughput(text, out);
    if (TakePrefix(text, kTimers)) return ParseTimers(text, out);
    return kIgnored;
  }

 private:
  // "10, skipped=0, lr=[1e-05], mom=[(0.9, 0.95)]"
  LineVerdict ParseStep(std::string_view text, RecordWriter& out) {
    const auto step = TakeInteger(text);
    if (!step.has_value()) return Rejected("no number after \"step=\"");
    out.set_step(*step);
    AddAssigned("skipped", ", skipped=", text, out);
    AddAssigned("lr", ", lr=[", text, out);
    out.Emit();
    return kTaken;
  }

  void AddAssigned(std::string_view name, std::string_view before, std::string_view text,
                   RecordWriter& out) {
    const size_t begin = text.find(before);
    if (begin == text.npos) return;
    text.remove_prefix(begin + before.size());
    if (const auto value = TakeNumber(text)) out.Add(keys_.Find(name), *value);
  }

  // "10 loss: 7.8594 iter time (s): 3.777 samples/sec: 33.886"
  LineVerdict ParseLoss(std::string_view text, RecordWriter& out) {
    const auto step = TakeInteger(text);
    if (!step.has_value()) return Rejected("no number after \"steps:\"");
    out.set_step(*step);
    while (true) {
      const size_t colon = text.find(": ");
      if (colon == text.npos) break;
      const std::string_view name = Trim(text.substr(0, colon));
      text.remove_prefix(colon + 2);
      const auto value = TakeNumber(text);
      if (!value.has_value()) return Rejected("no number after a name and ':'");
      out.Add(keys_.Find(name), *value);
    }
    if (!Trim(text).empty()) return Rejected("the line ends within a name");
    out.Emit();
    return kTaken;
  }

  // "0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=33.4, MemAllocated=21.37GB"
  LineVerdict ParseThroughput(std::string_view text, RecordWriter& out) {
    constexpr std::string_view kGlobalStep = "/global_step=";
    const size_t begin = text.find(kGlobalStep);
    if (begin == text.npos) return kIgnored;
    text.remove_prefix(begin + kGlobalStep.size());
    const auto step = TakeInteger(text);
    if (!step.has_value()) return Rejected("no number after \"global_step=\"");
    out.set_step(*step);
    while (TakePrefix(text, ", ")) {
      const size_t equals = text.find('=');
      if (equals == text.npos) return Rejected("the line ends within a name");
      const std::string_view name = text.substr(0, equals);
      text.remove_prefix(equals + 1);
      const auto value = TakeNumber(text);
      if (!value.has_value()) return Rejected("no number after '='");
      const std::string_view unit = text.substr(0, text.find(','));
      text.remove_prefix(unit.size());
      out.Add(keys_.Find(name), *value * BytesOf(unit));
    }
    out.Emit();
    return kTaken;
  }

  // "fwd: 820.33 | bwd: 1723.12", of the previous step.
  LineVerdict ParseTimers(std::string_view text, RecordWriter& out) {
    if (!ParseCells(text, kTimers, out)) return Rejected("a timer that is not \"name: number\"");
    out.EmitContinuation();
    return kTaken;
  }

  // "all_reduce | time (ms): 4.60 | msg size: 256.0 MB | algbw (Gbps): 466.00"
  LineVerdict ParseCommOp(std::string_view text, RecordWriter& out) {
    const size_t end = text.find(" | ");
    if (end == text.npos) return Rejected("no '|' after a comm op");
    out.AddLabel("op", text.substr(0, end));
    if (!ParseCells(text.substr(end + 3), "comm op | ", out)) {
      return Rejected("a cell that is not \"name: number\"");
    }
    out.Emit();
    return kTaken;
  }

  bool ParseCells(std::string_view text, std::string_view name_prefix, RecordWriter& out) {
    while (!text.empty()) {
      const size_t end = std::min(text.find(" | "), text.size());
      const std::string_view cell = text.substr(0, end);
      const size_t colon = cell.rfind(": ");
      if (colon == cell.npos) return false;
      std::string_view number = cell.substr(colon + 2);
      const auto value = TakeNumber(number);
      if (!value.has_value()) return false;
      written_.assign(name_prefix).append(Trim(cell.substr(0, colon)));
      out.Add(keys_.Find(written_), *value * BytesOf(Trim(number)));
      text.remove_prefix(std::min(text.size(), end + 3));
    }
    return true;
  }

  // DeepSpeed's gigabytes are 2^30 bytes, its megabytes 2^20.
  static double BytesOf(std::string_view unit) {
    if (unit == "GB") return 1 << 30;
    if (unit == "MB") return 1 << 20;
    if (unit == "KB") return 1 << 10;
    return 1;
  }

  KeyCache keys_;
  std::string written_;  // reused
};

}  // namespace

std::unique_ptr<LogFormat> NewDeepspeed() { return std::make_unique<Deepspeed>(); }

bool IsDeepspeed(std::string_view line) {
  const bool has_head = line.starts_with("[20");
  TakeDeepspeedHead(line, 0);
  if (line.starts_with("steps: ")) return line.find(" iter time (s): ") != line.npos;
  if (!has_head) return false;
  return (line.starts_with("step=") && line.find(", skipped=") != line.npos) ||
         (line.starts_with("epoch=") && line.find("/global_step=") != line.npos) ||
         line.starts_with(kTimers);
}

bool IsDeepspeedComms(std::string_view line) {
  TakeDeepspeedHead(line, 0);
  return line.starts_with(kCommOp) && line.find("algbw (Gbps): ") != line.npos;
}

}  // namespace lockstep::logs
