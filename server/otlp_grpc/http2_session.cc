#include "server/otlp_grpc/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace lockstep::server {
namespace {

// RFC 9113, 6.5.2 adds this to the name and value of each field.
constexpr size_t kFieldOverheadBytes = 32;
// A client that exceeds the limit this many times over is malicious.
constexpr size_t kHeaderBombFactor = 8;
// A smaller DATA frame that does not end its stream counts as a frame without content.
constexpr size_t kSmallDataBytes = 128;
// The maximum number of pending PING and SETTINGS acknowledgements, and of settings in one frame.
constexpr size_t kMaxWaitingAcks = 100;
constexpr size_t kMaxSettings = 32;

using Option = std::unique_ptr<nghttp2_option, decltype(&nghttp2_option_del)>;

Option MakeOption(const Http2Limits& limits) {
  nghttp2_option* made = nullptr;
  nghttp2_option_new(&made);
  nghttp2_option_set_no_auto_window_update(made, 1);
  nghttp2_option_set_max_outbound_ack(made, kMaxWaitingAcks);
  nghttp2_option_set_max_settings(made, kMaxSettings);
  nghttp2_option_set_max_continuations(made, limits.max_continuations);
  return {made, nghttp2_option_del};
}

nghttp2_nv FieldOf(const api::Header& field) {
  // The library copies the data.
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(field.name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(field.value.data())), field.name.size(),
          field.value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::vector<nghttp2_nv> FieldsOf(const std::vector<api::Header>& fields) {
  std::vector<nghttp2_nv> made;
  made.reserve(fields.size());
  for (const api::Header& field : fields) made.push_back(FieldOf(field));
  return made;
}

std::string_view TextOf(nghttp2_rcbuf* text) {
  const nghttp2_vec bytes = nghttp2_rcbuf_get_buf(text);
  return {reinterpret_cast<const char*>(bytes.base), bytes.len};
}

}  // namespace

// The state of a stream until it is closed.
struct Http2Session::Stream {
  CallHead head;           // until the call is reported
  bool has_ended = false;  // the request is complete
  std::string body;        // of the response
  size_t body_sent = 0;
  std::vector<api::Header> trailers;
};

struct Http2Session::State {
  State(const Http2Limits& http2_limits, Events& told, Time now)
      : limits(http2_limits), events(told), guard(http2_limits, now) {}
  ~State() { nghttp2_session_del(session); }

  bool IsFlooded() const { return has_header_bomb || guard.is_flooded(); }

  // Returns true only the first time.
  bool EndIfFlooded() {
    if (is_broken || !IsFlooded()) return false;
    End(NGHTTP2_ENHANCE_YOUR_CALM);
    return true;
  }

  void End(uint32_t error) {
    is_broken = true;
    nghttp2_session_terminate_session(session, error);
  }

  const Http2Limits& limits;
  Events& events;
  FloodGuard guard;
  nghttp2_session* session = nullptr;
  std::unordered_map<int32_t, Stream> streams;
  size_t header_bytes = 0;  // of the header block being read
  bool has_header_bomb = false;
  bool is_broken = false;
};

// Callbacks for nghttp2. Once a flood is detected they ignore the remaining received bytes.
class Http2Session::Callbacks {
 public:
  static State& Of(void* state) { return *static_cast<State*>(state); }

  static int OnBeginFrame(nghttp2_session*, const nghttp2_frame_hd* head, void* user) {
    State& state = Of(user);
    const bool is_last = (head->flags & NGHTTP2_FLAG_END_STREAM) != 0;
    const bool carries =
        head->type == NGHTTP2_HEADERS ||
        (head->type == NGHTTP2_DATA && (is_last || head->length >= kSmallDataBytes));
    if (!carries) state.guard.CountIdleFrame();
    return 0;
  }

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    State& state = Of(user);
    state.header_bytes = 0;
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST && !state.IsFlooded()) {
      state.streams.try_emplace(frame->hd.stream_id);
    }
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, nghttp2_rcbuf* name_text,
                      nghttp2_rcbuf* value_text, uint8_t, void* user) {
    State& state = Of(user);
    const std::string_view name = TextOf(name_text);
    const std::string_view value = TextOf(value_text);
    state.header_bytes += name.size() + value.size() + kFieldOverheadBytes;
    const size_t max_bytes = state.limits.max_header_list_bytes;
    if (state.header_bytes > kHeaderBombFactor * max_bytes) state.has_header_bomb = true;
    const auto found = state.streams.find(frame->hd.stream_id);
    if (found == state.streams.end() || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    CallHead& head = found->second.head;
    if (state.header_bytes > max_bytes) {
      head.is_too_large = true;
    } else if (name == ":method") {
      head.method = value;
    } else if (name == ":path") {
      head.path = value;
    } else if (name == "content-type") {
      head.content_type = value;
    } else if (name == "authorization") {
      head.authorization = value;
    } else if (name == "grpc-encoding") {
      head.message_encoding = value;
    } else if (name == "x-scope-orgid") {
      head.tenants = value;
    }
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    State& state = Of(user);
    if (frame->hd.type == NGHTTP2_RST_STREAM) state.guard.CountReset();
    const bool is_head =
        frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
    const bool ends = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
                      (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (is_head) TellHead(state, frame->hd.stream_id);
    if (ends && Knows(state, frame->hd.stream_id)) {
      state.streams.at(frame->hd.stream_id).has_ended = true;
      state.events.OnRequestEnd(frame->hd.stream_id);
    }
    return 0;
  }

  static int OnData(nghttp2_session* session, uint8_t, int32_t stream, const uint8_t* bytes,
                    size_t size, void* user) {
    State& state = Of(user);
    // Streams wait for each other only if the client requests it.
    nghttp2_session_consume_connection(session, size);
    if (Knows(state, stream)) {
      state.events.OnData(stream, {reinterpret_cast<const char*>(bytes), size});
    }
    return 0;
  }

  static int OnSent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    State& state = Of(user);
    if (frame->hd.type == NGHTTP2_HEADERS) {
      DeclineRest(state, session, frame->hd);
      return 0;
    }
    if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR) {
      state.is_broken = true;
    }
    if (frame->hd.type != NGHTTP2_RST_STREAM) return 0;
    const uint32_t error = frame->rst_stream.error_code;
    if (error == NGHTTP2_REFUSED_STREAM) {
      // A client that has not read our settings yet may open too many streams.
      state.guard.CountIdleFrame();
    } else if (error != NGHTTP2_NO_ERROR && error != NGHTTP2_CANCEL) {
      state.guard.CountReset();
    }
    return 0;
  }

  static int OnClosed(nghttp2_session*, int32_t stream, uint32_t, void* user) {
    State& state = Of(user);
    if (state.streams.erase(stream) > 0) state.events.OnClosed(stream);
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session* session, int32_t stream, uint8_t* out, size_t room,
                          uint32_t* flags, nghttp2_data_source*, void* user) {
    State& state = Of(user);
    const auto found = state.streams.find(stream);
    if (found == state.streams.end()) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    Stream& answer = found->second;
    const size_t size = std::min(room, answer.body.size() - answer.body_sent);
    std::memcpy(out, answer.body.data() + answer.body_sent, size);
    answer.body_sent += size;
    if (answer.body_sent == answer.body.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const std::vector<nghttp2_nv> trailers = FieldsOf(answer.trailers);
      nghttp2_submit_trailer(session, stream, trailers.data(), trailers.size());
    }
    return static_cast<ssize_t>(size);
  }

 private:
  static bool Knows(const State& state, int32_t stream) {
    return !state.IsFlooded() && state.streams.contains(stream);
  }

  // A response before the end of the request tells the client to stop sending (RFC 9113, 8.1).
  static void DeclineRest(const State& state, nghttp2_session* session,
                          const nghttp2_frame_hd& sent) {
    const auto found = state.streams.find(sent.stream_id);
    const bool ends = (sent.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (!ends || found == state.streams.end() || found->second.has_ended) return;
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, sent.stream_id, NGHTTP2_NO_ERROR);
  }

  static void TellHead(State& state, int32_t stream) {
    if (!Knows(state, stream)) return;
    CallHead head = std::move(state.streams.at(stream).head);
    state.events.OnHead(stream, std::move(head));
  }
};

Http2Session::Http2Session(const Http2Limits& limits, Events& events, Time now)
    : state_(std::make_unique<State>(limits, events, now)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, Callbacks::OnBeginFrame);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, Callbacks::OnBeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback2(callbacks, Callbacks::OnHeader);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::OnFrame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::OnData);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, Callbacks::OnSent);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::OnClosed);
  const Option option = MakeOption(limits);
  nghttp2_session_server_new2(&state_->session, callbacks, state_.get(), option.get());
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.max_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.stream_window_bytes},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(limits.max_header_list_bytes)},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
  nghttp2_submit_settings(state_->session, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(state_->session, NGHTTP2_FLAG_NONE, 0,
                                        static_cast<int32_t>(limits.connection_window_bytes));
}

Http2Session::~Http2Session() = default;

void Http2Session::Receive(std::string_view bytes, Time now) {
  state_->guard.Advance(now);
  const ssize_t taken = nghttp2_session_mem_recv(
      state_->session, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (state_->EndIfFlooded() || taken >= 0) return;
  const bool is_flood = taken == NGHTTP2_ERR_FLOODED || taken == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS;
  state_->End(is_flood ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR);
}

void Http2Session::TakeOutput(std::string& out, size_t max_bytes) {
  while (out.size() < max_bytes) {
    const uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(state_->session, &bytes);
    if (size < 0) state_->is_broken = true;
    // Resets that we are made to send are counted when they are sent.
    if (size == 0 && state_->EndIfFlooded()) continue;
    if (size <= 0) return;
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  }
}

bool Http2Session::is_over() const {
  return state_->is_broken || (nghttp2_session_want_read(state_->session) == 0 &&
                               nghttp2_session_want_write(state_->session) == 0);
}

bool Http2Session::is_broken() const { return state_->is_broken; }

void Http2Session::Consume(int32_t stream, size_t bytes) {
  nghttp2_session_consume_stream(state_->session, stream, bytes);
}

void Http2Session::Answer(int32_t stream, std::vector<api::Header> fields, std::string body,
                          std::vector<api::Header> trailers) {
  const auto found = state_->streams.find(stream);
  if (found == state_->streams.end()) return;
  found->second.body = std::move(body);
  found->second.trailers = std::move(trailers);
  state_->guard.CountAnsweredCall();
  nghttp2_data_provider provider = {};
  provider.read_callback = Callbacks::ReadBody;
  const std::vector<nghttp2_nv> head = FieldsOf(fields);
  nghttp2_submit_response(state_->session, stream, head.data(), head.size(), &provider);
}

void Http2Session::Refuse(int32_t stream, const std::vector<api::Header>& fields) {
  const std::vector<nghttp2_nv> head = FieldsOf(fields);
  nghttp2_submit_response(state_->session, stream, head.data(), head.size(), nullptr);
}

void Http2Session::Reset(int32_t stream) {
  nghttp2_submit_rst_stream(state_->session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
}

void Http2Session::GoAway() {
  nghttp2_submit_goaway(state_->session, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(state_->session), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

}  // namespace lockstep::server
