// Structured logs: one line per event on standard error, in logfmt or JSON.
//
//   Log(LogLevel::kInfo, "server is ready", {{"address", address}, {"shards", shards}});
//   ts=2026-01-02T03:04:05.678Z level=info msg="server is ready" address=127.0.0.1:9009 shards=2
//
// Safe from any thread. Never put a secret into a field: nothing is filtered here.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace lockstep {

enum class LogLevel { kDebug, kInfo, kWarn, kError };
enum class LogFormat { kLogfmt, kJson };

struct LogField {
  LogField(std::string_view key, std::string_view value) : key(key), value(value) {}
  LogField(std::string_view key, const char* value) : key(key), value(value) {}
  LogField(std::string_view key, const std::string& value) : key(key), value(value) {}
  LogField(std::string_view key, const absl::Status& status) : key(key), value(status.ToString()) {}
  template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>
  LogField(std::string_view key, Number number) : key(key), value(std::to_string(number)) {}

  std::string key;
  std::string value;
};

// Applies to every later Log(); the default is kInfo and kLogfmt.
void ConfigureLog(LogLevel lowest, LogFormat format);

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

}  // namespace lockstep
