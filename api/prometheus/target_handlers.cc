#include "api/prometheus/target_handlers.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/prometheus/never.h"
#include "api/query/result_json.h"
#include "base/text/url.h"
#include "base/utc_text.h"
#include "query/promql/parser/literal.h"
#include "query/promql/parser/parser.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::api {
namespace {

using scrape::Assignment;
using scrape::Health;
using scrape::Pool;

std::vector<Pool> PoolsOf(const scrape::Scraper* scraper) {
  return scraper == nullptr ? std::vector<Pool>() : scraper->pools();
}

std::string_view Name(Health health) {
  switch (health) {
    case Health::kUp:
      return "up";
    case Health::kDown:
      return "down";
    case Health::kUnknown:
      break;
  }
  return "unknown";
}

// Replaces a host in `url` that means this machine with `hostname`.
std::string GlobalUrl(std::string url, const std::string& hostname) {
  for (const std::string_view local : {"127.0.0.1", "localhost", "[::1]"}) {
    const std::string in_url = absl::StrFormat("://%s:", local);
    if (const size_t at = url.find(in_url); at != std::string::npos) {
      return url.replace(at, in_url.size(), absl::StrFormat("://%s:", hostname));
    }
  }
  return url;
}

// Request parameters are labels too.
LabelSet WithoutSecrets(const LabelSet& labels) {
  constexpr std::string_view kParameter = "__param_";
  LabelSetBuilder shown(labels);
  for (const LabelView& label : labels) {
    const bool is_secret =
        label.name.starts_with(kParameter) && NamesSecret(label.name.substr(kParameter.size()));
    if (is_secret) shown.Set(label.name, kRedacted);
  }
  return shown.Build();
}

void WriteActive(JsonWriter& json, const Pool& pool, const Assignment& assignment,
                 const std::string& hostname) {
  const scrape::Target& target = *assignment.target;
  const scrape::LastScrape last = assignment.state->Get();
  json.BeginObject();
  json.Key("discoveredLabels");
  WriteLabels(json, WithoutSecrets(target.discovered_labels));
  json.Key("labels");
  WriteLabels(json, target.labels);
  json.Field("scrapePool", pool.job_name);
  json.Field("scrapeUrl", RedactUrl(target.url));
  json.Field("globalUrl", GlobalUrl(RedactUrl(target.url), hostname));
  json.Field("lastError", last.error);
  const bool never = last.health == Health::kUnknown;
  json.Field("lastScrape", never ? std::string(kNever) : Rfc3339Text(last.time_ms));
  json.Field("lastScrapeDuration", last.duration_seconds);
  json.Field("health", Name(last.health));
  json.Field("scrapeInterval", promql::FormatDurationMs(target.interval.count()));
  json.Field("scrapeTimeout", promql::FormatDurationMs(target.timeout.count()));
  json.EndObject();
}

void WriteDropped(JsonWriter& json, const Pool& pool) {
  for (const LabelSet& labels : pool.dropped) {
    json.BeginObject();
    json.Key("discoveredLabels");
    WriteLabels(json, WithoutSecrets(labels));
    json.Field("scrapePool", pool.job_name);
    json.EndObject();
  }
}

// The targets that a request selects.
struct Wanted {
  bool active = true;
  bool dropped = true;
  std::vector<Pool> pools;
};

Wanted WantedOf(const Call& call, const scrape::Scraper* scraper) {
  const std::string state = absl::AsciiStrToLower(std::string(call.form.Get("state")));
  const bool any = state.empty() || state == "any";
  Wanted wanted{any || state == "active", any || state == "dropped", PoolsOf(scraper)};
  if (const std::string_view pool = call.form.Get("scrapePool"); !pool.empty()) {
    std::erase_if(wanted.pools, [&](const Pool& other) { return other.job_name != pool; });
  }
  return wanted;
}

void WriteDroppedCounts(JsonWriter& json, const std::vector<Pool>& pools) {
  json.BeginObject();
  for (const Pool& pool : pools) {
    json.LabelKey(pool.job_name);
    json.Number(pool.dropped_count);
  }
  json.EndObject();
}

bool MatchesAll(const std::vector<Matcher>& matchers, const LabelSet& labels) {
  return std::all_of(matchers.begin(), matchers.end(), [&](const Matcher& matcher) {
    return matcher.Matches(labels.Get(matcher.name()));
  });
}

void WriteMetadata(JsonWriter& json, const scrape::Target& target, const MetadataEntry& entry,
                   bool with_metric) {
  json.BeginObject();
  json.Key("target");
  WriteLabels(json, target.labels);
  if (with_metric) json.Field("metric", entry.metric);
  json.Field("type", entry.metadata.type);
  json.Field("help", entry.metadata.help);
  json.Field("unit", entry.metadata.unit);
  json.EndObject();
}

// Parses an object of names and values from a client.
absl::StatusOr<LabelSetBuilder> ParseLabels(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const auto broken = [](simdjson::error_code error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("error parsing labels: %s", simdjson::error_message(error)));
  };
  if (const auto error = parser.parse(simdjson::padded_string(text)).get(object)) {
    return broken(error);
  }
  LabelSetBuilder labels;
  for (const auto& [name, value] : object) {
    std::string_view as_text;
    if (const auto error = value.get(as_text)) return broken(error);
    labels.Set(name, as_text);
  }
  return labels;
}

void WriteRule(JsonWriter& json, const scrape::RelabelSpec& spec) {
  json.BeginObject();
  if (!spec.source_labels.empty()) {
    json.Key("source_labels");
    json.BeginArray();
    for (const std::string& name : spec.source_labels) json.String(name);
    json.EndArray();
  }
  json.Field("separator", spec.separator.value_or(";"));
  json.Field("regex", spec.regex.value_or("(.*)"));
  if (spec.modulus != 0) {
    json.Field("modulus", spec.modulus);
  }
  if (!spec.target_label.empty()) json.Field("target_label", spec.target_label);
  json.Field("replacement", spec.replacement.value_or("$1"));
  json.Field("action", Name(spec.action));
  json.EndObject();
}

void WriteSteps(JsonWriter& json, const std::vector<scrape::RelabelRule>& rules,
                LabelSetBuilder labels) {
  json.BeginArray();
  bool keep = true;
  for (const scrape::RelabelRule& rule : rules) {
    if (keep) keep = rule.Apply(labels);
    json.BeginObject();
    json.Key("rule");
    WriteRule(json, rule.spec());
    json.Key("output");
    WriteLabels(json, keep ? labels.Build() : LabelSet());
    json.Field("keep", keep);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

Response HandleTargets(const Call& call, const scrape::Scraper* scraper,
                       const std::string& hostname) {
  const Wanted wanted = WantedOf(call, scraper);
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Key("activeTargets");
    json.BeginArray();
    for (const Pool& pool : wanted.pools) {
      for (const Assignment& assignment : pool.active) {
        if (wanted.active) WriteActive(json, pool, assignment, hostname);
      }
    }
    json.EndArray();
    json.Key("droppedTargets");
    json.BeginArray();
    for (const Pool& pool : wanted.pools) {
      if (wanted.dropped) WriteDropped(json, pool);
    }
    json.EndArray();
    json.Key("droppedTargetCounts");
    WriteDroppedCounts(json, wanted.dropped ? wanted.pools : std::vector<Pool>());
    json.EndObject();
  });
}

Response HandleTargetsMetadata(const Call& call, const scrape::Scraper* scraper) {
  const absl::StatusOr<size_t> limit = ParseLimit(call.form.Get("limit"));
  if (!limit.ok()) return InvalidParameter("limit", Message(limit.status()));
  std::vector<Matcher> matchers;
  if (const std::string_view text = call.form.Get("match_target"); !text.empty()) {
    auto parsed = promql::ParseMetricSelector(text);
    if (!parsed.ok()) return InvalidParameter("match_target", Message(parsed.status()));
    matchers = *std::move(parsed);
  }
  const std::string_view metric = call.form.Get("metric");
  return SuccessReply([&](JsonWriter& json) {
    size_t left = *limit;
    json.BeginArray();
    for (const Pool& pool : PoolsOf(scraper)) {
      for (const auto& [target, state] : pool.active) {
        if (!MatchesAll(matchers, target->labels)) continue;
        for (const MetadataEntry& entry : state->metadata().List(metric)) {
          if (left == 0) break;
          --left;
          WriteMetadata(json, *target, entry, metric.empty());
        }
      }
    }
    json.EndArray();
  });
}

Response HandleRelabelSteps(const Call& call, const scrape::Scraper* scraper) {
  const std::string_view name = call.form.Get("scrapePool");
  if (name.empty()) return ErrorReply(ErrorType::kBadData, "no scrapePool parameter provided");
  const std::string_view text = call.form.Get("labels");
  if (text.empty()) return ErrorReply(ErrorType::kBadData, "no labels parameter provided");
  const absl::StatusOr<LabelSetBuilder> labels = ParseLabels(text);
  if (!labels.ok()) return ErrorReply(ErrorType::kBadData, Message(labels.status()));
  const std::vector<Pool> pools = PoolsOf(scraper);
  const auto pool = std::find_if(pools.begin(), pools.end(),
                                 [name](const Pool& one) { return one.job_name == name; });
  if (pool == pools.end() || pool->config == nullptr) {
    return ErrorReply(ErrorType::kBadData,
                      absl::StrFormat("error retrieving scrape config: scrape pool %s not found",
                                      promql::Quote(name)));
  }
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Key("steps");
    WriteSteps(json, pool->config->relabel_rules, *labels);
    json.EndObject();
  });
}

Response HandleScrapePools(const scrape::Scraper* scraper) {
  return SuccessReply([&](JsonWriter& json) {
    json.BeginObject();
    json.Key("scrapePools");
    json.BeginArray();
    for (const Pool& pool : PoolsOf(scraper)) json.String(pool.job_name);
    json.EndArray();
    json.EndObject();
  });
}

}  // namespace lockstep::api
