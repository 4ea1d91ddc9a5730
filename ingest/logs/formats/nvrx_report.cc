// Straggler reports of NVIDIA's resiliency extension: a score per rank.
//
// Source: NVIDIA/nvidia-resiliency-ext, ptl_resiliency/straggler_det_callback.py.
#include <array>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/logs/text/line_time.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::array kNvrxSources = {MetricSource::kNvrx};
constexpr std::string_view kRelative = "GPU relative performance:";
constexpr std::string_view kIndividual = "GPU individual performance:";

constexpr std::string_view kIndividualScore = "straggler_gpu_individual_score";
constexpr std::string_view kRelativeScore = "straggler_gpu_relative_score";

class NvrxReport : public LogFormat {
 public:
  NvrxReport() : keys_(kNvrxSources) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    if (line.text.starts_with(" Rank=")) return ParseRank(line, out);
    const bool is_individual = line.text.find(kIndividual) != line.text.npos;
    if (!is_individual && line.text.find(kRelative) == line.text.npos) return kIgnored;
    score_ = is_individual ? kIndividualScore : kRelativeScore;
    std::string_view text = line.text;
    out.Begin(line, RecordKind::kMeasurement);
    if (const auto time_ms = TakeTime(text, out.hints().utc_offset_s)) out.set_time_ms(*time_ms);
    out.Emit();
    return kTaken;
  }

  bool AppendState(std::string& out) const override {
    PutVarint64(out, score_.empty() ? 0 : score_ == kIndividualScore ? 1 : 2);
    return true;
  }
  bool LoadState(std::string_view& in, RecordWriter&) override {
    uint64_t score = 0;
    if (!GetBelow(in, 3, score)) return false;
    if (score != 0) score_ = score == 1 ? kIndividualScore : kRelativeScore;
    return true;
  }

 private:
  // " Rank=11 Node=node1 Score=0.68"
  LineVerdict ParseRank(const LogLine& line, RecordWriter& out) {
    std::string_view text = line.text;
    TakePrefix(text, " Rank=");
    const auto rank = TakeRank(text);
    const size_t score = text.rfind(" Score=");
    if (score_.empty()) return kIgnored;
    if (!rank.has_value() || score == text.npos) {
      return Rejected("no rank and score in a report");
    }
    const auto value = NumberOf(text.substr(score + sizeof(" Score=") - 1));
    if (!value.has_value()) return Rejected("a score that is not a number");
    std::string_view node = text.substr(0, score);
    out.Begin(line, RecordKind::kMeasurement);
    out.set_rank(*rank);
    if (TakePrefix(node, " Node=")) out.AddLabel("node", node);
    out.Add(keys_.Find(score_), *value);
    out.EmitContinuation();
    return kTaken;
  }

  KeyCache keys_;
  std::string_view score_;  // metric of the ranks' scores
};

}  // namespace

std::unique_ptr<LogFormat> NewNvrxReport() { return std::make_unique<NvrxReport>(); }

bool IsNvrxReport(std::string_view line) { return line.find(kRelative) != line.npos; }

}  // namespace lockstep::logs
