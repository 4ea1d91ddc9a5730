// Notice: the state of one alert as sent to receivers, and its two wire formats.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "model/labels.h"

namespace lockstep::rules {

struct Notice {
  LabelSet labels;
  std::map<std::string, std::string> annotations;
  int64_t starts_at_ms = 0;
  int64_t ends_at_ms = 0;  // for a firing alert: when it ends unless it is sent again
  uint64_t source = 0;     // identifies the rule's alert behind it
  bool is_resolved = false;
  std::string generator_url;
};

// The body of a POST to an Alertmanager's /api/v2/alerts.
std::string AlertmanagerBody(std::span<const Notice> notices);

// The body of a webhook request in Alertmanager's format, version 4:
// {"version":"4","status":"firing","receiver":"lockstep","alerts":[...],...}
std::string WebhookBody(std::span<const Notice> notices, const std::string& external_url);

}  // namespace lockstep::rules
