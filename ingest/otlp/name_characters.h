// Which characters names of Prometheus are made of. The bytes of a character beyond ASCII are none of them.
#pragma once

namespace lockstep::otlp {

inline bool IsDigit(char c) { return '0' <= c && c <= '9'; }
inline bool IsLetterOrDigit(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || IsDigit(c);
}
// What the words of a metric name are made of, between underscores.
inline bool IsNameToken(char c) { return IsLetterOrDigit(c) || c == ':'; }
// A byte that is not the first of its character.
inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace lockstep::otlp
