// Reads gzip files in tests/training/data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::training {

// Returns the decompressed text. Ends the test program if there is no such file.
std::string ReadGzip(std::string_view path);

std::vector<std::string_view> Lines(std::string_view text);

}  // namespace lockstep::training
