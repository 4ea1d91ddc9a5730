#include "rules/alerts/notice.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/utc_text.h"

namespace lockstep::rules {
namespace {

using Texts = std::map<std::string, std::string>;

// The labels that all notices share.
Texts CommonLabels(std::span<const Notice> notices) {
  Texts common;
  if (notices.empty()) return common;
  for (const LabelView& label : notices.front().labels) {
    const auto has_it = [&](const Notice& notice) {
      return notice.labels.Get(label.name) == label.value;
    };
    if (std::ranges::all_of(notices, has_it)) common.emplace(label.name, label.value);
  }
  return common;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string Object(const Texts& texts) {
  std::string out = "{";
  for (const auto& [name, text] : texts) {
    if (out.size() > 1) out += ',';
    out += Quoted(name) + ":" + Quoted(text);
  }
  return out + "}";
}

std::string LabelsObject(const LabelSet& labels) {
  Texts texts;
  for (const LabelView& label : labels) texts.emplace(label.name, label.value);
  return Object(texts);
}

std::string Time(int64_t time_ms) { return '"' + Rfc3339Text(time_ms) + '"'; }

// The fields common to both formats, without braces.
std::string Fields(const Notice& notice, bool with_end) {
  return absl::StrFormat(
      "\"labels\":%s,\"annotations\":%s,\"startsAt\":%s,\"endsAt\":%s,\"generatorURL\":%s",
      LabelsObject(notice.labels), Object(notice.annotations), Time(notice.starts_at_ms),
      with_end ? Time(notice.ends_at_ms) : "\"0001-01-01T00:00:00Z\"",
      Quoted(notice.generator_url));
}

}  // namespace

std::string AlertmanagerBody(std::span<const Notice> notices) {
  std::string body = "[";
  for (const Notice& notice : notices) {
    if (body.size() > 1) body += ',';
    body += "{" + Fields(notice, true) + "}";
  }
  return body + "]";
}

std::string WebhookBody(std::span<const Notice> notices, const std::string& external_url) {
  const bool any_fires =
      std::ranges::any_of(notices, [](const Notice& notice) { return !notice.is_resolved; });
  std::string alerts;
  for (const Notice& notice : notices) {
    if (!alerts.empty()) alerts += ',';
    alerts += absl::StrFormat("{\"status\":\"%s\",%s,\"fingerprint\":\"%016x\"}",
                              notice.is_resolved ? "resolved" : "firing",
                              Fields(notice, notice.is_resolved), notice.labels.Hash());
  }
  return absl::StrFormat(
      "{\"version\":\"4\",\"status\":\"%s\",\"receiver\":\"lockstep\",\"groupKey\":\"{}\","
      "\"truncatedAlerts\":0,\"groupLabels\":{},\"commonLabels\":%s,\"commonAnnotations\":{},"
      "\"externalURL\":%s,\"alerts\":[%s]}",
      any_fires ? "firing" : "resolved", Object(CommonLabels(notices)), Quoted(external_url),
      alerts);
}

}  // namespace lockstep::rules
