// NeMo 2: the lines of its progress printer, and the step times logged by exp_manager.
//
// Source: NVIDIA/NeMo, nemo/lightning/pytorch/callbacks (ProgressPrinter),
// nemo/utils/exp_manager.py (DeltaTimingCallback).
#include <algorithm>
#include <array>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/text/line_time.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::array kNemoSources = {MetricSource::kLogged, MetricSource::kGeneric};

constexpr std::string_view kTraining = "Training epoch ";
constexpr std::string_view kValidation = "Validation: iteration ";

class Nemo : public LogFormat {
 public:
  Nemo() : keys_(kNemoSources) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    std::string_view text = line.text;
    if (TakePrefix(text, kTraining)) return ParseTraining(line, text, out);
    if (TakePrefix(text, kValidation)) {
      out.Begin(line, RecordKind::kEvaluation);
      return ParseIteration(text, out);
    }
    if (text.starts_with("[NeMo ")) return ParseLogged(line, text, out);
    return kIgnored;
  }

 private:
  // "0, iteration 19/99 | lr: 3e-06 | ..."
  LineVerdict ParseTraining(const LogLine& line, std::string_view text, RecordWriter& out) {
    out.Begin(line, RecordKind::kStep);
    const auto epoch = TakeInteger(text);
    if (!epoch.has_value() || !TakePrefix(text, ", iteration ")) {
      return Rejected("no epoch and iteration after \"Training\"");
    }
    out.Add(keys_.Find("epoch"), static_cast<double>(*epoch));
    return ParseIteration(text, out);
  }

  // "19/99 | lr: 3e-06 | global_step: 19 | ...". Iterations count per epoch, steps do not.
  LineVerdict ParseIteration(std::string_view text, RecordWriter& out) {
    const auto iteration = TakeInteger(text);
    if (!iteration.has_value() || !TakePrefix(text, "/")) {
      return Rejected("no iteration in a progress line");
    }
    out.set_step(*iteration);
    size_t begin = text.find('|');
    while (begin != text.npos) {
      text.remove_prefix(begin + 1);
      begin = text.find('|');
      if (!AddCell(text.substr(0, begin), out))
        return Rejected("a cell that is not \"name: number\"");
    }
    out.Emit(RepeatedStep::kNewAttempt);
    return kTaken;
  }

  // " train_step_timing in s: 9.37 "
  bool AddCell(std::string_view cell, RecordWriter& out) {
    const size_t colon = cell.rfind(':');
    if (colon == cell.npos) return false;
    const auto value = NumberOf(cell.substr(colon + 1));
    if (!value.has_value()) return false;
    const MetricKey* key = keys_.Find(Trim(cell.substr(0, colon)));
    if (key != nullptr && key->role == KeyRole::kStep) {
      out.set_step(static_cast<int64_t>(*value));
    } else {
      out.Add(key, *value);
    }
    return true;
  }

  // "[NeMo I 2026-03-02 09:16:00 exp_manager:450] Step 5: train_step_timing in s=9.37"
  LineVerdict ParseLogged(const LogLine& line, std::string_view text, RecordWriter& out) {
    text.remove_prefix(std::min(text.size(), sizeof("[NeMo I ") - 1));
    const auto time_ms = TakeTime(text, out.hints().utc_offset_s);
    const size_t end = text.find("] Step ");
    if (end == text.npos) return kIgnored;
    text.remove_prefix(end + sizeof("] Step ") - 1);
    const auto step = TakeInteger(text);
    if (!step.has_value() || !TakePrefix(text, ": ")) return kIgnored;
    const size_t equals = text.rfind('=');
    if (equals == text.npos) return kIgnored;
    const auto value = NumberOf(text.substr(equals + 1));
    if (!value.has_value()) return Rejected("no number after '='");
    out.Begin(line, RecordKind::kStep);
    out.set_step(*step);
    if (time_ms.has_value()) out.set_time_ms(*time_ms);
    out.Add(keys_.Find(Trim(text.substr(0, equals))), *value);
    out.Emit();
    return kTaken;
  }

  KeyCache keys_;
};

}  // namespace

std::unique_ptr<LogFormat> NewNemo() { return std::make_unique<Nemo>(); }

bool IsNemoProgress(std::string_view line) {
  return line.starts_with(kTraining) && line.find(", iteration ") != line.npos;
}

bool IsNemoDeltaTiming(std::string_view line) {
  return line.starts_with("[NeMo ") && line.find("] Step ") != line.npos &&
         line.find(" in s=") != line.npos;
}

}  // namespace lockstep::logs
