// A frame: the bytes that put a page of text on a terminal in place of the one before. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::cli {

struct TerminalSize {
  size_t rows = 24;
  size_t columns = 80;
};

// As much of `text` as the terminal has room for. Nothing is cleared that is written again, so nothing
// flickers.
std::string FrameOf(std::string_view text, TerminalSize size);

}  // namespace lockstep::cli
