// Hugging Face's trainer_state.json: one document, whose "log_history" is the log.
//
// Source: huggingface/transformers, src/transformers/trainer_callback.py (TrainerState).
#include <array>
#include <string>
#include <string_view>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/formats/hugging_face.h"
#include "ingest/logs/json/json_line.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

// Finds the end of a JSON document, line by line.
class JsonDepth {
 public:
  void Reset() { *this = JsonDepth(); }
  // Adds the next bytes, without line ends.
  void Add(std::string_view text);
  // No object or list is open.
  bool is_outside() const { return depth_ == 0; }

 private:
  int depth_ = 0;
  bool is_in_text_ = false;
  bool is_escaped_ = false;
};

void JsonDepth::Add(std::string_view text) {
  for (const char byte : text) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (is_in_text_) {
      is_escaped_ = byte == '\\';
      is_in_text_ = byte != '"';
    } else if (byte == '"') {
      is_in_text_ = true;
    } else if (byte == '{' || byte == '[') {
      ++depth_;
    } else if (byte == '}' || byte == ']') {
      --depth_;
    }
  }
}

constexpr std::array kTrainerStateSources = {MetricSource::kHuggingFace, MetricSource::kGeneric};

class TrainerState : public LogFormat {
 public:
  TrainerState() : reader_(kTrainerStateSources) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    if (document_.empty()) {
      if (Trim(line.text).empty()) return kIgnored;
      if (!Trim(line.text).starts_with('{'))
        return Rejected("the document does not begin with '{'");
      first_line_ = line;
    }
    if (document_.size() + line.text.size() >= kMaxDocumentBytes) {
      Clear();
      return Rejected("a document over the limit of 16 MiB");
    }
    document_.append(line.text).push_back('\n');
    depth_.Add(line.text);
    if (!depth_.is_outside()) return kTaken;
    const LineVerdict verdict = ParseDocument(out);
    Clear();
    return verdict;
  }

  // Documents have no state between each other.
  bool AppendState(std::string&) const override { return document_.empty(); }
  size_t held_bytes() const override { return document_.capacity(); }

 private:
  static constexpr size_t kMaxIdleBytes = 64 << 10;

  void Clear() {
    // The parser uses several times the document's size.
    if (document_.capacity() > kMaxIdleBytes) {
      std::string().swap(document_);
      parser_ = simdjson::ondemand::parser();
    }
    document_.clear();
    depth_.Reset();
  }

  LineVerdict ParseDocument(RecordWriter& out) {
    document_.reserve(document_.size() + kBufferPadding);
    const simdjson::padded_string_view padded(document_.data(), document_.size(),
                                              document_.capacity());
    simdjson::ondemand::document document;
    simdjson::ondemand::array history;
    if (const auto error = parser_.iterate(padded).get(document)) return Broken(error);
    if (const auto error = document["log_history"].get_array().get(history)) return Broken(error);
    for (auto element : history) {
      simdjson::ondemand::object record;
      if (const auto error = element.get_object().get(record)) return Broken(error);
      out.Begin(first_line_, RecordKind::kStep);
      const LineVerdict verdict = reader_.ReadObject(record, out);
      if (verdict.fate != LineFate::kTaken) return verdict;
      out.set_kind(KindOfHuggingFaceRecord(out.values()));
      out.Emit();
    }
    return kTaken;
  }

  static LineVerdict Broken(simdjson::error_code error) {
    return Rejected(simdjson::error_message(error));
  }

  JsonLineReader reader_;
  simdjson::ondemand::parser parser_;
  std::string document_;
  JsonDepth depth_;
  LogLine first_line_;
};

}  // namespace

std::unique_ptr<LogFormat> NewTrainerState() { return std::make_unique<TrainerState>(); }

bool IsTrainerState(std::string_view line) {
  line = Trim(line);
  return line == "{" || (line.starts_with('{') && line.find("\"log_history\"") != line.npos);
}

}  // namespace lockstep::logs
