#pragma once

#include "app/reports/validated_file.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// Renders validated files as what `validate` prints on stdout. The results must be printed in the
/// order of the calls. One thread.
class findings_report {
public:
  findings_report() = default;
  findings_report(const findings_report&) = delete;
  findings_report& operator=(const findings_report&) = delete;
  virtual ~findings_report() = default;

  virtual std::string begin() { return {}; }
  virtual std::string add(const validated_file& file) = 0;
  virtual std::string end() { return {}; }
};

/// The format of compilers: `FILE:LINE:COLUMN: CODE: MESSAGE`, then the line and a caret.
std::unique_ptr<findings_report> make_text_report(bool colours);
/// One JSON object: `{"files":[{"file","kind","errors":[..]}],"findings":N}`.
std::unique_ptr<findings_report> make_json_report();
/// A log of SARIF 2.1.0 (OASIS), for editors and code scanning.
std::unique_ptr<findings_report> make_sarif_report();
/// Workflow commands of GitHub Actions, which annotate the lines of a change with findings.
std::unique_ptr<findings_report> make_github_report();

/// `text` with U+FFFD in place of bytes that are not UTF-8, because file names may be any bytes.
std::string well_formed(std::string_view text);

/// A file's name for a line of text: invisible characters are escaped.
std::string printable_name(std::string_view file);

} // namespace matchcloud::app
