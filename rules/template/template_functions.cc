#include "rules/template/template_functions.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "base/regex/regex.h"
#include "base/text/url.h"
#include "query/promql/parser/parser.h"
#include "rules/template/humanize.h"

namespace lockstep::rules {
namespace {

using Arguments = std::vector<TemplateValue>;
using Result = absl::StatusOr<TemplateValue>;
using Samples = std::shared_ptr<const TemplateSamples>;
using Map = std::shared_ptr<const TextMap>;

constexpr size_t kAny = SIZE_MAX;

absl::Status Bad(std::string_view what) { return absl::InvalidArgumentError(std::string(what)); }

// Returns the argument as a T.
template <typename T>
absl::StatusOr<T> As(const TemplateValue& value, std::string_view wanted) {
  if (const T* found = std::get_if<T>(&value)) return *found;
  return Bad(absl::StrFormat("wrong type for value; expected %s; got %s", wanted, KindName(value)));
}

absl::StatusOr<std::string> TextOf(const TemplateValue& value) {
  return As<std::string>(value, "string");
}

template <std::string (*F)(double)>
Result OfNumber(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const double number, ToNumber(arguments[0]));
  return F(number);
}

template <std::string (*F)(std::string_view)>
Result OfText(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, TextOf(arguments[0]));
  return F(text);
}

std::string Upper(std::string_view text) { return absl::AsciiStrToUpper(std::string(text)); }
std::string Lower(std::string_view text) { return absl::AsciiStrToLower(std::string(text)); }

std::string Title(std::string_view text) {
  std::string title(text);
  bool begins = true;
  for (char& c : title) {
    if (begins) c = absl::ascii_toupper(static_cast<unsigned char>(c));
    begins = !absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '\'' &&
             (c & 0x80) == 0;
  }
  return title;
}

std::string StripPort(std::string_view host) {
  const size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || host.ends_with(']')) return std::string(host);
  std::string_view name = host.substr(0, colon);
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  const bool is_plain_v6 = !host.starts_with('[') && name.find(':') != std::string_view::npos;
  return std::string(is_plain_v6 ? host : name);
}

std::string StripDomain(std::string_view host) {
  const size_t colon = host.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? "" : host.substr(colon);
  const std::string_view name = host.substr(0, host.size() - port.size());
  const bool is_address =
      name.starts_with('[') || name.find_first_not_of("0123456789.") == std::string_view::npos;
  return absl::StrFormat("%s%s", is_address ? name : name.substr(0, name.find('.')), port);
}

std::string GraphLink(std::string_view expression) {
  return absl::StrFormat("/graph?g0.expr=%s&g0.tab=0", QueryEncode(expression));
}
std::string AsItIs(std::string_view text) { return std::string(text); }

Result HumanizeTimestamp(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const double seconds, ToNumber(arguments[0]));
  if (!std::isfinite(seconds)) return HumanizeDuration(seconds);
  if (std::abs(seconds) > 9.2e9) return Bad(absl::StrFormat("%g is not a valid time", seconds));
  return ToText(TemplateTime{seconds});
}

Result ToTime(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const double seconds, ToNumber(arguments[0]));
  if (!(std::abs(seconds) <= 9.2e9)) return Bad(absl::StrFormat("%g is not a valid time", seconds));
  return TemplateTime{seconds};
}

Result Now(const Arguments&, const TemplateData& data) {
  return static_cast<double>(data.time_ms) / 1e3;
}

Result ParseDuration(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, TextOf(arguments[0]));
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t duration_ms, promql::ParseDurationMs(text));
  return static_cast<double>(duration_ms) / 1e3;
}

Result Query(const Arguments& arguments, const TemplateData& data) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, TextOf(arguments[0]));
  if (!data.query) return Bad("queries are not available here");
  LOCKSTEP_ASSIGN_OR_RETURN(TemplateSamples samples, data.query(text));
  return std::make_shared<const TemplateSamples>(std::move(samples));
}

Result First(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const Samples samples, As<Samples>(arguments[0], "a query result"));
  if (samples->empty()) return Bad("first() called on vector with no elements");
  return SampleAt{samples, 0};
}

Result Label(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, TextOf(arguments[0]));
  LOCKSTEP_ASSIGN_OR_RETURN(const SampleAt sample, As<SampleAt>(arguments[1], "a sample"));
  const auto found = sample.get().labels.find(name);
  return found == sample.get().labels.end() ? std::string() : found->second;
}

Result ValueOf(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const SampleAt sample, As<SampleAt>(arguments[0], "a sample"));
  return sample.get().value;
}

Result TextValueOf(const Arguments& arguments, const TemplateData& data) {
  return Label({std::string("__value__"), arguments[0]}, data);
}

Result SortByLabel(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, TextOf(arguments[0]));
  LOCKSTEP_ASSIGN_OR_RETURN(const Samples samples, As<Samples>(arguments[1], "a query result"));
  TemplateSamples sorted = *samples;
  const auto value = [&name](const TemplateSample& sample) -> std::string_view {
    const auto found = sample.labels.find(name);
    return found == sample.labels.end() ? std::string_view() : found->second;
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return value(a) < value(b); });
  return std::make_shared<const TemplateSamples>(std::move(sorted));
}

absl::StatusOr<Regex> Compile(std::string_view pattern) {
  absl::StatusOr<Regex> regex = Regex::Compile(pattern);
  if (regex.ok()) return regex;
  return Bad(
      absl::StrFormat("\"%s\" is not a regular expression: %s", pattern, Message(regex.status())));
}

Result Match(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string pattern, TextOf(arguments[0]));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, TextOf(arguments[1]));
  LOCKSTEP_ASSIGN_OR_RETURN(const Regex regex, Compile(pattern));
  return regex.PartialMatch(text);
}

Result ReReplaceAll(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string pattern, TextOf(arguments[0]));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string replacement, TextOf(arguments[1]));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, TextOf(arguments[2]));
  LOCKSTEP_ASSIGN_OR_RETURN(const Regex regex, Compile(pattern));
  return regex.ReplaceAll(text, RegexTemplate(replacement, regex));
}

Result ExternalUrl(const Arguments&, const TemplateData& data) { return data.external_url; }

// The path of the external URL without a trailing slash.
Result PathPrefix(const Arguments&, const TemplateData& data) {
  const size_t host = data.external_url.find("://");
  const size_t path =
      host == std::string::npos ? std::string::npos : data.external_url.find('/', host + 3);
  if (path == std::string::npos) return std::string();
  std::string prefix = data.external_url.substr(path);
  while (prefix.ends_with('/')) prefix.pop_back();
  return prefix;
}

Result Printf(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string format, TextOf(arguments[0]));
  return GoPrintf(format, {arguments.begin() + 1, arguments.end()});
}

// Puts spaces between two values if neither is a string.
Result Print(const Arguments& arguments, const TemplateData&) {
  std::string text;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool parted = i > 0 && !std::holds_alternative<std::string>(arguments[i]) &&
                        !std::holds_alternative<std::string>(arguments[i - 1]);
    if (parted) text += ' ';
    text += ToText(arguments[i]);
  }
  return text;
}

Result Println(const Arguments& arguments, const TemplateData&) {
  std::string text;
  for (const TemplateValue& argument : arguments) {
    if (&argument != arguments.data()) text += ' ';
    text += ToText(argument);
  }
  return text + "\n";
}

Result Len(const Arguments& arguments, const TemplateData&) {
  if (const auto* text = std::get_if<std::string>(&arguments[0])) {
    return static_cast<int64_t>(text->size());
  }
  if (const auto* map = std::get_if<Map>(&arguments[0])) {
    return static_cast<int64_t>((*map)->size());
  }
  if (const auto* samples = std::get_if<Samples>(&arguments[0])) {
    return static_cast<int64_t>((*samples)->size());
  }
  return Bad(absl::StrFormat("len of type %s", KindName(arguments[0])));
}

Result Index(const Arguments& arguments, const TemplateData&) {
  if (const auto* map = std::get_if<Map>(&arguments[0])) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string name, TextOf(arguments[1]));
    const auto found = (*map)->find(name);
    return found == (*map)->end() ? std::string() : found->second;
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const Samples samples, As<Samples>(arguments[0], "a map or a list"));
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t index, As<int64_t>(arguments[1], "int"));
  if (index < 0 || index >= static_cast<int64_t>(samples->size())) {
    return Bad(absl::StrFormat("index out of range: %d", index));
  }
  return SampleAt{samples, static_cast<size_t>(index)};
}

Result And(const Arguments& arguments, const TemplateData&) { return arguments.back(); }
Result Or(const Arguments& arguments, const TemplateData&) { return arguments.back(); }
Result Not(const Arguments& arguments, const TemplateData&) { return !IsTrue(arguments[0]); }

absl::StatusOr<bool> Equal(const TemplateValue& a, const TemplateValue& b) {
  if (a.index() != b.index()) return Bad("incompatible types for comparison");
  if (std::holds_alternative<bool>(a)) return std::get<bool>(a) == std::get<bool>(b);
  if (std::holds_alternative<int64_t>(a)) return std::get<int64_t>(a) == std::get<int64_t>(b);
  if (std::holds_alternative<double>(a)) return std::get<double>(a) == std::get<double>(b);
  if (std::holds_alternative<std::string>(a)) {
    return std::get<std::string>(a) == std::get<std::string>(b);
  }
  return Bad("non-comparable types");
}

absl::StatusOr<bool> Less(const TemplateValue& a, const TemplateValue& b) {
  if (a.index() != b.index()) return Bad("incompatible types for comparison");
  if (std::holds_alternative<int64_t>(a)) return std::get<int64_t>(a) < std::get<int64_t>(b);
  if (std::holds_alternative<double>(a)) return std::get<double>(a) < std::get<double>(b);
  if (std::holds_alternative<std::string>(a)) {
    return std::get<std::string>(a) < std::get<std::string>(b);
  }
  return Bad("invalid type for comparison");
}

// Whether the first argument equals one of the others.
Result Eq(const Arguments& arguments, const TemplateData&) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool equal, Equal(arguments[0], arguments[i]));
    if (equal) return true;
  }
  return false;
}
Result Ne(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const bool equal, Equal(arguments[0], arguments[1]));
  return !equal;
}
Result Lt(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const bool less, Less(arguments[0], arguments[1]));
  return less;
}
Result Le(const Arguments& arguments, const TemplateData&) {
  LOCKSTEP_ASSIGN_OR_RETURN(const bool less, Less(arguments[0], arguments[1]));
  LOCKSTEP_ASSIGN_OR_RETURN(const bool equal, Equal(arguments[0], arguments[1]));
  return less || equal;
}
Result Gt(const Arguments& arguments, const TemplateData& data) {
  return Lt({arguments[1], arguments[0]}, data);
}
Result Ge(const Arguments& arguments, const TemplateData& data) {
  return Le({arguments[1], arguments[0]}, data);
}

constexpr TemplateFunction kFunctions[] = {
    {"and", 1, kAny, And},
    {"or", 1, kAny, Or},
    {"not", 1, 1, Not},
    {"eq", 2, kAny, Eq},
    {"ne", 2, 2, Ne},
    {"lt", 2, 2, Lt},
    {"le", 2, 2, Le},
    {"gt", 2, 2, Gt},
    {"ge", 2, 2, Ge},
    {"len", 1, 1, Len},
    {"index", 2, 2, Index},
    {"print", 0, kAny, Print},
    {"printf", 1, kAny, Printf},
    {"println", 0, kAny, Println},
    {"urlquery", 1, 1, OfText<QueryEncode>},
    {"query", 1, 1, Query},
    {"first", 1, 1, First},
    {"label", 2, 2, Label},
    {"value", 1, 1, ValueOf},
    {"strvalue", 1, 1, TextValueOf},
    {"sortByLabel", 2, 2, SortByLabel},
    {"humanize", 1, 1, OfNumber<Humanize>},
    {"humanize1024", 1, 1, OfNumber<Humanize1024>},
    {"humanizeDuration", 1, 1, OfNumber<HumanizeDuration>},
    {"humanizePercentage", 1, 1, OfNumber<HumanizePercentage>},
    {"humanizeTimestamp", 1, 1, HumanizeTimestamp},
    {"toTime", 1, 1, ToTime},
    {"now", 0, 0, Now},
    {"parseDuration", 1, 1, ParseDuration},
    {"title", 1, 1, OfText<Title>},
    {"toUpper", 1, 1, OfText<Upper>},
    {"toLower", 1, 1, OfText<Lower>},
    {"match", 2, 2, Match},
    {"reReplaceAll", 3, 3, ReReplaceAll},
    {"graphLink", 1, 1, OfText<GraphLink>},
    {"tableLink", 1, 1, OfText<TableLink>},
    {"stripPort", 1, 1, OfText<StripPort>},
    {"stripDomain", 1, 1, OfText<StripDomain>},
    {"externalURL", 0, 0, ExternalUrl},
    {"pathPrefix", 0, 0, PathPrefix},
    {"safeHtml", 1, 1, OfText<AsItIs>},
};

}  // namespace

const TemplateFunction* FindTemplateFunction(std::string_view name) {
  const auto* const found = std::ranges::find(kFunctions, name, &TemplateFunction::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

std::string TableLink(std::string_view expression) {
  return absl::StrFormat("/graph?g0.expr=%s&g0.tab=1", QueryEncode(expression));
}

bool IsAnd(const TemplateFunction& function) { return function.call == And; }
bool IsOr(const TemplateFunction& function) { return function.call == Or; }

}  // namespace lockstep::rules
