// The recording as packed by embed_recording.py and compressed with gzip.
#pragma once

#include <string_view>

namespace lockstep::demo {

// A constant; safe from any thread.
std::string_view CompressedRecording();

}  // namespace lockstep::demo
