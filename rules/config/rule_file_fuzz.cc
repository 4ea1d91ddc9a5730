// Any text is either rejected or a rule file whose groups have names and whose rules have
// expressions.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "rules/config/rule_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::rules;
  const auto groups = ParseRuleFile({reinterpret_cast<const char*>(data), size}, "/r.yml", {});
  if (!groups.ok()) return 0;
  for (const RuleGroup& group : *groups) {
    LOCKSTEP_CHECK(!group.name.empty());
    for (const Rule& rule : group.rules) LOCKSTEP_CHECK(!rule.expression.empty());
  }
  return 0;
}
