#pragma once

#include "base/expected.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "load/find/find.hpp"
#include "load/options.hpp"
#include "load/reports/service_view.hpp"
#include "load/results.hpp"

#include <functional>
#include <optional>
#include <string>

namespace matchcloud::load {

struct report_subject;

/// All reports of a run. Opens their files before the load begins, so that a missing directory is
/// not reported only after an hour of load. Main thread.
class reporting {
public:
  /// `options` and `signals` must outlive this object.
  reporting(const options& options, const cli::interrupt& signals)
      : options_{&options}, signals_{&signals} {}

  /// Opens the files and queries the ops plane, if one is given. Fails with the reason.
  base::expected<void> begin();
  /// Writes all reports. `asked`: the options of the run that is shown; `found`: the result of
  /// --find, null without it. Reports failures on stderr. Returns whether all reports were written,
  /// all assertions hold and something was measured.
  bool write(const options& asked, const results& of, const found_capacity* found);

private:
  /// Opens `file` unless its name is empty.
  base::expected<void> open(std::optional<cli::output_file>& output, const std::string& file);
  bool write_text(const report_subject& about) const;
  bool write_files(const report_subject& about);

  const options* options_;
  const cli::interrupt* signals_;
  std::optional<cli::output_file> json_;
  std::optional<cli::output_file> hdr_;
  std::optional<cli::output_file> page_;
  std::optional<service_watch> watch_;
};

/// Writes the result of `make` to `file`, unless its name is empty. Fails with the reason.
base::expected<void> write_file(const std::string& file, const cli::interrupt& signals,
                                const std::function<std::string()>& make);

/// Reports on stderr why the program fails.
void complain(const std::string& why);

} // namespace matchcloud::load
