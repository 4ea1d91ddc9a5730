// YamlWriter: writes YAML in block style from front to back. The caller ends what it begins. Every
// parser reads a text back as the same text, even if it looks like a number. Not thread-safe.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

class YamlWriter {
 public:
  void BeginMap() { out_ << YAML::BeginMap; }
  void EndMap() { out_ << YAML::EndMap; }
  void BeginList() { out_ << YAML::BeginSeq; }
  void EndList() { out_ << YAML::EndSeq; }
  void Key(std::string_view key);
  void Text(std::string_view text);

  // A key with its value.
  void Text(std::string_view key, std::string_view text);
  void Bool(std::string_view key, bool value);
  void Number(std::string_view key, uint64_t value);
  void Texts(std::string_view key, const std::vector<std::string>& texts);

  // Ends with a newline. Precondition: nothing is open.
  std::string TakeText() const { return std::string(out_.c_str(), out_.size()) + "\n"; }

 private:
  YAML::Emitter out_;
};

}  // namespace lockstep
