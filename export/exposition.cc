#include "export/exposition.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

constexpr std::string_view kProtobufType = "application/vnd.google.protobuf";
constexpr std::string_view kMetricFamily = "io.prometheus.client.MetricFamily";

struct EscapingName {
  NameEscaping escaping;
  std::string_view name;
};
constexpr EscapingName kEscapings[] = {{NameEscaping::kNone, "allow-utf-8"},
                                       {NameEscaping::kUnderscores, "underscores"},
                                       {NameEscaping::kDots, "dots"},
                                       {NameEscaping::kValues, "values"}};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Removes the part before `separator` from the front.
std::string_view TakePart(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return Trim(part);
}

struct MediaRange {
  std::string_view type;  // "text/plain"
  std::map<std::string_view, std::string_view> parameters;
  double quality = 1;

  std::string_view Get(std::string_view name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string_view() : found->second;
  }
};

MediaRange ParseRange(std::string_view text) {
  MediaRange range;
  range.type = TakePart(text, ';');
  while (!text.empty()) {
    std::string_view value = TakePart(text, ';');
    const std::string_view name = TakePart(value, '=');
    range.parameters[name] = value;
  }
  if (const std::string_view quality = range.Get("q"); !quality.empty()) {
    std::from_chars(quality.data(), quality.data() + quality.size(), range.quality);
  }
  return range;
}

// Sorted by descending preference.
std::vector<MediaRange> ParseAccept(std::string_view accept) {
  std::vector<MediaRange> ranges;
  while (!accept.empty()) ranges.push_back(ParseRange(TakePart(accept, ',')));
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const MediaRange& a, const MediaRange& b) { return a.quality > b.quality; });
  return ranges;
}

std::optional<ExpositionFormat> FormatOf(const MediaRange& range) {
  const bool is_protobuf = range.type == kProtobufType && range.Get("proto") == kMetricFamily;
  if (is_protobuf && range.Get("encoding") == "delimited") return ExpositionFormat::kProtobuf;
  const std::string_view version = range.Get("version");
  if (range.type == "text/plain" && (version.empty() || version == "0.0.4")) {
    return ExpositionFormat::kText;
  }
  return std::nullopt;
}

bool IsPlain(char c, bool is_first) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         (c >= '0' && c <= '9' && !is_first);
}

// Removes one UTF-8 sequence from the front. Precondition: `text` is valid and not empty.
std::string_view TakeSequence(std::string_view& text) {
  size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) {
    ++length;
  }
  const std::string_view sequence = text.substr(0, length);
  text.remove_prefix(length);
  return sequence;
}

uint32_t CodePointOf(std::string_view sequence) {
  const auto byte = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(sequence[i]));
  };
  if (sequence.size() == 1) return byte(0);
  uint32_t code_point = byte(0) & (0x7fu >> sequence.size());
  for (size_t i = 1; i < sequence.size(); ++i) code_point = code_point << 6 | (byte(i) & 0x3f);
  return code_point;
}

// The replacement for a character that needs escaping, or for an underscore where those are
// doubled.
std::string Replacement(std::string_view sequence, NameEscaping escaping) {
  if (escaping == NameEscaping::kUnderscores) return "_";
  if (sequence == "_") return "__";
  if (escaping == NameEscaping::kDots) return sequence == "." ? "_dot_" : "__";
  return absl::StrFormat("_%x_", CodePointOf(sequence));
}

// A family does not mix floats with histograms, counters with gauges, or histograms that the format
// supports with others.
int KindOf(const ExposedSample& sample) {
  if (sample.histogram == nullptr) return 0;
  if (sample.histogram->uses_custom_buckets()) return 3;
  return sample.histogram->reset_hint == CounterResetHint::kGauge ? 2 : 1;
}

bool SameFamily(const ExposedSample& a, const ExposedSample& b) {
  return KindOf(a) == KindOf(b) && a.labels.metric_name() == b.labels.metric_name();
}

bool CanHold(ExpositionFormat format, const ExposedSample& sample) {
  if (sample.histogram == nullptr) return true;
  return format == ExpositionFormat::kProtobuf && !sample.histogram->uses_custom_buckets();
}

}  // namespace

Exposition NegotiateExposition(std::string_view accept) {
  Exposition exposition;
  for (const MediaRange& range : ParseAccept(accept)) {
    for (const EscapingName& known : kEscapings) {
      if (range.Get("escaping") == known.name) exposition.escaping = known.escaping;
    }
    if (const auto format = FormatOf(range)) {
      exposition.format = *format;
      break;
    }
  }
  return exposition;
}

std::string ContentTypeOf(const Exposition& exposition) {
  std::string_view escaping;
  for (const EscapingName& known : kEscapings) {
    if (known.escaping == exposition.escaping) escaping = known.name;
  }
  if (exposition.format == ExpositionFormat::kProtobuf) {
    return absl::StrFormat("%s; proto=%s; encoding=delimited; escaping=%s", kProtobufType,
                           kMetricFamily, escaping);
  }
  return absl::StrFormat("text/plain; version=0.0.4; charset=utf-8; escaping=%s", escaping);
}

std::string EscapeName(std::string_view name, NameEscaping escaping) {
  if (escaping == NameEscaping::kNone || IsLegacyMetricName(name)) return std::string(name);
  std::string escaped = escaping == NameEscaping::kValues ? "U__" : "";
  for (bool is_first = true; !name.empty(); is_first = false) {
    const std::string_view sequence = TakeSequence(name);
    const bool doubled = sequence == "_" && escaping != NameEscaping::kUnderscores;
    if (sequence.size() == 1 && IsPlain(sequence[0], is_first) && !doubled) {
      escaped += sequence;
    } else {
      escaped += Replacement(sequence, escaping);
    }
  }
  return escaped;
}

std::string WriteExposition(const Exposition& exposition, std::span<const ExposedSample> samples) {
  std::string out;
  for (size_t begin = 0; begin < samples.size();) {
    size_t end = begin + 1;
    while (end < samples.size() && SameFamily(samples[begin], samples[end])) ++end;
    const auto family = samples.subspan(begin, end - begin);
    begin = end;
    if (!CanHold(exposition.format, family.front())) continue;
    out += exposition.format == ExpositionFormat::kText
               ? TextOfFamily(exposition.escaping, family)
               : ProtobufOfFamily(exposition.escaping, family);
  }
  return out;
}

}  // namespace lockstep
