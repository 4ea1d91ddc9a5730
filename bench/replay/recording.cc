#include "bench/replay/recording.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::replay {
namespace {

using Points = std::map<double, double>;  // value by time
// By GPU index, then by metric name.
using PointsByGpu = std::map<int, std::map<std::string, Points>>;

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(absl::StrFormat("cannot open %s", path));
  std::string text;
  std::string block(1 << 20, '\0');
  int length = 0;
  while ((length = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0) {
    text.append(block.data(), static_cast<size_t>(length));
  }
  const bool whole = length == 0 && gzclose(file) == Z_OK;
  if (!whole) return absl::DataLossError(absl::StrFormat("cannot read all of %s", path));
  return text;
}

template <typename Number>
bool ParseNumber(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Parses a line `NAME{...gpu="0"...} VALUE TIME`; the recording's label values contain neither '}'
// nor '"'.
bool AddSample(std::string_view line, PointsByGpu& points) {
  const size_t labels_begin = line.find('{');
  const size_t labels_end = line.find("} ");
  const size_t gpu_begin = line.find("gpu=\"");
  if (labels_begin == line.npos || labels_end == line.npos || gpu_begin == line.npos) return false;
  std::string_view gpu = line.substr(gpu_begin + 5);
  gpu = gpu.substr(0, gpu.find('"'));
  const std::string_view numbers = line.substr(labels_end + 2);
  const size_t space = numbers.find(' ');
  int gpu_index = 0;
  double value = 0;
  double time = 0;
  if (space == numbers.npos || !ParseNumber(gpu, gpu_index) ||
      !ParseNumber(numbers.substr(0, space), value) ||
      !ParseNumber(numbers.substr(space + 1), time)) {
    return false;
  }
  points[gpu_index][std::string(line.substr(0, labels_begin))][time] = value;
  return true;
}

struct Parsed {
  PointsByGpu points;
  std::set<std::string, std::less<>> cumulative;
};

absl::StatusOr<Parsed> Parse(std::string_view text) {
  Parsed parsed;
  while (!text.empty()) {
    const size_t line_end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, line_end);
    text.remove_prefix(std::min(line_end + 1, text.size()));
    constexpr std::string_view kType = "# TYPE ";
    constexpr std::string_view kUnknown = " unknown";
    if (line.starts_with(kType) && line.ends_with(kUnknown)) {
      parsed.cumulative.emplace(
          line.substr(kType.size(), line.size() - kType.size() - kUnknown.size()));
    } else if (line.starts_with("DCGM_") && !AddSample(line, parsed.points)) {
      return absl::DataLossError(absl::StrFormat("cannot read the recorded line '%s'", line));
    }
  }
  return parsed;
}

}  // namespace

absl::StatusOr<std::vector<RecordedGpu>> ReadRecording(const std::string& path) {
  absl::StatusOr<std::string> text = ReadWhole(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<Parsed> parsed = Parse(*text);
  if (!parsed.ok()) return parsed.status();
  std::vector<RecordedGpu> gpus;
  for (const auto& [index, metrics] : parsed->points) {
    size_t shortest = SIZE_MAX;
    for (const auto& [name, points] : metrics) shortest = std::min(shortest, points.size());
    RecordedGpu& gpu = gpus.emplace_back();
    for (const auto& [name, points] : metrics) {
      RecordedMetric metric{name, parsed->cumulative.contains(name), {}};
      for (const auto& [time, value] : points) metric.values.push_back(value);
      metric.values.resize(shortest);
      gpu.metrics.push_back(std::move(metric));
    }
  }
  if (gpus.empty()) {
    return absl::DataLossError(absl::StrFormat("%s contains no DCGM_* series", path));
  }
  return gpus;
}

}  // namespace lockstep::replay
