"""The mutants of a C++ source: where they are and how they are written so that one build has all of them.

The sources are formatted by clang-format, so tokens and blanks are enough: a binary operator has
blanks around it, and the bracket of a template has none. What is mistaken for code does not compile
as a mutant, and tools/mutate.py draws another.
"""

import re
from typing import NamedTuple

HEADER = "base/mutant.h"
SWITCH = "LockstepMutant"

# What the scratch copy has as base/mutant.h. LOCKSTEP_MUTANT is the number of the mutant that is
# switched on. With -1 each test writes, once, the numbers of the mutants that it reaches: to the
# standard output with which the program began, even if the test captures it, or to the file
# LOCKSTEP_MUTANT_LOG.
HEADER_TEXT = r"""#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#pragma GCC diagnostic ignored "-Waddress"
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wunused-value"

// GoogleTest's current test, where the program has GoogleTest.
extern "C" const void* LockstepUnitTest() __asm__("_ZN7testing8UnitTest11GetInstanceEv")
    __attribute__((weak));
extern "C" const void* LockstepTestInfo(const void*)
    __asm__("_ZNK7testing8UnitTest17current_test_infoEv") __attribute__((weak));

inline const int LockstepMutantOutput = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

inline void LockstepMutantReached(int number) {
  static std::atomic<const void*> seen[4096];
  static const char outside_of_tests = 0;
  const void* test = LockstepUnitTest == nullptr ? nullptr : LockstepTestInfo(LockstepUnitTest());
  if (test == nullptr) test = &outside_of_tests;
  if (seen[number % 4096].exchange(test) == test) return;
  char line[64];
  const int size = std::snprintf(line, sizeof(line), "\n@mutant %d\n", number);
  static const int file = [] {
    const char* path = std::getenv("LOCKSTEP_MUTANT_LOG");
    return path == nullptr ? LockstepMutantOutput : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  }();
  if (write(file, line, size) < 0) return;
}

inline bool LockstepMutant(int number) {
  static const int active = [] {
    const char* text = std::getenv("LOCKSTEP_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  if (active < 0) LockstepMutantReached(number);
  return active == number;
}
"""

TOKEN = re.compile(r"""
  (?P<blank>\s+|\\\n)
| (?P<comment>//[^\n]*|/\*.*?\*/)
| (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
| (?P<string>(?:u8|[uUL])?R"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)"|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
            |(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
| (?P<number>\.?[0-9](?:'?[\w.]|(?<=[eEpP])[+-])*)
| (?P<word>[A-Za-z_]\w*)
| (?P<sign><=>|->\*|<<=|\.\.\.|::|->|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|.)
""", re.X | re.S | re.M)

CLOSES = {"(": ")", "[": "]", "{": "}"}

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         "+": "-", "-": "+", "*": "/", "/": "*", "%": "*"}

# What `return {};` returns already.
NOTHING = ("{}", "0", "false", "nullptr", "std::nullopt", "absl::OkStatus()", "std::string()")

# How tightly an operator binds. An expression around an operator ends where a looser one stands.
LEVELS = {word: level for level, words in enumerate([
    [",", ";", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", "?", ":", "return"],
    ["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<"], ["+", "-"],
    ["*", "/", "%"]]) for word in words}


class Edit(NamedTuple):
    """The text from `start` to `end` becomes `text`, in which @ is the mutant's number."""

    start: int
    end: int
    text: str


class Mutant(NamedTuple):
    line: int           # of its first token, from 1
    last_line: int
    operator: str       # for people: "force true", "< to <=", ...
    before: str         # the part of the source that it changes, on one line
    after: str
    edits: tuple


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Source:
    """Finds the mutants of one source. Use mutants_of()."""

    def __init__(self, text):
        self.text = text
        self.tokens = [Token(m.lastgroup if m.lastgroup != "raw" else "string", m.group(0),
                             m.start(), m.end())
                       for m in TOKEN.finditer(text)]
        self.tokens = [t for t in self.tokens if t.kind not in ("blank", "comment")]
        self.directives = [t for t in self.tokens if t.kind == "directive"]
        self.tokens = [t for t in self.tokens if t.kind != "directive"]
        self.closing = self._match_brackets()
        self.mutants = []

    def _match_brackets(self):
        closing, open_brackets = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in CLOSES:
                open_brackets.append(i)
            elif token.text in CLOSES.values() and open_brackets:
                closing[open_brackets.pop()] = i
        return closing

    def is_at(self, i, *texts):
        return i < len(self.tokens) and self.tokens[i].text in texts \
            and self.tokens[i].kind != "string"

    def find(self, i, end, *texts):
        """The first of `texts` from `i` that stands in no bracket, or `end`."""
        while i < end and not self.is_at(i, *texts):
            i = self.closing.get(i, i) + 1
        return min(i, end)

    def words(self, first, end, swapped=None, by=None):
        """The tokens from `first` to `end` on one line, `swapped` replaced."""
        parts = []
        for i in range(first, end):
            if i > first and self.tokens[i].start > self.tokens[i - 1].end:
                parts.append(" ")
            parts.append(by if i == swapped else self.tokens[i].text)
        return "".join(parts)

    def has_blanks_around(self, i):
        token = self.tokens[i]
        return self.text[token.start - 1].isspace() and self.text[token.end:token.end + 1].isspace()

    # --- mutants ------------------------------------------------------------------------------

    def add(self, operator, first, end, after, edits, before=None):
        begin, close = self.tokens[first].start, self.tokens[end - 1].end
        if any(begin <= d.start < close for d in self.directives):
            return
        self.mutants.append(Mutant(
            self.text.count("\n", 0, begin) + 1, self.text.count("\n", 0, close) + 1, operator,
            before or self.words(first, end), after, tuple(Edit(*edit) for edit in edits)))

    def add_condition(self, first, end):
        """Mutants of the condition from `first` to `end`."""
        if first >= end or self.find(first, end, "=") < end:
            return  # There is none, or it declares a variable.
        if end - first == 1 and self.tokens[first].text in ("true", "false"):
            return  # An endless loop.
        begin, close = self.tokens[first].start, self.tokens[end - 1].end
        words = self.words(first, end)
        for operator, before, after, shown in (
                ("force true", f"{SWITCH}(@) || (", ")", "true"),
                ("force false", f"!{SWITCH}(@) && (", ")", "false"),
                ("negate", f"{SWITCH}(@) != static_cast<bool>(", ")", f"!({words})")):
            self.add(operator, first, end, shown, [(begin, begin, before), (close, close, after)])

    def add_drop(self, first, end):
        """The statement from `first` to `end`, its semicolon included, does nothing."""
        begin, close = self.tokens[first].start, self.tokens[end - 1].end
        self.add("drop", first, end, ";",
                 [(begin, begin, f"{{ if (!{SWITCH}(@)) "), (close, close, " }")])

    def add_empty_return(self, first, end):
        if end - first == 2:
            self.add_drop(first, end)
            return
        if self.words(first + 1, end - 1) in NOTHING:
            return
        begin, close = self.tokens[first].start, self.tokens[end - 1].end
        self.add("return nothing", first, end, "return {};",
                 [(begin, begin, f"{{ if ({SWITCH}(@)) return {{}}; "), (close, close, " }")])

    def add_break(self, first, end):
        token = self.tokens[first]
        self.add("continue to break", first, end, "break;",
                 [(token.start, self.tokens[end - 1].end,
                   f"{{ if ({SWITCH}(@)) break; else continue; }}")])

    def add_swap(self, i, first, end, by):
        """The token `i` becomes `by` in the expression from `first` to `end`."""
        words, other = self.words(first, end), self.words(first, end, i, by)
        self.add(f"{self.tokens[i].text} to {by}", first, end, other,
                 [(self.tokens[first].start, self.tokens[end - 1].end,
                   f"({SWITCH}(@) ? ({other}) : ({words}))")])

    def add_constant(self, i, more_edits=()):
        token = self.tokens[i]
        other = next_constant(token.text)
        if other is None:
            return
        self.add("constant", i, i + 1, self.context(i, other),
                 [(token.start, token.end, f"({SWITCH}(@) ? {other} : {token.text})"),
                  *more_edits], before=self.context(i, token.text))

    def context(self, i, by):
        """The token `i`, replaced, with those beside it on its line."""
        first = max(0, i - 4)
        while self.text.count("\n", self.tokens[first].start, self.tokens[i].start) > 0:
            first += 1
        end = min(len(self.tokens), i + 3)
        while self.text.count("\n", self.tokens[i].end, self.tokens[end - 1].start) > 0:
            end -= 1
        return self.words(first, end, i, by)

    # --- expressions --------------------------------------------------------------------------

    def expression(self, first, end):
        """Mutants of the operators and constants of what is from `first` to `end`, a statement or a condition."""
        self.operators(first, end, first, end)

    def operators(self, first, end, outer_first, outer_end):
        i = first
        while i < end:
            token = self.tokens[i]
            if token.kind == "sign" and token.text == "{" and self.is_lambda_body(i):
                self.block(i)
                i = self.closing[i] + 1
                continue
            if i in self.closing and token.kind == "sign":
                self.operators(i + 1, self.closing[i], i + 1, self.closing[i])
                i = self.closing[i] + 1
                continue
            self.operator(i, outer_first, outer_end)
            i += 1

    def operator(self, i, outer_first, outer_end):
        token = self.tokens[i]
        if token.kind == "number" and not self.is_template_argument(i):
            self.add_constant(i)
        elif token.kind == "word" and token.text in ("true", "false"):
            other = "false" if token.text == "true" else "true"
            self.add(f"{token.text} to {other}", i, i + 1, self.context(i, other),
                     [(token.start, token.end,
                       f"({SWITCH}(@) ? {other} : {token.text})")],
                     before=self.context(i, token.text))
        elif token.kind == "word" and token.text in ("min", "max") and self.is_at(i - 1, "::") \
                and self.is_at(i - 2, "std") and self.is_at(i + 1, "("):
            other = "max" if token.text == "min" else "min"
            self.add_swap(i, i - 2, self.closing[i + 1] + 1, other)
        elif token.kind == "sign" and token.text in SWAPS and self.has_blanks_around(i):
            first, end = self.extent(i, outer_first, outer_end)
            if first < i < end - 1:
                self.add_swap(i, first, end, SWAPS[token.text])

    def is_template_argument(self, i):
        before, after = self.tokens[i - 1], self.tokens[i + 1]
        return before.text == "<" and before.end == self.tokens[i].start \
            or after.text == ">" and after.start == self.tokens[i].end

    def extent(self, i, outer_first, outer_end):
        """The expression around the operator `i`, between operators that bind less."""
        level = LEVELS[self.tokens[i].text]
        end = i + 1
        while end < outer_end and not self.binds_less(end, level):
            end = self.closing.get(end, end) + 1
        first, k = outer_first, outer_first
        while k < i:
            if self.binds_less(k, level):
                first = k + 1
            k = self.closing.get(k, k) + 1
        return first, end

    def binds_less(self, i, level):
        token = self.tokens[i]
        if token.kind == "string" or LEVELS.get(token.text, level) >= level:
            return False
        return LEVELS[token.text] == 0 or self.has_blanks_around(i)

    def is_lambda_body(self, i):
        """Whether the brace `i` of an expression opens the body of a lambda."""
        if self.is_at(i - 1, ")", "]", "mutable"):
            return True
        k = i - 1
        while k > 0 and (self.tokens[k].kind == "word" or self.is_at(k, "::", "<", ">", "&", "*", ",")):
            k -= 1
        return self.is_at(k, "->") and self.is_at(k - 1, ")", "mutable")

    # --- statements ---------------------------------------------------------------------------

    def block(self, i):
        """The statements between the brace `i` and its other end."""
        end = self.closing[i]
        i += 1
        while i < end:
            i = self.statement(i, end)

    def statement(self, i, end):
        """Finds the mutants of the statement at `i`; where the next one begins."""
        word = self.tokens[i].text
        if word == "{":
            self.block(i)
            return self.closing[i] + 1
        if word in ("if", "while", "for", "switch"):
            return self.with_head(i, end)
        if word in ("else", "do", "try"):
            return i + 1
        if word in ("case", "default"):
            return self.find(i, end, ":") + 1
        semicolon = self.find(i, end, ";")
        after = min(semicolon + 1, end)
        if word in ("using", "static_assert", "typedef", "struct", "class", "enum", "template",
                    "break", "goto", "catch") or semicolon == end:
            return after if word != "catch" else self.closing[i + 1] + 1
        if word == "continue":
            self.add_break(i, after)
        elif word == "return":
            self.add_empty_return(i, after)
            self.expression(i + 1, semicolon)
        elif word in ("constexpr", "static") and self.find(i, semicolon, "=") < semicolon:
            self.constant_declaration(i, semicolon)
        elif not self.is_unseen(i, semicolon):
            if self.is_expression(i, semicolon):
                self.add_drop(i, after)
            self.expression(i, semicolon)
        return after

    def is_unseen(self, i, semicolon):
        """Whether the statement checks what always holds, or only takes memory in advance."""
        if self.is_at(i, "LOCKSTEP_CHECK"):
            return True
        opening = self.find(i, semicolon, "(")
        return self.is_at(opening - 1, "reserve", "shrink_to_fit") and self.is_at(opening - 2, ".", "->") \
            and self.closing.get(opening) == semicolon - 1

    def with_head(self, i, end):
        """A statement with a head in parentheses; where what it governs begins."""
        opening = self.find(i, end, "(")
        if opening >= end:
            return end
        first, close = opening + 1, self.closing[opening]
        is_constant = self.is_at(i + 1, "constexpr")
        if self.tokens[i].text == "for":
            semicolon = self.find(first, close, ";")
            if semicolon < close:
                self.expression(first, semicolon)
                first, stop = semicolon + 1, self.find(semicolon + 1, close, ";")
                self.add_condition(first, stop)
                self.expression(first, stop)
        elif not is_constant:
            semicolon = self.find(first, close, ";")
            if semicolon < close:
                self.expression(first, semicolon)
                first = semicolon + 1
            if self.tokens[i].text != "switch":
                self.add_condition(first, close)
            self.expression(first, close)
        return close + 1

    def is_expression(self, i, semicolon):
        """Whether the statement is an expression, not a declaration."""
        if self.tokens[i].kind == "word" and "ASSIGN" in self.tokens[i].text:
            return False  # It declares a variable.
        if self.tokens[i].text in ("const", "auto", "unsigned", "delete"):
            return False
        while i < semicolon and (self.tokens[i].kind == "word" or self.is_at(i, "::")):
            if self.tokens[i].kind == "word" and i + 1 < semicolon \
                    and self.tokens[i + 1].kind == "word":
                return False  # A type, then a name.
            i += 1
        if self.is_at(i, "<", "&", "*", "&&"):
            return False
        return self.is_at(i, "(", ".", "->", "[", "=", "++", "--", "+=", "-=", "*=", "/=", "|=",
                          "&=", "^=")

    def constant_declaration(self, i, semicolon):
        """A constexpr variable, which a switchable constant makes a const one."""
        is_word = [k for k in range(i, min(i + 3, semicolon)) if self.is_at(k, "constexpr")]
        edits = [(self.tokens[k].start, self.tokens[k].end, "const") for k in is_word]
        for k in range(self.find(i, semicolon, "="), semicolon):
            if self.tokens[k].kind == "number" and not self.is_template_argument(k):
                self.add_constant(k, edits)

    # --- scopes -------------------------------------------------------------------------------

    def scope(self, i, end, is_namespace):
        """Declarations of a namespace or class: the bodies of its functions, and its constants."""
        first = i
        while i < end:
            if self.is_at(i, ";"):
                if is_namespace and self.is_at(first, "constexpr"):
                    self.constant_declaration(first, i)
                first = i = i + 1
            elif self.is_at(i, "{") and i in self.closing:
                first = self.brace(first, i) or first
                i = self.closing[i] + 1
            else:
                i = self.closing.get(i, i) + 1

    def brace(self, first, i):
        """What the brace `i` of a declaration opens; where the next declaration begins, if not in this one."""
        head = [t.text for t in self.tokens[first:i] if t.kind != "string"]
        close = self.closing[i]
        if "namespace" in head or (head[:1] == ["extern"] and "(" not in head):
            self.scope(i + 1, close, True)
            return close + 1
        if "(" not in head or "operator" in head and head[-1] == "=":
            if any(word in head for word in ("class", "struct", "union")):
                self.scope(i + 1, close, False)
            return None
        qualifiers = ("const", "noexcept", "override", "final", "mutable", "try", ")", "}", "&")
        if head[-1] not in qualifiers and "->" not in head:
            return None  # An initializer.
        if "constexpr" not in head and "consteval" not in head:
            self.block(i)
        return close + 1


def next_constant(text):
    """A number other than the one of the literal `text`, or None."""
    whole = re.fullmatch(r"([0-9][0-9']*)([uUlLzZ]*)", text)
    if whole and not (len(whole.group(1)) > 1 and text.startswith("0")):
        return f"{int(whole.group(1).replace(chr(39), '')) + 1}{whole.group(2)}"
    if re.fullmatch(r"0x[0-9a-fA-F']+[uUlL]*", text):
        return f"({text} + 1)"
    if re.fullmatch(r"[0-9.']+(e[+-]?[0-9]+)?f?", text):
        return f"({text} + 1)"
    return None


def mutants_of(text):
    """All mutants of the C++ source `text`, by their place."""
    source = Source(text)
    source.scope(0, len(source.tokens), True)
    return sorted(source.mutants, key=lambda mutant: (mutant.edits[0].start, mutant.operator))


def overlap(one, other):
    """Whether two mutants cannot be in one build."""
    return min(e.start for e in one.edits) <= max(e.end for e in other.edits) and \
        min(e.start for e in other.edits) <= max(e.end for e in one.edits)


def with_mutants(text, numbered):
    """`text` with all of `numbered`, pairs of a number and a mutant; lines keep their numbers plus one."""
    edits = [(edit.start, edit.end, edit.text.replace(f"{SWITCH}(@)", f"{SWITCH}({number})"))
             for number, mutant in numbered for edit in mutant.edits]
    for start, end, replacement in sorted(edits, reverse=True):
        lines = "\n" * (text.count("\n", start, end) - replacement.count("\n"))
        text = text[:start] + replacement + lines + text[end:]
    return f'#include "{HEADER}"\n' + text
