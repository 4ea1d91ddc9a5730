// The syntax tree of an expression as JSON, in the format of /api/v1/parse_query, which Prometheus'
// tree view reads.
//
// One object per node, with its keys in alphabetical order, including "type":
//   aggregation     expr grouping op param without
//   binaryExpr      bool lhs matching op rhs; "matching" is null unless both sides are vectors
//   call            args func{argTypes name returnType variadic}
//   matrixSelector  anchored matchers name offset range smoothed startOrEnd timestamp
//   subquery        expr offset range startOrEnd step timestamp
//   vectorSelector  anchored matchers name offset smoothed startOrEnd timestamp
//   numberLiteral val, parenExpr expr, stringLiteral val, unaryExpr expr op
// Times are in milliseconds; times computed by arithmetic (`[5m * 2]`) are unknown here and written
// as 0.
#pragma once

#include "api/http/json_writer.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::api {

void WriteSyntaxTree(JsonWriter& json, const promql::Expr& expr);

}  // namespace lockstep::api
