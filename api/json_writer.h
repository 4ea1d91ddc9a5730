// JsonWriter: JSON text, written front to back into a string. It places the commas; the caller sees to
// it that what it begins it ends. Not thread-safe.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::api {

class JsonWriter {
 public:
  // Appends to `out`, which outlives the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  // `key` is written as it is: no character of it may need an escape.
  void Key(std::string_view key);

  // Also escapes < > & and U+2028, U+2029, as Prometheus does in every text but labels. Bytes that are
  // not UTF-8 become U+FFFD.
  void String(std::string_view text);
  // Escapes what JSON demands and nothing else: label names and values.
  void Label(std::string_view text);
  // A key escaped as Label() does.
  void LabelKey(std::string_view key);
  void Number(std::integral auto number) {
    Separate();
    out_ += std::to_string(number);
  }
  // Shortest digits; NaN and infinities, which JSON has not, become 0.
  void Number(double number);
  void Bool(bool value);

  // How long the text is by now.
  size_t position() const { return out_.size(); }

  // For values that others format: the text behind the comma, to append one value to.
  std::string& Raw() {
    Separate();
    return out_;
  }

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Separate();

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace lockstep::api
