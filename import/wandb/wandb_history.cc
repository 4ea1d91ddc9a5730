#include "import/wandb/wandb_history.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "import/wandb/wandb_limits.h"

namespace lockstep::wandb {
namespace {

constexpr std::string_view kType = "_type";

std::optional<double> NumberOfWord(std::string_view word) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (word == "Infinity") return kInfinity;
  if (word == "-Infinity") return -kInfinity;
  return std::nullopt;
}

// Nothing if it is not a plain number; the parser handles the rest.
std::optional<double> PlainNumber(std::string_view json) {
  if (json.empty() || !(json.front() == '-' || (json.front() >= '0' && json.front() <= '9'))) {
    return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), value);
  if (error != std::errc() || end != json.data() + json.size()) return std::nullopt;
  return value;
}

std::string Joined(const std::vector<std::string_view>& path, size_t count, char separator) {
  std::string name;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) name += separator;
    name += path[i];
  }
  return name;
}

// A separator for comparing paths: it occurs in no name.
constexpr char kNoName = '\xff';

// `json` with bare NaN and Infinity quoted: Python writes them, but JSON lacks them.
std::string WithQuotedWords(std::string_view json) {
  std::string quoted;
  bool is_in_text = false;
  while (!json.empty()) {
    size_t taken = 1;
    const char first = json.front();
    if (is_in_text && first == '\\') taken = std::min<size_t>(2, json.size());
    if (first == '"') is_in_text = !is_in_text;
    std::string_view word;
    for (const std::string_view one : {"NaN", "Infinity", "-Infinity"}) {
      if (!is_in_text && json.starts_with(one)) word = one;
    }
    if (word.empty()) {
      quoted += json.substr(0, taken);
    } else {
      taken = word.size();
      quoted.append("\"").append(word).append("\"");
    }
    json.remove_prefix(taken);
  }
  return quoted;
}

// The objects with a "_type".
std::set<std::string> TypedObjects(const std::vector<WandbItem>& items) {
  std::set<std::string> typed;
  for (const WandbItem& item : items) {
    if (item.path.size() > 1 && item.path.back() == kType) {
      typed.insert(Joined(item.path, item.path.size() - 1, kNoName));
    }
  }
  return typed;
}

bool IsWithin(const WandbItem& item, const std::set<std::string>& objects) {
  for (size_t count = 1; count < item.path.size(); ++count) {
    if (objects.contains(Joined(item.path, count, kNoName))) return true;
  }
  return false;
}

}  // namespace

void WandbItemReader::Read(const std::vector<WandbItem>& items, std::vector<WandbValue>& values) {
  const std::set<std::string> typed = TypedObjects(items);
  counts_.media += typed.size();
  for (const WandbItem& item : items) {
    if (typed.empty() || !IsWithin(item, typed)) ReadItem(item, values);
  }
}

void WandbItemReader::ReadItem(const WandbItem& item, std::vector<WandbValue>& values) {
  std::string name = Joined(item.path, item.path.size(), '.');
  // The parser accepts no null pointer, which an empty field may have.
  if (item.json.empty()) {
    ++counts_.malformed;
    return;
  }
  std::optional<double> number = PlainNumber(item.json);
  if (!number.has_value()) number = NumberOfWord(item.json);
  if (number.has_value()) return Put(std::move(name), *number, values);
  simdjson::dom::element value;
  if (parser_.parse(item.json.data(), item.json.size()).get(value) != simdjson::SUCCESS) {
    const std::string quoted = WithQuotedWords(item.json);
    if (parser_.parse(quoted).get(value) != simdjson::SUCCESS) {
      ++counts_.malformed;
      return;
    }
  }
  ReadValue(std::move(name), value, 0, values);
}

void WandbItemReader::ReadValue(std::string name, simdjson::dom::element value, int depth,
                                std::vector<WandbValue>& values) {
  using Type = simdjson::dom::element_type;
  double number = 0;
  switch (value.type()) {
    case Type::DOUBLE:
    case Type::INT64:
    case Type::UINT64:
      if (value.get(number) == simdjson::SUCCESS) Put(std::move(name), number, values);
      return;
    case Type::OBJECT: {
      const simdjson::dom::object object = value;
      return ReadObject(name, object, depth + 1, values);
    }
    case Type::STRING: {
      const std::optional<double> word = NumberOfWord(value.get_string().value_unsafe());
      if (word.has_value()) return Put(std::move(name), *word, values);
      break;
    }
    default:
      break;
  }
  ++counts_.no_numbers;
}

void WandbItemReader::ReadObject(const std::string& name, simdjson::dom::object object, int depth,
                                 std::vector<WandbValue>& values) {
  if (depth > kMaxDepth) {
    ++counts_.malformed;
    return;
  }
  simdjson::dom::element type;
  if (object[kType].get(type) == simdjson::SUCCESS) {
    ++counts_.media;
    return;
  }
  for (const simdjson::dom::key_value_pair member : object) {
    ReadValue(name + "." + std::string(member.key), member.value, depth, values);
  }
}

void WandbItemReader::Put(std::string name, double value, std::vector<WandbValue>& values) {
  if (name.empty() || name.size() > kMaxNameBytes || values.size() >= kMaxItems) {
    ++counts_.malformed;
    return;
  }
  values.push_back({std::move(name), value});
}

}  // namespace lockstep::wandb
