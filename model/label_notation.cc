#include "model/label_notation.h"

#include "model/labels.h"

namespace lockstep {

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  out += '"';
}

void AppendLabelName(std::string& out, std::string_view name) {
  if (IsLegacyLabelName(name)) {
    out += name;
  } else {
    AppendQuoted(out, name);
  }
}

}  // namespace lockstep
