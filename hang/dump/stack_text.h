// Reads the stacks of a Python process as faulthandler or `py-spy dump` writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::hang {

// Whether the text looks like one of them, judged by its beginning.
bool IsStackText(std::string_view head);

// The text may have other lines too. The stack of the thread that trains: the one named MainThread,
// else the last one, which for faulthandler is the thread that the process began with. "step
// (train.py:12)", innermost first; empty if there is none.
std::vector<std::string> ReadStackText(std::string_view text);

}  // namespace lockstep::hang
