#include "api/mcp/compact_text.h"

#include "absl/strings/str_format.h"

namespace lockstep::api {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::element;

bool IsEmpty(element value) {
  simdjson::dom::array list;
  simdjson::dom::object object;
  std::string_view text;
  if (value.is_null()) return true;
  if (value.get(list) == SUCCESS) return list.size() == 0;
  if (value.get(object) == SUCCESS) return object.size() == 0;
  return value.get(text) == SUCCESS && text.empty();
}

bool IsPlain(element value) { return !value.is_array() && !value.is_object(); }

// A list of plain values, or of lists of them, such as a matrix or samples.
bool FitsOneLine(element value) {
  simdjson::dom::array list;
  if (value.get(list) != SUCCESS) return IsPlain(value);
  for (const element one : list) {
    if (!FitsOneLine(one)) return false;
  }
  return true;
}

void AppendLine(element value, std::string& out) {
  simdjson::dom::array list;
  std::string_view text;
  double number = 0;
  if (value.get(list) == SUCCESS) {
    out += '[';
    bool is_first = true;
    for (const element one : list) {
      if (!is_first) out += ' ';
      is_first = false;
      AppendLine(one, out);
    }
    out += ']';
  } else if (value.get(text) == SUCCESS) {
    out += text;
  } else if (value.is_double() && value.get(number) == SUCCESS) {
    // Times keep their milliseconds.
    absl::StrAppendFormat(&out, "%.*g", number >= 1e9 ? 13 : 6, number);
  } else {
    out += simdjson::minify(value);
  }
}

void AppendValue(element value, size_t depth, std::string& out);

void AppendMembers(const simdjson::dom::object& object, size_t depth, bool continues_line,
                   std::string& out) {
  for (const auto& [key, member] : object) {
    if (IsEmpty(member)) continue;
    if (!continues_line) out.append(2 * depth, ' ');
    continues_line = false;
    out += key;
    out += ':';
    AppendValue(member, depth + 1, out);
  }
  if (continues_line) out += '\n';
}

// What follows "key:" or "-".
void AppendValue(element value, size_t depth, std::string& out) {
  simdjson::dom::object object;
  simdjson::dom::array list;
  if (FitsOneLine(value)) {
    out += ' ';
    AppendLine(value, out);
    out += '\n';
  } else if (value.get(object) == SUCCESS) {
    out += '\n';
    AppendMembers(object, depth, false, out);
  } else if (value.get(list) == SUCCESS) {
    out += '\n';
    for (const element one : list) {
      out.append(2 * (depth - 1), ' ');
      out += '-';
      if (one.get(object) == SUCCESS) {
        out += ' ';
        AppendMembers(object, depth, true, out);
      } else {
        AppendValue(one, depth + 1, out);
      }
    }
  }
}

}  // namespace

std::string CompactText(element value) {
  std::string out;
  simdjson::dom::object object;
  if (value.get(object) == SUCCESS) {
    AppendMembers(object, 0, false, out);
  } else {
    AppendValue(value, 1, out);
  }
  return out;
}

std::string Bounded(std::string text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  const size_t whole_bytes = text.size();
  size_t end = max_bytes;
  // Not inside a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  absl::StrAppendFormat(&text,
                        "\n[cut: these are the first %d of %d bytes; ask for a shorter time, one "
                        "job, or fewer series]\n",
                        end, whole_bytes);
  return text;
}

}  // namespace lockstep::api
