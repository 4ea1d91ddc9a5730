// The endpoints about rules: /api/v1/rules, /api/v1/alerts, /api/v1/alertmanagers. Quick; safe from any thread. A
// null runner has no rules. Rules and alerts are those of the tenants that the call reads.
#pragma once

#include "api/call.h"
#include "rules/notifier.h"
#include "rules/rule_runner.h"

namespace lockstep::api {

Response HandleRules(const Call& call, const rules::RuleRunner* runner);
Response HandleAlerts(const Call& call, const rules::RuleRunner* runner);
Response HandleAlertmanagers(const rules::Notifier* notifier);

}  // namespace lockstep::api
