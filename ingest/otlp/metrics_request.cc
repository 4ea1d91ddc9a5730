#include "ingest/otlp/metrics_request.h"

#include <simdjson.h>

#include <optional>
#include <protozero/exception.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/otlp/json/json_request.h"
#include "ingest/otlp/protobuf/protobuf_request.h"
#include "ingest/otlp/translate/known_samples.h"
#include "ingest/otlp/translate/translator.h"

namespace lockstep::otlp {
namespace {

absl::Status NoRequest(std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrFormat("the body is not an OTLP metrics request: %s", why));
}

// The translator's result; commits the deltas unless it is an error.
absl::StatusOr<DecodedWrite> Finished(Translator& translator, DeltaTotals::Change& deltas) {
  absl::StatusOr<DecodedWrite> decoded = translator.Finish();
  if (decoded.ok()) deltas.Commit();
  return decoded;
}

}  // namespace

// Translates all points; `keys`, if any, learn their series.
absl::StatusOr<DecodedWrite> MetricsDecoder::TranslateAll(std::string_view message,
                                                          const IngestLimits& limits,
                                                          SeriesKeys* keys) {
  DeltaTotals::Change deltas(deltas_);
  Translator translator(translation_, limits, &deltas);
  translator.BeginRequest(message.size());
  ReadProtobufRequest(message, translation_, {keys, nullptr}, translator);
  return Finished(translator, deltas);
}

// Translates the points whose series `keys` do not know. Nothing if they know a series that the
// store lacks, because it is gone or was never stored.
std::optional<absl::StatusOr<DecodedWrite>> MetricsDecoder::TranslateUnknown(
    std::string_view message, const IngestLimits& limits, SeriesKeys& keys,
    const Storage& storage) {
  DeltaTotals::Change deltas(deltas_);
  Translator translator(translation_, limits, &deltas);
  // The size of a point with a few attributes.
  constexpr size_t kPointBytes = 100;
  KnownSamples known(keys, message.size() / kPointBytes);
  translator.BeginRequest(message.size());
  ReadProtobufRequest(message, translation_, {&keys, &known}, translator);
  if (!translator.memory().status().ok()) return translator.memory().status();
  const size_t series_count = known.series_count();
  std::vector<KnownSample> samples;
  if (!known.Resolve(storage, samples)) return std::nullopt;
  translator.AddKnown(std::move(samples), series_count);
  return Finished(translator, deltas);
}

absl::StatusOr<DecodedWrite> MetricsDecoder::DecodeProtobuf(std::string_view message,
                                                            const IngestLimits& limits,
                                                            const Storage* storage) {
  // protozero's exceptions end here.
  try {
    if (storage == nullptr) return TranslateAll(message, limits, nullptr);
    const SeriesKeysPool::Loan keys = series_keys_.Take();
    auto decoded = TranslateUnknown(message, limits, *keys, *storage);
    if (!decoded.has_value()) decoded = TranslateAll(message, limits, keys.get());
    return *std::move(decoded);
  } catch (const protozero::exception& error) {
    return NoRequest(error.what());
  }
}

absl::StatusOr<DecodedWrite> MetricsDecoder::DecodeJson(std::string_view text,
                                                        const IngestLimits& limits) {
  // The worst case is a document of brackets and single digits.
  constexpr uint64_t kParsedExpansion = 12;
  MemoryCharge memory(MemoryAccount::kDecoding);
  LOCKSTEP_RETURN_IF_ERROR(AsWriteError(memory.Add(kParsedExpansion * text.size())));
  simdjson::dom::parser parser;
  JsonObject request;
  const simdjson::error_code error = parser.parse(text.data(), text.size()).get(request);
  if (error != simdjson::SUCCESS) return NoRequest(simdjson::error_message(error));
  DeltaTotals::Change deltas(deltas_);
  Translator translator(translation_, limits, &deltas);
  translator.BeginRequest(text.size());
  ReadJsonRequest(request, translator);
  return Finished(translator, deltas);
}

}  // namespace lockstep::otlp
