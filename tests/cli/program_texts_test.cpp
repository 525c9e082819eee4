#include "cli/completion.hpp"

#include "cli/man_page.hpp"
#include "tests/catch.hpp"
#include "tests/cli/toy_program.hpp"
#include "tests/fixtures/bash_completion.hpp"

#include <cstdlib>

namespace matchcloud::cli {
namespace {

using words = std::vector<std::string>;

words completed(const words& line) {
  const toy_program toy;
  return fixtures::completed(bash_completion(toy.program, "toy-box completion"), "_toy_box", line);
}

TEST_CASE("bash completes commands and subcommands") {
  CHECK(completed({"toy-box", ""}) == words{"store", "stop"});
  CHECK(completed({"toy-box", "stor"}) == words{"store"});
  CHECK(completed({"toy-box", "store", ""}) == words{"copy"});
  CHECK(completed({"toy-box", "none", ""}) == words{"store", "stop"});
}

TEST_CASE("bash completes the flags of the command, but for hidden ones") {
  CHECK(completed({"toy-box", "-"}) == words{"-h", "--help"});
  CHECK(completed({"toy-box", "store", "copy", "--"}) ==
        words{"--help", "--output", "--count", "--force", "--format"});
  CHECK(completed({"toy-box", "store", "copy", "a", "--fo"}) == words{"--force", "--format"});
}

TEST_CASE("bash completes values that are few, files, and no numbers") {
  CHECK(completed({"toy-box", "store", "copy", "--format", ""}) == words{"table", "json"});
  CHECK(completed({"toy-box", "store", "copy", "--format", "=", "j"}) == words{"json"});
  CHECK(completed({"toy-box", "store", "copy", "--format", "="}) == words{"table", "json"});
  CHECK(completed({"toy-box", "store", "copy", "-o", ""}) == words{"<files>"});
  CHECK(completed({"toy-box", "store", "copy", "--count", ""}).empty());
  CHECK(completed({"toy-box", "store", "copy", "--force", ""}) ==
        words{"<files>", "games", "tiers"});
}

std::string page_of(const std::string& path) {
  const toy_program toy;
  for (const auto& each : all_commands(toy.program))
    if (each.path == path) return man_page(toy.program, each, {"toy 1.0-2", "2026-01-31"});
  return {};
}

TEST_CASE("a manual page has what the help says, section by section") {
  CHECK(page_of("toy-box store copy") ==
        R"(.TH "TOY\-BOX\-STORE\-COPY" 1 "2026\-01\-31" "toy 1.0\-2" "User Commands"
.ad l
.nh
.SH NAME
toy\-box\-store\-copy \- Copy a store: \(gatoy\(ga, 1\e2.
.SH SYNOPSIS
\fBtoy\-box store copy\fR [\fIOPTIONS\fR] \fIFROM\fR [\fIKIND\fR]
.SH DESCRIPTION
Copy a store: \fBtoy\fR, 1\e2.
.PP
Copies all.
\&.It is \(aqquick\(aq.
.PP
Lines:
.PP
.RS 4
.nf
a = 1
\&.b = 2
.fi
.RE
.SH ARGUMENTS
.TP
\fIFROM\fR
The source.
.TP
\fIKIND\fR: \fBgames\fR | \fBtiers\fR
What.
.SH OPTIONS
.TP
\fB\-h\fR, \fB\-\-help\fR
Print this help message and exit
.TP
\fB\-o\fR, \fB\-\-output\fR \fITEXT\fR
The target.
Environment: TOY_OUTPUT.
.TP
\fB\-\-count\fR \fIINT\fR
How many.
Allowed: 1 to 9.
Default: 3.
.TP
\fB\-\-force\fR
Even so.
.TP
\fB\-\-format\fR \fBtable\fR | \fBjson\fR
table, or json.
Default: table.
.SH EXIT STATUS
0 done, 1 failed (stderr says why), 2 wrong command line or configuration.
.SH EXAMPLES
.PP
.RS 4
.nf
toy\-box store copy \(ti/a b
.fi
.RE
.PP
in a loop:
.PP
.RS 4
.nf
toy\-box store copy \-\-count 2 a b
.fi
.RE
)");
}

TEST_CASE("the manual page of a program lists its commands") {
  const auto page = page_of("toy-box");
  const auto has = [&](const std::string& part) { return page.find(part) != page.npos; };
  CHECK(has("\ntoy\\-box \\- plays.\n"));
  CHECK(has("\n.SH DESCRIPTION\n.PP\nWith what there is.\n"));
  CHECK(has("\n.SH COMMANDS\n.TP\n\\fBstore\\fR\nWork on a store.\n.TP\n\\fBstop\\fR\n"));
  CHECK(has("\\fBtoy\\-box\\fR [\\fIOPTIONS\\fR] \\fICOMMAND\\fR\n"));
  CHECK(!has("hidden"));
}

TEST_CASE("manual pages have the day of SOURCE_DATE_EPOCH, or none") {
  ::setenv("SOURCE_DATE_EPOCH", "1767225599", 1);
  CHECK(man_page_facts_of_build().date == "2025-12-31");
  ::setenv("SOURCE_DATE_EPOCH", "soon", 1);
  CHECK(man_page_facts_of_build().date.empty());
  ::unsetenv("SOURCE_DATE_EPOCH");
  CHECK(man_page_facts_of_build().date.empty());
  CHECK(man_page_facts_of_build().version.starts_with("matchcloud "));
}

} // namespace
} // namespace matchcloud::cli
