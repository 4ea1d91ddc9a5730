// The dictionaries that Hugging Face's Trainer prints between tqdm bars.
//
// They contain no step. Sources of the step, best first:
//   1. the bar that tqdm redraws right after a dictionary printed through it
//   2. the number of dictionaries times LogHints::logging_steps
//   3. a bar right before the dictionary, on the same line
//   4. the same distance from the previous record as that one had from its predecessor
// A record waits for the next line because of the first. Without any, it has no step and is placed
// by its token count, if any.
//
// Source: huggingface/transformers, src/transformers/trainer_callback.py (ProgressCallback,
// PrinterCallback).
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/formats/hugging_face.h"
#include "ingest/logs/record/record_fields.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

// The numbers of a bar that tqdm draws.
struct ProgressBar {
  int64_t done;
  int64_t total;
};

// Parses a trimmed bar without a description: "7%|#   | 40/520 [02:00<--:--,  3.54s/it]".
std::optional<ProgressBar> ProgressBarOf(std::string_view text) {
  if (!TakeInteger(text).has_value() || !TakePrefix(text, "%|")) return std::nullopt;
  const size_t end = text.find("| ");
  if (end == text.npos) return std::nullopt;
  text.remove_prefix(end + 2);
  const auto done = TakeInteger(text);
  if (!done.has_value() || !TakePrefix(text, "/")) return std::nullopt;
  const auto total = TakeInteger(text);
  if (!total.has_value() || !text.starts_with(" [")) return std::nullopt;
  return ProgressBar{*done, *total};
}

// An item "'name': value" of a flat dictionary as Python prints it:
// {'loss': 2.31, 'epoch': '0.04', 'grad_norm': nan}.
struct DictItem {
  std::string_view name;
  std::string_view value;  // unquoted
};

std::optional<std::string_view> TakeQuotedWord(std::string_view& text) {
  if (text.empty() || (text.front() != '\'' && text.front() != '"')) return std::nullopt;
  const size_t end = text.find(text.front(), 1);
  if (end == text.npos) return std::nullopt;
  const std::string_view quoted = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return quoted;
}

// Takes an item and the comma after it from the front of the text inside the braces.
std::optional<DictItem> TakeDictItem(std::string_view& text) {
  TakeSpaces(text);
  const auto name = TakeQuotedWord(text);
  if (!name.has_value() || !TakePrefix(text, ":")) return std::nullopt;
  TakeSpaces(text);
  DictItem item = {*name, {}};
  if (const auto quoted = TakeQuotedWord(text)) {
    item.value = *quoted;
  } else {
    item.value = Trim(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.find(','), text.size()));
  }
  TakeSpaces(text);
  if (!text.empty() && !TakePrefix(text, ",")) return std::nullopt;
  return item;
}

constexpr std::array kHuggingFaceSources = {MetricSource::kHuggingFace, MetricSource::kGeneric};
constexpr std::string_view kResumedAt = "Continuing training from global step ";

class HuggingFaceStdout : public LogFormat {
 public:
  HuggingFaceStdout() : keys_(kHuggingFaceSources) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    std::string_view text = Trim(line.text);
    if (text.empty()) {
      // Blanks erase a bar before something is printed; the erased bar may be outdated.
      if (!line.text.empty()) bar_before_.reset();
      return kIgnored;
    }
    if (const auto bar = ProgressBarOf(text)) {
      TakeBar(*bar, line, out);
      return kIgnored;
    }
    Release(std::nullopt, out);
    if (text.starts_with("{'")) return ParseDict(line, text, out);
    bar_before_.reset();
    const size_t resumed = text.find(kResumedAt);
    if (resumed != text.npos) TakeResumption(text.substr(resumed + kResumedAt.size()));
    return kIgnored;
  }

  void Finish(RecordWriter& out) override { Release(std::nullopt, out); }

  // A dictionary that waits for its step is kept as its line.
  bool AppendState(std::string& out) const override {
    for (const auto& number : {total_, bar_before_, last_step_}) PutOptional(out, number);
    for (const int64_t number : {stride_, first_step_, dict_count_}) PutVarintSigned64(out, number);
    PutLengthPrefixed(out, is_waiting_ ? waiting_text_ : "");
    PutVarint64(out, waiting_line_.offset);
    PutOptional(out, waiting_line_.rank);
    PutOptional(out, waiting_line_.time_ms);
    return true;
  }
  bool LoadState(std::string_view& in, RecordWriter& out) override {
    for (auto* number : {&total_, &bar_before_, &last_step_}) {
      if (!GetOptional(in, *number)) return false;
    }
    for (int64_t* number : {&stride_, &first_step_, &dict_count_}) {
      if (!GetVarintSigned64(in, *number)) return false;
    }
    LogLine line;
    if (!GetLengthPrefixed(in, line.text) || !GetVarint64(in, line.offset) ||
        !GetOptional(in, line.rank) || !GetOptional(in, line.time_ms)) {
      return false;
    }
    if (line.text.empty()) return true;
    const std::string text(line.text);
    line.text = text;
    return line.text.starts_with("{'") && ParseDict(line, text, out).fate == LineFate::kTaken;
  }

 private:
  void TakeBar(const ProgressBar& bar, const LogLine& line, RecordWriter& out) {
    // Ignores the bars of evaluations.
    if (total_.has_value() && bar.total != *total_) return;
    total_ = bar.total;
    const bool is_drawn_again = line.follows_return;
    Release(is_drawn_again ? std::optional(bar.done) : std::nullopt, out);
    bar_before_ = bar.done;
  }

  // The line is also an event, which begins an attempt.
  void TakeResumption(std::string_view text) {
    if (const auto step = TakeInteger(text)) {
      first_step_ = *step;
      dict_count_ = 0;
      last_step_ = *step;
    }
  }

  LineVerdict ParseDict(const LogLine& line, std::string_view text, RecordWriter& out) {
    if (!text.ends_with('}')) return Rejected("an unterminated dictionary");
    text.remove_prefix(1);
    text.remove_suffix(1);
    out.Begin(line, RecordKind::kStep);
    fields_.Begin();
    while (!Trim(text).empty()) {
      const auto item = TakeDictItem(text);
      if (!item.has_value()) return Rejected("a dictionary with an item that is not 'name': value");
      const MetricKey* key = keys_.Find(item->name);
      if (const auto number = NumberOf(item->value)) fields_.TakeNumber(key, *number, out);
    }
    if (out.values().empty()) return kIgnored;
    kind_ = KindOfHuggingFaceRecord(out.values());
    out.set_kind(kind_);
    is_waiting_ = true;
    waiting_text_ = Trim(line.text);
    waiting_line_ = line;
    return kTaken;
  }

  // Emits the waiting record, if any. `bar` is a bar redrawn after it.
  void Release(std::optional<int64_t> bar, RecordWriter& out) {
    if (!is_waiting_) return;
    is_waiting_ = false;
    if (!out.has_step()) {
      if (kind_ == RecordKind::kStep) {
        ++dict_count_;
        FindStep(bar, out.hints().logging_steps);
      }
      if (last_step_.has_value()) out.set_step(*last_step_);
    }
    out.Emit();
    bar_before_.reset();
  }

  void FindStep(std::optional<int64_t> bar, int64_t logging_steps) {
    const std::optional<int64_t> before = last_step_;
    if (bar.has_value()) {
      last_step_ = bar;
    } else if (logging_steps > 0) {
      last_step_ = first_step_ + dict_count_ * logging_steps;
    } else if (bar_before_.has_value()) {
      last_step_ = bar_before_;
    } else if (last_step_.has_value()) {
      last_step_ = *last_step_ + stride_;
    }
    if (last_step_.has_value()) stride_ = *last_step_ - before.value_or(first_step_);
  }

  KeyCache keys_;
  RecordFields fields_;
  RecordKind kind_ = RecordKind::kStep;
  bool is_waiting_ = false;   // a record is complete except for its step
  std::string waiting_text_;  // its line
  LogLine waiting_line_;      // its other fields
  std::optional<int64_t> total_;
  std::optional<int64_t> bar_before_;  // step of the last bar, if nothing came since
  std::optional<int64_t> last_step_;
  int64_t stride_ = 0;
  int64_t first_step_ = 0;  // of this attempt
  int64_t dict_count_ = 0;  // of this attempt
};

}  // namespace

std::unique_ptr<LogFormat> NewHuggingFaceStdout() { return std::make_unique<HuggingFaceStdout>(); }

bool IsHuggingFaceStdout(std::string_view line) {
  line = Trim(line);
  return line.starts_with("{'") && line.ends_with('}') && line.find("': ") != line.npos &&
         (line.find("'epoch'") != line.npos || line.find("'loss'") != line.npos);
}

}  // namespace lockstep::logs
