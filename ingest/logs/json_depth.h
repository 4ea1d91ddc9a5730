// Where a JSON document ends, found line by line.
#pragma once

#include <string_view>

namespace lockstep::logs {

class JsonDepth {
 public:
  void Reset() { *this = JsonDepth(); }
  // Of what follows the bytes before. A line's end is not among them.
  void Add(std::string_view text);
  // No object or list is open.
  bool is_outside() const { return depth_ == 0; }

 private:
  int depth_ = 0;
  bool is_in_text_ = false;
  bool is_escaped_ = false;
};

}  // namespace lockstep::logs
