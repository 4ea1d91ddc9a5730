#include "ingest/otlp/export_response.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "absl/strings/str_format.h"
#include "ingest/otlp/points/value_text.h"

namespace lockstep::otlp {

std::string ExportResponse(Encoding encoding, uint64_t rejected_data_points,
                           std::string_view error_message) {
  const bool is_whole = rejected_data_points == 0 && error_message.empty();
  if (encoding == Encoding::kJson) {
    if (is_whole) return "{}";
    // 64-bit integers are strings in JSON.
    return absl::StrFormat(R"({"partialSuccess":{"rejectedDataPoints":"%d","errorMessage":%s}})",
                           rejected_data_points, QuotedText(error_message));
  }
  std::string bytes;
  if (is_whole) return bytes;
  protozero::pbf_writer response(bytes);
  protozero::pbf_writer partial_success(response, 1);
  partial_success.add_int64(1, static_cast<int64_t>(rejected_data_points));
  partial_success.add_string(2, error_message.data(), error_message.size());
  partial_success.commit();
  return bytes;
}

std::string StatusResponse(Encoding encoding, int32_t code, std::string_view message) {
  if (encoding == Encoding::kJson) {
    return absl::StrFormat(R"({"code":%d,"message":%s})", code, QuotedText(message));
  }
  std::string bytes;
  protozero::pbf_writer status(bytes);
  status.add_int32(1, code);
  status.add_string(2, message.data(), message.size());
  return bytes;
}

std::string StatusWithRetryInfo(int32_t code, std::string_view message, int64_t after_seconds) {
  constexpr std::string_view kRetryInfo = "type.googleapis.com/google.rpc.RetryInfo";
  std::string bytes = StatusResponse(Encoding::kProtobuf, code, message);
  {
    // Each writer writes its length when it ends.
    protozero::pbf_writer status(bytes);
    protozero::pbf_writer any(status, 3);
    any.add_string(1, kRetryInfo.data(), kRetryInfo.size());
    protozero::pbf_writer retry_info(any, 2);
    protozero::pbf_writer delay(retry_info, 1);
    delay.add_int64(1, after_seconds);
  }
  return bytes;
}

std::string MessageOfStatus(std::string_view status) {
  try {
    protozero::pbf_reader reader(status);
    if (reader.next(2, protozero::pbf_wire_type::length_delimited)) return reader.get_string();
  } catch (const protozero::exception&) {
    return "";
  }
  return "";
}

}  // namespace lockstep::otlp
