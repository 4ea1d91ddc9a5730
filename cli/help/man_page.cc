#include "cli/help/man_page.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace lockstep::cli {
namespace {

// Escapes a line of text so that nothing in it is markup.
std::string RoffText(std::string_view text) {
  std::string escaped;
  if (text.starts_with('.') || text.starts_with('\'')) escaped += "\\&";
  for (const char byte : text) {
    if (byte == '\\') {
      escaped += "\\e";
    } else if (byte == '-') {
      escaped += "\\-";
    } else {
      escaped += byte;
    }
  }
  return escaped;
}

std::string Paragraph(std::string_view text) { return text.empty() ? "" : RoffText(text) + "\n"; }

std::string ManEntry(std::string_view term, std::string_view text) {
  return absl::StrFormat(".TP\n\\fB%s\\fR\n%s", RoffText(term), Paragraph(text));
}

std::string ManEntries(const Command& command) {
  std::string text;
  for (const CommandArgument& argument : command.arguments) {
    text += ManEntry(argument.name, argument.help);
  }
  for (const CommandFlag& flag : command.flags) text += ManEntry(SpellingOf(flag), flag.help);
  return text;
}

// A section for each verb that is not just a group of others.
std::string VerbSections(const Command& command) {
  std::string text;
  for (const Command& verb : command.verbs) {
    absl::StrAppendFormat(&text, ".SS %s\n%s%s", RoffText(UsageOf(verb)), Paragraph(verb.help),
                          ManEntries(verb));
    text += VerbSections(verb);
  }
  return text;
}

constexpr std::string_view kEnvironment = R"(.SH ENVIRONMENT
.TP
\fBLOCKSTEP_URL\fR
Address of the server to talk to, unless \fB\-\-url\fR names one.
)";

constexpr std::string_view kFiles = R"(.SH FILES
.TP
\fI/etc/lockstep/lockstep.yml\fR
Configuration of the packaged service, in the format of \fBlockstep serve \-\-config\fR.
.TP
\fI/var/lib/lockstep\fR
Its store.
)";

}  // namespace

std::string ManPage(const Command& program, std::string_view version) {
  std::string page = absl::StrFormat(".TH %s 1 \"\" \"%s %s\" \"User Commands\"\n",
                                     absl::AsciiStrToUpper(program.name), program.name, version);
  absl::StrAppendFormat(&page, ".SH NAME\n%s \\- %s\n", program.name, RoffText(program.help));
  absl::StrAppendFormat(&page, ".SH SYNOPSIS\n\\fB%s\\fR \\fIVERB\\fR [\\fIFLAGS\\fR] ...\n",
                        program.name);
  absl::StrAppendFormat(&page, ".SH OPTIONS\n%s", ManEntries(program));
  absl::StrAppendFormat(&page, ".SH COMMANDS\n%s", VerbSections(program));
  page.append(kEnvironment).append(kFiles);
  absl::StrAppendFormat(&page, ".SH EXIT STATUS\n%s", Paragraph(program.footer));
  return page;
}

}  // namespace lockstep::cli
