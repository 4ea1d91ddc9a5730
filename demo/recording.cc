#include "demo/recording.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "demo/compressed_recording.h"
#include "import/files/decompressor.h"

namespace lockstep::demo {
namespace {

// The recording was packed by the build, so a malformed one is a bug in lockstep.

std::string Unpack(std::string_view compressed) {
  const auto decompressor = importer::Decompressor::For(compressed);
  std::string text;
  std::vector<char> piece(1 << 20);
  while (true) {
    const auto count = decompressor->Decompress(compressed, piece);
    LOCKSTEP_CHECK(count.ok());
    if (*count == 0) break;
    text.append(piece.data(), *count);
  }
  LOCKSTEP_CHECK(decompressor->is_whole());
  return text;
}

// Removes the text before the first `end` from the front of `text` and returns it.
std::string_view TakeUntil(char end, std::string_view& text) {
  const size_t size = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

int64_t TakeNumber(std::string_view& line) {
  const std::string_view word = TakeUntil(' ', line);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  LOCKSTEP_CHECK(error == std::errc() && end == word.data() + word.size());
  return number;
}

// The times of one column as written after a value: " 1795242025.240".
using TimeTexts = std::vector<std::string>;

TimeTexts TimesOf(std::string_view line, int64_t first_ms) {
  TimeTexts times;
  for (int64_t time_ms = first_ms; !line.empty();) {
    time_ms += TakeNumber(line);
    times.push_back(absl::StrFormat(" %d.%03d\n", time_ms / 1000, time_ms % 1000));
  }
  return times;
}

void AppendSeries(std::string_view series, std::string_view values, const TimeTexts& times,
                  std::string& text) {
  for (const std::string& time : times) {
    text.append(series).append(" ").append(TakeUntil(' ', values)).append(time);
  }
  LOCKSTEP_CHECK(values.empty());
}

}  // namespace

std::string RecordingAsOpenMetrics(int64_t end_ms) {
  const std::string unpacked = Unpack(CompressedRecording());
  std::string_view rest = unpacked;
  std::string_view range = TakeUntil('\n', rest);
  const int64_t first_ms = TakeNumber(range);
  const int64_t first_moved_ms = first_ms + end_ms - TakeNumber(range);
  std::vector<TimeTexts> columns;
  std::string text;
  while (!rest.empty()) {
    std::string_view line = TakeUntil('\n', rest);
    if (line.starts_with('@')) {
      columns.push_back(TimesOf(line.substr(1), first_moved_ms));
    } else if (line.starts_with('=')) {
      line.remove_prefix(1);
      const auto column = static_cast<size_t>(TakeNumber(line));
      LOCKSTEP_CHECK(column < columns.size());
      AppendSeries(line, TakeUntil('\n', rest), columns[column], text);
    } else {
      text.append(line).append("\n");
    }
  }
  return text.append("# EOF\n");
}

}  // namespace lockstep::demo
