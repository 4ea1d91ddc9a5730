// Every bound on what a client may take through the gRPC door, in one place.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lockstep::server {

// What one connection may do in HTTP/2. Legitimate clients stay far below the rates: they cancel
// few calls, and send few frames besides those that carry calls.
struct Http2Limits {
  uint32_t max_streams = 100;
  uint32_t stream_window_bytes = 1 << 20;
  uint32_t connection_window_bytes = 4 << 20;
  size_t max_header_list_bytes = 16 << 10;  // names, values and 32 bytes for each field
  size_t max_continuations = 4;             // frames of one header block, besides its first

  // Streams that the client resets, or makes us reset: so many at once, and then so many a second.
  double max_resets = 200;
  double resets_per_second = 20;
  // Frames that carry no call: PING, SETTINGS, WINDOW_UPDATE, PRIORITY, small DATA. Every answered
  // call allows some more.
  double max_idle_frames = 1000;
  double idle_frames_per_second = 100;
  double idle_frames_per_call = 8;
};

struct GrpcLimits {
  Http2Limits http2;
  size_t max_connections = 1024;
  uint64_t max_message_bytes = 32 << 20;
  uint64_t max_message_bytes_in_flight = 512 << 20;  // of all calls
  size_t max_calls = 256;  // handed to the handler and not answered, of all connections

  std::chrono::milliseconds handshake_timeout{10'000};
  // A connection that has not brought one whole call by then is closed.
  std::chrono::milliseconds first_call_timeout{10'000};
  std::chrono::milliseconds idle_timeout{300'000};    // without a call
  std::chrono::milliseconds message_timeout{60'000};  // from the call to the end of its message
  // A message may pause for so long in all, besides the time that it takes at the lowest rate.
  std::chrono::milliseconds message_pause{10'000};
  uint64_t min_message_bytes_per_second = 4 << 10;
  std::chrono::milliseconds write_timeout{30'000};  // without the client taking a byte
  // How long a client may take to read what it is told last.
  std::chrono::milliseconds linger_timeout{3'000};
};

}  // namespace lockstep::server
