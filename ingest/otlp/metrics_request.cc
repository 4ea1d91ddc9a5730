#include "ingest/otlp/metrics_request.h"

#include <simdjson.h>

#include <protozero/exception.hpp>

#include "absl/strings/str_format.h"
#include "ingest/otlp/json_request.h"
#include "ingest/otlp/protobuf_request.h"
#include "ingest/otlp/translator.h"

namespace lockstep::otlp {

absl::StatusOr<DecodedWrite> DecodeProtobufRequest(std::string_view message,
                                                   const Translation& translation,
                                                   const IngestLimits& limits) {
  Translator translator(translation, limits);
  // The one place where protozero's exceptions end.
  try {
    ReadProtobufRequest(message, translator);
  } catch (const protozero::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the body is not an OTLP metrics request: %s", error.what()));
  }
  return translator.Finish();
}

absl::StatusOr<DecodedWrite> DecodeJsonRequest(std::string_view text,
                                               const Translation& translation,
                                               const IngestLimits& limits) {
  simdjson::dom::parser parser;
  JsonObject request;
  const simdjson::error_code error = parser.parse(text.data(), text.size()).get(request);
  if (error != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(absl::StrFormat("the body is not an OTLP metrics request: %s",
                                                      simdjson::error_message(error)));
  }
  Translator translator(translation, limits);
  ReadJsonRequest(request, translator);
  return translator.Finish();
}

}  // namespace lockstep::otlp
