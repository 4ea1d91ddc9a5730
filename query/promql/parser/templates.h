// Templates: the definitions in `WITH (name = expr, f(x) = expr) ...` of MetricsQL.
//
// A template is a range of the query's text and the names visible in it. Where its name is used,
// the parser parses that text again, with the arguments as additional templates; only the parser
// knows templates. A text sees only earlier definitions, never itself, so there is no recursion.
// The expanded size is still limited, because each template may use the previous one twice.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::promql {

// A half-open range of bytes of the query.
struct TextRange {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

struct Template {
  std::string_view name;
  bool has_parameters = false;  // written with parentheses, possibly empty
  std::vector<std::string_view> parameters;
  TextRange body;
  const Template* body_scope = nullptr;  // visible in the body: this one and those that follow it
  const Template* next = nullptr;        // the previous definition, visible wherever this one is
};

// All templates of one query, including arguments, with the lifetime of this object. Not
// thread-safe.
class Templates {
 public:
  // How far templates may expand a query: four times the server's default limit for a query.
  static constexpr size_t kMaxExpandedBytes = 64 << 10;
  // Limited because a lookup visits all templates in scope.
  static constexpr size_t kMaxInScope = 128;

  const Template* Add(Template added) { return &all_.emplace_back(std::move(added)); }

  // Returns whether `bytes` more may be parsed again.
  bool Charge(size_t bytes) {
    expanded_bytes_ += bytes;
    return expanded_bytes_ <= kMaxExpandedBytes;
  }

 private:
  std::deque<Template> all_;
  size_t expanded_bytes_ = 0;
};

// The innermost template with that name, with or without parameters; null if there is none. `scope`
// may be null.
const Template* FindTemplate(const Template* scope, std::string_view name, bool has_parameters);

// The number of templates in scope.
size_t CountTemplates(const Template* scope);

}  // namespace lockstep::promql
