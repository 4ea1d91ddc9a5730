#include "query/promql/parser/number_scanner.h"

#include "absl/strings/ascii.h"

namespace lockstep::promql {
namespace {

constexpr std::string_view kDecimal = "0123456789";
constexpr std::string_view kHexadecimal = "0123456789abcdefABCDEF";

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  size_t position() const { return at_; }

  bool ScanNumber() {
    // Prometheus does not count a leading dot: it treats ".5.1" as one number, which is invalid.
    if (!Accept(".") && Accept("0") && Accept("xX")) return ScanHexadecimal();
    bool seen_dot = false;
    bool seen_exponent = false;
    while (!AtEnd()) {
      if (Accept(".")) {
        if (seen_dot || Accept("_.")) return false;
        seen_dot = true;
      } else if (Accept("eE")) {
        if (seen_exponent) return false;
        seen_exponent = true;
        Accept("+-");
        if (Accept("._eE") || AtEnd()) return false;
      } else if (Accept("_")) {
        if (Accept("._eE") || AtEnd()) return false;
      } else if (!AcceptRun(kDecimal)) {
        break;
      }
    }
    return !AtWord();
  }

  // Continues after the digits that ScanNumber has passed: a unit, then more digits and units.
  bool ScanDuration() {
    if (!Accept("smhdwy")) return false;
    Accept("s");  // of ms; an "hs" is detected when the duration is parsed
    while (AcceptRun(kDecimal)) {
      if (!Accept("smhdw")) return false;
      Accept("s");
    }
    if (!AtWord()) return true;
    ++at_;
    return false;
  }

 private:
  bool ScanHexadecimal() {
    Accept("_");
    while (AcceptRun(kHexadecimal) || Accept("_")) {
    }
    return !AtWord() && !Accept(".");
  }

  bool AtEnd() const { return at_ == text_.size(); }
  bool AtWord() const {
    return !AtEnd() &&
           (absl::ascii_isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_');
  }
  bool Accept(std::string_view any_of) {
    if (AtEnd() || any_of.find(text_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  }
  bool AcceptRun(std::string_view any_of) {
    const size_t before = at_;
    while (Accept(any_of)) {
    }
    return at_ > before;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

ScannedNumber ScanNumberOrDuration(std::string_view text) {
  Scanner scanner(text);
  if (scanner.ScanNumber()) return {TokenKind::kNumber, scanner.position()};
  if (scanner.ScanDuration()) return {TokenKind::kDuration, scanner.position()};
  return {TokenKind::kError, scanner.position()};
}

}  // namespace lockstep::promql
