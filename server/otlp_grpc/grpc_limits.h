// All limits on what a gRPC client may use, in one place.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lockstep::server {

// Limits on one HTTP/2 connection. Legitimate clients stay far below these rates: they cancel few
// calls, and send few frames besides those of calls.
struct Http2Limits {
  uint32_t max_streams = 100;
  uint32_t stream_window_bytes = 1 << 20;
  uint32_t connection_window_bytes = 4 << 20;
  size_t max_header_list_bytes = 16 << 10;  // names and values, plus 32 bytes per field
  size_t max_continuations = 4;             // per header block, after its first frame

  // Streams that the client resets, or causes us to reset: the burst, followed by the rate per
  // second.
  double max_resets = 200;
  double resets_per_second = 20;
  // Frames without a call: PING, SETTINGS, WINDOW_UPDATE, PRIORITY, small DATA. Every answered call
  // allows a few more.
  double max_idle_frames = 1000;
  double idle_frames_per_second = 100;
  double idle_frames_per_call = 8;
};

struct GrpcLimits {
  Http2Limits http2;
  size_t max_connections = 1024;
  uint64_t max_message_bytes = 32 << 20;
  uint64_t max_message_bytes_in_flight = 512 << 20;  // of all calls
  size_t max_calls = 256;  // given to the handler but not answered yet, over all connections

  std::chrono::milliseconds handshake_timeout{10'000};
  // A connection that has not made a complete call by then is closed.
  std::chrono::milliseconds first_call_timeout{10'000};
  std::chrono::milliseconds idle_timeout{300'000};    // without a call
  std::chrono::milliseconds message_timeout{60'000};  // from the call to the end of its message
  // How long a message may pause in total, in addition to its time at the minimum rate.
  std::chrono::milliseconds message_pause{10'000};
  uint64_t min_message_bytes_per_second = 4 << 10;
  std::chrono::milliseconds write_timeout{30'000};  // since the client last received a byte
  // How long a client may take to read the last message.
  std::chrono::milliseconds linger_timeout{3'000};
};

}  // namespace lockstep::server
