#include "ingest/influx/plain_name.h"

namespace lockstep {
namespace {

bool IsDigit(char c) { return '0' <= c && c <= '9'; }

void AppendName(std::string& out, std::string_view name, bool may_have_colons) {
  if (!name.empty() && IsDigit(name.front())) out += '_';
  for (const char c : name) {
    const bool is_letter = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
    const bool stays = is_letter || IsDigit(c) || (c == ':' && may_have_colons);
    out += stays ? c : '_';
  }
}

}  // namespace

void AppendPlainMetricName(std::string& out, std::string_view name) { AppendName(out, name, true); }

void AppendPlainLabelName(std::string& out, std::string_view name) { AppendName(out, name, false); }

}  // namespace lockstep
