#include "base/text/float_format.h"
#include "export/exposition.h"

namespace lockstep {
namespace {

void AppendEscaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '"') {
      out += "\\\"";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

// Quotes names that contain special characters.
void AppendName(std::string& out, std::string_view name) {
  if (IsLegacyMetricName(name)) {
    out += name;
    return;
  }
  out += '"';
  AppendEscaped(out, name);
  out += '"';
}

// The part in braces. A metric name that needs quotes moves inside.
class BraceList {
 public:
  explicit BraceList(std::string& out) : out_(out) {}

  void Name(std::string_view name) {
    Separate();
    AppendName(out_, name);
  }
  void Label(std::string_view name, std::string_view value) {
    Name(name);
    out_ += "=\"";
    AppendEscaped(out_, value);
    out_ += '"';
  }
  void End() {
    if (!empty_) out_ += '}';
  }

 private:
  void Separate() {
    out_ += empty_ ? '{' : ',';
    empty_ = false;
  }

  std::string& out_;
  bool empty_ = true;
};

void AppendSample(const ExposedSample& sample, std::string_view family_name, NameEscaping escaping,
                  std::string& out) {
  const bool is_plain = IsLegacyMetricName(family_name);
  if (is_plain) out += family_name;
  BraceList list(out);
  if (!is_plain) list.Name(family_name);
  for (const LabelView& label : sample.labels) {
    if (label.name != kMetricName) list.Label(EscapeName(label.name, escaping), label.value);
  }
  if (!sample.labels.Has("instance")) list.Label("instance", "");
  list.End();
  out += ' ';
  // A zero loses its sign.
  AppendShortValue(out, sample.value == 0 ? 0 : sample.value);
  out += ' ';
  out += std::to_string(sample.timestamp_ms);
  out += '\n';
}

}  // namespace

std::string TextOfFamily(NameEscaping escaping, std::span<const ExposedSample> family) {
  const std::string name = EscapeName(family.front().labels.metric_name(), escaping);
  std::string out = "# TYPE ";
  AppendName(out, name);
  out += " untyped\n";
  for (const ExposedSample& sample : family) AppendSample(sample, name, escaping, out);
  return out;
}

}  // namespace lockstep
