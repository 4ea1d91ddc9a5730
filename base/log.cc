#include "base/log.h"

#include <atomic>

#include "base/clock.h"
#include "base/utc_text.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace lockstep {
namespace {

std::atomic<LogFormat> g_format{LogFormat::kLogfmt};

spdlog::logger& Logger() {
  // Leaked on purpose: threads may log while the process ends.
  static spdlog::logger* logger = [] {
    auto* made = new spdlog::logger("lockstep", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *logger;
}

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::off;
}

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "unknown";
}

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<int>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

bool IsPlain(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == '"' || c == '=' || c == '\\') return false;
  }
  return true;
}

void AppendLogfmtField(std::string& line, std::string_view key, std::string_view value) {
  if (!line.empty()) line += ' ';
  line += key;
  line += '=';
  if (IsPlain(value)) {
    line += value;
  } else {
    AppendQuoted(line, value);
  }
}

void AppendJsonField(std::string& line, std::string_view key, std::string_view value) {
  line += line.empty() ? "{" : ",";
  AppendQuoted(line, key);
  line += ':';
  AppendQuoted(line, value);
}

}  // namespace

void ConfigureLog(LogLevel lowest, LogFormat format) {
  Logger().set_level(ToSpdlog(lowest));
  g_format.store(format);
}

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!Logger().should_log(ToSpdlog(level))) return;
  const bool json = g_format.load() == LogFormat::kJson;
  const auto append = json ? AppendJsonField : AppendLogfmtField;
  std::string line;
  append(line, "ts", Rfc3339Text(SystemTimeMs()));
  append(line, "level", LevelName(level));
  append(line, "msg", message);
  for (const LogField& field : fields) append(line, field.key, field.value);
  if (json) line += '}';
  Logger().log(ToSpdlog(level), "{}", line);
}

}  // namespace lockstep
