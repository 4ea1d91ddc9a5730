#include "tests/promqltest/script.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "query/promql/parser/parser.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promqltest {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view Trim(std::string_view text) {
  const size_t start = text.find_first_not_of(kBlanks);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

// Removes the first word and the blanks after it from `text`.
std::string_view TakeWord(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text = Trim(text.substr(word.size()));
  return word;
}

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

absl::Status TakeLiteral(std::string_view& text, std::string_view word) {
  if (TakeWord(text) == word) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("'%s' is missing", word));
}

absl::StatusOr<int64_t> TakeDuration(std::string_view& text) {
  return promql::ParseDurationMs(TakeWord(text));
}

// Start timestamps are on a separate line before the line with the series' values, after the series
// with the suffix `@st`. Returns the line without the suffix, or nothing for any other line.
std::optional<std::string> StartTimestampsLine(std::string_view line) {
  constexpr std::string_view kMark = "@st";
  const size_t brace = line.rfind('}');
  const size_t name_end = line.find_first_of(kBlanks, brace == line.npos ? 0 : brace);
  std::string_view series = line.substr(0, name_end);
  if (!series.ends_with(kMark)) return std::nullopt;
  series.remove_suffix(kMark.size());
  return std::string(series) + std::string(line.substr(std::min(name_end, line.size())));
}

class Parser {
 public:
  explicit Parser(std::string_view text) {
    while (true) {
      const size_t end = text.find('\n');
      const std::string_view line = Trim(text.substr(0, end));
      lines_.push_back(StartsWith(line, "#") ? std::string_view() : line);
      if (end == text.npos) return;
      text.remove_prefix(end + 1);
    }
  }

  absl::StatusOr<std::vector<Command>> Parse() {
    while (next_ < lines_.size()) {
      if (lines_[next_].empty()) {
        ++next_;
        continue;
      }
      if (const absl::Status status = ParseCommand(); !status.ok()) {
        return Annotate(status, absl::StrFormat("line %d", next_));
      }
    }
    return std::move(commands_);
  }

 private:
  absl::Status ParseCommand() {
    std::string_view rest = lines_[next_++];
    std::string word(TakeWord(rest));
    for (char& c : word) c = absl::ascii_tolower(static_cast<unsigned char>(c));
    if (word == "clear") {
      commands_.emplace_back(ClearCommand{});
      return absl::OkStatus();
    }
    if (StartsWith(word, "load")) return ParseLoad(word, rest);
    if (StartsWith(word, "eval")) return ParseEval(word, rest);
    return absl::InvalidArgumentError("unknown command");
  }

  // The next line of the current block; empty at its end.
  std::string_view NextLine() {
    if (next_ == lines_.size()) return {};
    return lines_[next_++];
  }

  absl::Status ParseLoad(std::string_view word, std::string_view rest) {
    LoadCommand load;
    load.with_custom_buckets = word == "load_with_nhcb";
    LOCKSTEP_ASSIGN_OR_RETURN(load.step_ms, TakeDuration(rest));
    std::vector<Slot> start_offsets;
    for (std::string_view line = NextLine(); !line.empty(); line = NextLine()) {
      if (const std::optional<std::string> starts = StartTimestampsLine(line)) {
        LOCKSTEP_ASSIGN_OR_RETURN(SeriesLine series, ParseSeriesLine(*starts));
        start_offsets = std::move(series.slots);
        continue;
      }
      LOCKSTEP_ASSIGN_OR_RETURN(SeriesLine series, ParseSeriesLine(line));
      series.start_offsets = std::exchange(start_offsets, {});
      if (!series.start_offsets.empty() && series.start_offsets.size() != series.slots.size()) {
        return absl::InvalidArgumentError("as many start timestamps as values are needed");
      }
      load.series.push_back(std::move(series));
    }
    commands_.emplace_back(std::move(load));
    return absl::OkStatus();
  }

  absl::Status ParseEval(std::string_view word, std::string_view rest) {
    EvalCommand eval;
    eval.line = static_cast<int>(next_);
    eval.expected.fail = word == "eval_fail";
    LOCKSTEP_RETURN_IF_ERROR(ParseEvalTimes(rest, eval));
    eval.query = std::string(rest);
    for (std::string_view line = NextLine(); !line.empty(); line = NextLine()) {
      if (const std::optional<double> scalar = ParseValue(line)) {
        eval.expected.scalar = scalar;
        break;
      }
      LOCKSTEP_RETURN_IF_ERROR(ParseResultLine(line, eval.expected));
    }
    commands_.emplace_back(std::move(eval));
    return absl::OkStatus();
  }

  static absl::Status ParseEvalTimes(std::string_view& rest, EvalCommand& eval) {
    const std::string_view kind = TakeWord(rest);
    eval.is_range = kind == "range";
    if (!eval.is_range) {
      if (kind != "instant") return absl::InvalidArgumentError("neither instant nor range");
      LOCKSTEP_RETURN_IF_ERROR(TakeLiteral(rest, "at"));
      LOCKSTEP_ASSIGN_OR_RETURN(eval.start_ms, TakeDuration(rest));
      eval.end_ms = eval.start_ms;
      return absl::OkStatus();
    }
    RangeVectorExpectation times;
    LOCKSTEP_RETURN_IF_ERROR(ParseRange(rest, times));
    eval.start_ms = times.start_ms;
    eval.end_ms = times.end_ms;
    eval.step_ms = times.step_ms;
    return absl::OkStatus();
  }

  static absl::Status ParseRange(std::string_view& rest, RangeVectorExpectation& times) {
    LOCKSTEP_RETURN_IF_ERROR(TakeLiteral(rest, "from"));
    LOCKSTEP_ASSIGN_OR_RETURN(times.start_ms, TakeDuration(rest));
    LOCKSTEP_RETURN_IF_ERROR(TakeLiteral(rest, "to"));
    LOCKSTEP_ASSIGN_OR_RETURN(times.end_ms, TakeDuration(rest));
    LOCKSTEP_RETURN_IF_ERROR(TakeLiteral(rest, "step"));
    LOCKSTEP_ASSIGN_OR_RETURN(times.step_ms, TakeDuration(rest));
    return absl::OkStatus();
  }

  static absl::Status ParseResultLine(std::string_view line, Expectations& expected) {
    std::string_view rest = line;
    if (TakeWord(rest) == "expect") return ParseExpectation(rest, expected);
    LOCKSTEP_ASSIGN_OR_RETURN(SeriesLine series, ParseSeriesLine(line));
    expected.series.push_back(std::move(series));
    return absl::OkStatus();
  }

  static absl::Status ParseExpectation(std::string_view rest, Expectations& expected) {
    const std::string_view what = TakeWord(rest);
    if (what == "fail") {
      expected.fail = true;
      LOCKSTEP_ASSIGN_OR_RETURN(expected.failure, ParsePattern(rest));
    } else if (what == "warn" || what == "info") {
      LOCKSTEP_ASSIGN_OR_RETURN(TextPattern pattern, ParsePattern(rest));
      (what == "warn" ? expected.warnings : expected.infos).push_back(std::move(pattern));
    } else if (what == "ordered") {
      expected.ordered = true;
    } else if (what == "no_warn") {
      expected.no_warnings = true;
    } else if (what == "no_info") {
      expected.no_infos = true;
    } else if (what == "string") {
      expected.string = promql::Unquote(rest);
    } else if (what == "range") {
      LOCKSTEP_RETURN_IF_ERROR(TakeLiteral(rest, "vector"));
      return ParseRange(rest, expected.range_vector.emplace());
    } else {
      return absl::InvalidArgumentError(absl::StrFormat("unknown expectation '%s'", what));
    }
    return absl::OkStatus();
  }

  static absl::StatusOr<TextPattern> ParsePattern(std::string_view text) {
    TextPattern pattern;
    if (StartsWith(text, "msg:")) {
      pattern.exact = std::string(Trim(text.substr(4)));
    } else if (StartsWith(text, "regex:")) {
      pattern.regex = std::string(Trim(text.substr(6)));
    } else if (!text.empty()) {
      return absl::InvalidArgumentError("neither msg: nor regex:");
    }
    return pattern;
  }

  std::vector<std::string_view> lines_;  // trimmed; comments are empty
  size_t next_ = 0;
  std::vector<Command> commands_;
};

}  // namespace

absl::StatusOr<std::vector<Command>> ParseScript(std::string_view text) {
  return Parser(text).Parse();
}

}  // namespace lockstep::promqltest
