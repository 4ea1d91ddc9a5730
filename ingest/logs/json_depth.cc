#include "ingest/logs/json_depth.h"

namespace lockstep::logs {

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

}  // namespace lockstep::logs
