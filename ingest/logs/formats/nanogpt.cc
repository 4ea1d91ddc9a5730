// nanoGPT's standard output.
//
// Source: karpathy/nanoGPT, train.py.
#include <algorithm>
#include <array>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::array kNanogptSources = {MetricSource::kNanogpt};

class Nanogpt : public LogFormat {
 public:
  Nanogpt() : keys_(kNanogptSources) {}

  // "iter 10: loss 4.1234, time 123.45ms, mfu 41.20%", "step 250: train loss 4.0, val loss 4.1"
  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    std::string_view text = line.text;
    if (TakePrefix(text, "iter ")) {
      out.Begin(line, RecordKind::kStep);
    } else if (TakePrefix(text, "step ")) {
      out.Begin(line, RecordKind::kEvaluation);
    } else {
      return kIgnored;
    }
    const auto step = TakeInteger(text);
    if (!step.has_value() || !TakePrefix(text, ":")) return kIgnored;
    out.set_step(*step);
    while (!text.empty()) {
      const size_t end = std::min(text.find(','), text.size());
      if (!AddCell(Trim(text.substr(0, end)), out))
        return Rejected("a cell that is not \"name number\"");
      text.remove_prefix(std::min(text.size(), end + 1));
    }
    out.Emit(RepeatedStep::kNewAttempt);
    return kTaken;
  }

 private:
  // "time 123.45ms"
  bool AddCell(std::string_view cell, RecordWriter& out) {
    const size_t space = cell.rfind(' ');
    if (space == cell.npos) return false;
    std::string_view number = cell.substr(space + 1);
    const auto value = TakeNumber(number);
    if (!value.has_value()) return false;
    const std::string_view name = Trim(cell.substr(0, space));
    // nanoGPT prints -100% for the first five iterations, which have no MFU.
    if (name == "mfu" && *value < 0) return true;
    out.Add(keys_.Find(name), *value);
    return true;
  }

  KeyCache keys_;
};

}  // namespace

std::unique_ptr<LogFormat> NewNanogpt() { return std::make_unique<Nanogpt>(); }

bool IsNanogpt(std::string_view line) {
  std::string_view text = line;
  if (!TakePrefix(text, "iter ") && !TakePrefix(text, "step ")) return false;
  return TakeInteger(text).has_value() &&
         (text.starts_with(": loss ") || text.starts_with(": train loss "));
}

}  // namespace lockstep::logs
