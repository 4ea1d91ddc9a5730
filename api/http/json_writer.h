// JsonWriter: writes JSON text front to back into a string. It inserts the commas; the caller must
// end everything that it begins. Not thread-safe.
#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>

namespace lockstep::api {

class JsonWriter {
 public:
  // Appends to `out`, which must outlive the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  // Writes `key` unchanged: it must not contain characters that need an escape.
  void Key(std::string_view key);

  // Also escapes < > & and U+2028, U+2029, as Prometheus does in all texts except labels. Bytes
  // that are not UTF-8 become U+FFFD.
  void String(std::string_view text);
  // Escapes only what JSON requires: for label names and values.
  void Label(std::string_view text);
  // A key, escaped like Label().
  void LabelKey(std::string_view key);
  void Number(std::integral auto number) {
    Separate();
    out_ += std::to_string(number);
  }
  // The fewest digits that round-trip; NaN and infinities, which JSON lacks, become null.
  void Number(double number);
  void Bool(bool value);
  void Null();

  // A Bool(), a Number(), a String(), an array of those, or for an optional, its value or null.
  template <typename T>
  void Value(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      Bool(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      Number(value);
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      String(value);
    } else if constexpr (std::ranges::input_range<const T&>) {
      BeginArray();
      for (const auto& element : value) Value(element);
      EndArray();
    } else if (value.has_value()) {
      Value(*value);
    } else {
      Null();
    }
  }

  // A key and its value.
  template <typename T>
  void Field(std::string_view key, const T& value) {
    Key(key);
    Value(value);
  }

  // The current length of the text.
  size_t position() const { return out_.size(); }

  // For values formatted elsewhere: returns the text after the comma, to which the caller appends
  // one value.
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
