// Sources whose answer is a text with target groups: a file, and a URL.
#pragma once

#include <memory>
#include <string>

#include "scrape/discovery/target_source.h"

namespace lockstep::scrape {

std::unique_ptr<TargetSource> MakeFileSource(std::string path);
std::unique_ptr<TargetSource> MakeHttpSource(HttpDiscovery config);

}  // namespace lockstep::scrape
