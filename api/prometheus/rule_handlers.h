// The endpoints for rules: /api/v1/rules, /api/v1/alerts, /api/v1/alertmanagers. Quick; safe from
// any thread. A null runner has no rules. Rules and alerts belong to the tenants that the call
// reads.
#pragma once

#include "api/http/call.h"
#include "rules/alerts/notifier.h"
#include "rules/rule_runner.h"

namespace lockstep::api {

Response HandleRules(const Call& call, const rules::RuleRunner* runner);
Response HandleAlerts(const Call& call, const rules::RuleRunner* runner);
Response HandleAlertmanagers(const rules::Notifier* notifier);

}  // namespace lockstep::api
