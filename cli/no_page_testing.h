// For tests: a program without the web page, which npm builds. Include it in one source of a test.
#pragma once

#include <span>

#include "web/page_files.h"

namespace lockstep::web {

std::span<const PageFile> PageFiles() { return {}; }

}  // namespace lockstep::web
