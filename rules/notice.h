// Notice: what receivers are told of one alert, and its two forms on the wire.
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
  int64_t ends_at_ms = 0;  // of a firing alert: if nothing more is heard of it
  uint64_t source = 0;     // the alert of a rule that it is of
  bool is_resolved = false;
  std::string generator_url;
};

// The body of a POST to /api/v2/alerts of an Alertmanager.
std::string AlertmanagerBody(std::span<const Notice> notices);

// What a webhook of an Alertmanager gets, version 4 of its format, so that what reads that reads this:
// {"version":"4","status":"firing","receiver":"lockstep","alerts":[...],...}
std::string WebhookBody(std::span<const Notice> notices, const std::string& external_url);

}  // namespace lockstep::rules
