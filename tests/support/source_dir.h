// Where the tests find the files that they read.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// The full path of `path`, which begins at the root of the checkout.
//
// A function, so that the checkout's place is compiled into one small object and all others are the same in
// every checkout, and found by ccache.
std::string SourcePath(std::string_view path);

}  // namespace lockstep
