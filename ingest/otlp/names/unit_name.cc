#include "ingest/otlp/names/unit_name.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace lockstep::otlp {
namespace {

using Word = std::pair<std::string_view, std::string_view>;

// "tibibytes" is Prometheus' traditional spelling.
constexpr Word kUnits[] = {
    {"d", "days"},
    {"h", "hours"},
    {"min", "minutes"},
    {"s", "seconds"},
    {"ms", "milliseconds"},
    {"us", "microseconds"},
    {"ns", "nanoseconds"},
    {"By", "bytes"},
    {"KiBy", "kibibytes"},
    {"MiBy", "mebibytes"},
    {"GiBy", "gibibytes"},
    {"TiBy", "tibibytes"},
    {"KBy", "kilobytes"},
    {"MBy", "megabytes"},
    {"GBy", "gigabytes"},
    {"TBy", "terabytes"},
    {"m", "meters"},
    {"V", "volts"},
    {"A", "amperes"},
    {"J", "joules"},
    {"W", "watts"},
    {"g", "grams"},
    {"Cel", "celsius"},
    {"Hz", "hertz"},
    {"1", ""},
    {"%", "percent"},
};

constexpr Word kPerUnits[] = {
    {"s", "second"}, {"m", "minute"}, {"h", "hour"}, {"d", "day"},
    {"w", "week"},   {"mo", "month"}, {"y", "year"},
};

std::string Spelled(std::string_view unit, std::span<const Word> words) {
  const auto found = std::ranges::find(words, unit, &Word::first);
  return std::string(found == words.end() ? unit : found->second);
}

std::string_view WithoutBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// "" for an annotation.
std::string_view UnitIn(std::string_view text) {
  const std::string_view unit = WithoutBlanks(text);
  return unit.find_first_of("{}") == std::string_view::npos ? unit : std::string_view();
}

}  // namespace

UnitWords UnitWordsOf(std::string_view unit) {
  const size_t slash = std::min(unit.find('/'), unit.size());
  UnitWords words;
  words.of = Spelled(UnitIn(unit.substr(0, slash)), kUnits);
  const std::string_view per = slash == unit.size() ? "" : UnitIn(unit.substr(slash + 1));
  if (!per.empty()) words.per = "per_" + Spelled(per, kPerUnits);
  return words;
}

std::string EscapedUnitWord(std::string_view word) {
  std::string escaped;
  for (size_t i = 0; i < word.size(); ++i) {
    if (IsNameToken(word[i])) {
      escaped += word[i];
    } else if (!escaped.empty() && escaped.back() != '_') {
      escaped += '_';
    }
  }
  return escaped;
}

std::string UnitName(std::string_view unit) {
  const UnitWords words = UnitWordsOf(unit);
  std::string name = EscapedUnitWord(words.of);
  const std::string per = EscapedUnitWord(words.per);
  if (!name.empty() && !per.empty()) name += '_';
  name += per;
  if (name.ends_with('_')) name.pop_back();
  return name;
}

}  // namespace lockstep::otlp
