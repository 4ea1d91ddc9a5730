#include "query/promql/parser/type_check.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_format.h"
#include "model/labels.h"
#include "query/promql/parser/parse_error.h"
#include "query/promql/syntax/operator_names.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promql {
namespace {

bool IsScalarOrVector(ValueType type) {
  return type == ValueType::kScalar || type == ValueType::kVector;
}

// The type of `expr` by its form, whether or not it obeys the rules.
ValueType TypeByForm(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kNumber:
      return ValueType::kScalar;
    case ExprKind::kString:
      return ValueType::kString;
    case ExprKind::kParen:
      return TypeByForm(*As<ParenExpr>(expr).inner);
    case ExprKind::kUnary:
      return TypeByForm(*As<UnaryExpr>(expr).operand);
    case ExprKind::kBinary: {
      const auto& binary = As<BinaryExpr>(expr);
      return TypeByForm(*binary.lhs) == ValueType::kScalar &&
                     TypeByForm(*binary.rhs) == ValueType::kScalar
                 ? ValueType::kScalar
                 : ValueType::kVector;
    }
    case ExprKind::kVectorSelector:
    case ExprKind::kAggregate:
      return ValueType::kVector;
    case ExprKind::kMatrixSelector:
    case ExprKind::kSubquery:
      return ValueType::kMatrix;
    case ExprKind::kCall:
      return As<Call>(expr).function->return_type;
  }
  return ValueType::kNone;
}

class Checker {
 public:
  explicit Checker(std::string_view query) : query_(query) {}

  absl::Status Check(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kNumber:
        expr.type = ValueType::kScalar;
        return absl::OkStatus();
      case ExprKind::kString:
        expr.type = ValueType::kString;
        return absl::OkStatus();
      case ExprKind::kParen:
        return CheckParen(static_cast<ParenExpr&>(expr));
      case ExprKind::kUnary:
        return CheckUnary(static_cast<UnaryExpr&>(expr));
      case ExprKind::kBinary:
        return CheckBinary(static_cast<BinaryExpr&>(expr));
      case ExprKind::kVectorSelector:
        return CheckSelector(static_cast<VectorSelector&>(expr));
      case ExprKind::kMatrixSelector:
        expr.type = ValueType::kMatrix;
        return Check(*static_cast<MatrixSelector&>(expr).selector);
      case ExprKind::kSubquery:
        return CheckSubquery(static_cast<SubqueryExpr&>(expr));
      case ExprKind::kAggregate:
        return CheckAggregate(static_cast<AggregateExpr&>(expr));
      case ExprKind::kCall:
        return CheckCall(static_cast<Call&>(expr));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status CheckParen(ParenExpr& paren) {
    LOCKSTEP_RETURN_IF_ERROR(Check(*paren.inner));
    paren.type = paren.inner->type;
    return absl::OkStatus();
  }

  absl::Status CheckUnary(UnaryExpr& unary) {
    LOCKSTEP_RETURN_IF_ERROR(Check(*unary.operand));
    unary.type = unary.operand->type;
    if (IsScalarOrVector(unary.type)) return absl::OkStatus();
    return Error(unary, absl::StrFormat("unary expression only allowed on expressions of type "
                                        "scalar or instant vector, got \"%s\"",
                                        DocumentedName(unary.type)));
  }

  absl::Status CheckBinary(BinaryExpr& binary) {
    LOCKSTEP_RETURN_IF_ERROR(Check(*binary.lhs));
    LOCKSTEP_RETURN_IF_ERROR(Check(*binary.rhs));
    LOCKSTEP_RETURN_IF_ERROR(CheckOperator(binary));
    for (const Expr* side : {binary.lhs.get(), binary.rhs.get()}) {
      if (IsScalarOrVector(side->type)) continue;
      return Error(*side, "binary expression must contain only scalar and instant vector types");
    }
    const bool both_vectors =
        binary.lhs->type == ValueType::kVector && binary.rhs->type == ValueType::kVector;
    const bool both_scalars =
        binary.lhs->type == ValueType::kScalar && binary.rhs->type == ValueType::kScalar;
    binary.type = both_scalars ? ValueType::kScalar : ValueType::kVector;
    return both_vectors ? CheckVectorMatching(binary) : RefuseVectorMatching(binary);
  }

  absl::Status CheckOperator(const BinaryExpr& binary) {
    const int position = binary.op_position.start;
    if (binary.return_bool && !IsComparison(binary.op)) {
      return ErrorAt(position, "bool modifier can only be used on comparison operators");
    }
    if (IsComparison(binary.op) && !binary.return_bool && binary.lhs->type == ValueType::kScalar &&
        binary.rhs->type == ValueType::kScalar) {
      return ErrorAt(position, "comparisons between scalars must use BOOL modifier");
    }
    const VectorMatching& matching = *binary.matching;
    if (!matching.on) return absl::OkStatus();
    for (const std::string& label : matching.labels) {
      if (std::count(matching.include.begin(), matching.include.end(), label) == 0) continue;
      return ErrorAt(
          position,
          absl::StrFormat("label %s must not occur in ON and GROUP clause at once", Quote(label)));
    }
    return absl::OkStatus();
  }

  absl::Status CheckVectorMatching(BinaryExpr& binary) {
    if (!IsSetOperator(binary.op)) return absl::OkStatus();
    VectorMatching& matching = *binary.matching;
    if (matching.cardinality != MatchCardinality::kOneToOne) {
      return Error(binary, absl::StrFormat("no grouping allowed for \"%s\" operation",
                                           OperatorName(binary.op)));
    }
    matching.cardinality = MatchCardinality::kManyToMany;
    if (!matching.fill_left && !matching.fill_right) return absl::OkStatus();
    return Error(binary, "filling in missing series not allowed for set operators");
  }

  absl::Status RefuseVectorMatching(BinaryExpr& binary) {
    const VectorMatching& matching = *binary.matching;
    if (!matching.labels.empty()) {
      return Error(binary, "vector matching only allowed between instant vectors");
    }
    if (matching.fill_left || matching.fill_right) {
      return Error(binary, "filling in missing series only allowed between instant vectors");
    }
    if (IsSetOperator(binary.op)) {
      return Error(binary, absl::StrFormat("set operator \"%s\" not allowed in binary scalar "
                                           "expression",
                                           OperatorName(binary.op)));
    }
    binary.matching.reset();
    return absl::OkStatus();
  }

  absl::Status CheckSelector(VectorSelector& selector) {
    selector.type = ValueType::kVector;
    if (selector.name.empty()) {
      if (std::any_of(selector.matchers.begin(), selector.matchers.end(),
                      [](const Matcher& m) { return !m.MatchesEmpty(); })) {
        return absl::OkStatus();
      }
      return Error(selector, "vector selector must contain at least one non-empty matcher");
    }
    // The last matcher represents the name before the braces.
    for (size_t i = 0; i + 1 < selector.matchers.size(); ++i) {
      if (selector.matchers[i].name() != kMetricName) continue;
      return Error(selector,
                   absl::StrFormat("metric name must not be set twice: %s or %s",
                                   Quote(selector.name), Quote(selector.matchers[i].value())));
    }
    return absl::OkStatus();
  }

  absl::Status CheckSubquery(SubqueryExpr& subquery) {
    subquery.type = ValueType::kMatrix;
    LOCKSTEP_RETURN_IF_ERROR(Check(*subquery.inner));
    const ValueType inner = subquery.inner->type;
    if (inner == ValueType::kVector) return absl::OkStatus();
    const std::string_view name = inner == ValueType::kMatrix ? "matrix" : DocumentedName(inner);
    return Error(subquery, absl::StrFormat(
                               "subquery is only allowed on instant vector, got %s instead", name));
  }

  absl::Status CheckAggregate(AggregateExpr& aggregate) {
    aggregate.type = ValueType::kVector;
    LOCKSTEP_RETURN_IF_ERROR(
        Expect(*aggregate.operand, ValueType::kVector, "aggregation expression"));
    if (aggregate.param == nullptr) return absl::OkStatus();
    const bool wants_string = aggregate.op == AggregateOp::kCountValues;
    return Expect(*aggregate.param, wants_string ? ValueType::kString : ValueType::kScalar,
                  "aggregation parameter");
  }

  absl::Status CheckCall(Call& call) {
    const FunctionSignature& function = *call.function;
    call.type = function.return_type;
    LOCKSTEP_RETURN_IF_ERROR(CheckArgumentCount(call));
    if (function.id == FunctionId::kInfo && call.args.size() > 1) {
      LOCKSTEP_RETURN_IF_ERROR(CheckInfoSelector(call));
    }
    const std::string context = absl::StrFormat("call to function \"%s\"", function.name);
    for (size_t i = 0; i < call.args.size(); ++i) {
      // The matchers of info() may all match the empty string.
      if (function.id == FunctionId::kInfo && i == 1) continue;
      const ValueType wanted = function.arg_types[std::min(i, function.arg_types.size() - 1)];
      LOCKSTEP_RETURN_IF_ERROR(Expect(*call.args[i], wanted, context));
    }
    return absl::OkStatus();
  }

  absl::Status CheckArgumentCount(const Call& call) {
    const FunctionSignature& function = *call.function;
    const size_t count = call.args.size();
    const size_t listed = function.arg_types.size();
    std::string_view bound;
    size_t wanted = listed;
    if (function.variadic == 0) {
      if (count == listed) return absl::OkStatus();
    } else if (count < listed - 1) {
      bound = "at least ";
      wanted = listed - 1;
    } else if (function.variadic > 0 &&
               count > listed - 1 + static_cast<size_t>(function.variadic)) {
      bound = "at most ";
      wanted = listed - 1 + static_cast<size_t>(function.variadic);
    } else {
      return absl::OkStatus();
    }
    return Error(call, absl::StrFormat("expected %s%d argument(s) in call to \"%s\", got %d", bound,
                                       wanted, function.name, count));
  }

  absl::Status CheckInfoSelector(const Call& call) {
    Expr& expr = *call.args[1];
    if (const ValueType type = TypeByForm(expr); type != ValueType::kVector) {
      return Error(call, absl::StrFormat("expected type instant vector in call to function "
                                         "\"info\", got %s",
                                         DocumentedName(type)));
    }
    if (expr.kind != ExprKind::kVectorSelector) {
      return Error(expr, "expected label selectors only");
    }
    expr.type = ValueType::kVector;
    if (static_cast<VectorSelector&>(expr).name.empty()) return absl::OkStatus();
    return Error(expr, "expected label selectors only, got vector selector instead");
  }

  absl::Status Expect(Expr& expr, ValueType wanted, std::string_view context) {
    LOCKSTEP_RETURN_IF_ERROR(Check(expr));
    if (expr.type == wanted) return absl::OkStatus();
    return Error(expr, absl::StrFormat("expected type %s in %s, got %s", DocumentedName(wanted),
                                       context, DocumentedName(expr.type)));
  }

  absl::Status Error(const Expr& expr, std::string_view message) const {
    return ErrorAt(expr.position.start, message);
  }
  absl::Status ErrorAt(int position, std::string_view message) const {
    return ParseError(query_, position, message);
  }

  const std::string_view query_;
};

}  // namespace

absl::Status CheckTypes(std::string_view query, Expr& expr) { return Checker(query).Check(expr); }

}  // namespace lockstep::promql
