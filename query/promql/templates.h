// Templates: what `WITH (name = expr, f(x) = expr) ...` of MetricsQL defines.
//
// A template is a stretch of the query's text and the names that it sees. Where its name is used,
// the parser reads that text once more, with the arguments as templates of their own: nothing but
// the parser knows of templates. A text sees what was defined before it, never itself, so that none
// can recurse; what it grows to is bounded all the same, because each may use the one before twice.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::promql {

// Bytes of the query, half-open.
struct TextRange {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

struct Template {
  std::string_view name;
  bool has_parameters = false;  // written with parentheses, maybe empty ones
  std::vector<std::string_view> parameters;
  TextRange body;
  const Template* body_scope = nullptr;  // what the body sees: this one and those behind it
  const Template* next = nullptr;        // defined before this one, and seen where it is seen
};

// All templates of one query, arguments among them; they live as long as this. Not thread-safe.
class Templates {
 public:
  // What a query may grow to by its templates: four times the text that the server takes by
  // default.
  static constexpr size_t kMaxExpandedBytes = 64 << 10;
  // Looking for a name passes all that are in scope.
  static constexpr size_t kMaxInScope = 128;

  const Template* Add(Template added) { return &all_.emplace_back(std::move(added)); }

  // Says whether `bytes` more may be read again.
  bool Charge(size_t bytes) {
    expanded_bytes_ += bytes;
    return expanded_bytes_ <= kMaxExpandedBytes;
  }

 private:
  std::deque<Template> all_;
  size_t expanded_bytes_ = 0;
};

// The innermost template of that name, with parameters or without; null if there is none. `scope`
// may be null.
const Template* FindTemplate(const Template* scope, std::string_view name, bool has_parameters);

// How many are in scope.
size_t CountTemplates(const Template* scope);

}  // namespace lockstep::promql
