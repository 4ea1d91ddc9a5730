// How a verb that asks a server says the answer, and whether again and again.
#pragma once

#include <string>

namespace lockstep::cli {

struct AnswerForm {
  bool as_json = false;
  bool as_csv = false;
  std::string watch_s;  // a number: seconds between two answers; "" is one answer
};

}  // namespace lockstep::cli
