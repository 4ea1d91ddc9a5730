// The recording as embed_recording.py packs it, compressed by gzip.
#pragma once

#include <string_view>

namespace lockstep::demo {

// A constant; safe from any thread.
std::string_view CompressedRecording();

}  // namespace lockstep::demo
