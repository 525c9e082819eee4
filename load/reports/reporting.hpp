#pragma once

#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "load/find.hpp"
#include "load/options.hpp"
#include "load/results.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::load {

struct service_view {
  /// The JSON response of the service.
  std::string history;
  /// Where it ends, in seconds since the load began; 0 if it has no points.
  double ends = 0;
};

/// Reads the response to `GET /v1/history`. `began_ms`: when the load began, in milliseconds since
/// 1970. Throws `base::failure` with `io_failed`.
service_view parse_history(std::string_view answer, std::int64_t began_ms);

/// Queries the ops plane of the service under load. Main thread.
class service_watch {
public:
  /// `token_file`: a file with the bearer token to send; if empty, the token in the environment is
  /// used, if any. `ca_file`: as for the load. Queries the service at once, so that a wrong URL is
  /// reported before the load. Throws `base::failure` with `config_invalid` or `io_failed`.
  service_watch(std::string url, const std::string& token_file, std::string ca_file);

  /// The history from `began_ms` on, `seconds` long. Waits until the service has recorded all of
  /// it, but at most 3 s or until a signal. Throws `base::failure` with `io_failed`.
  service_view view(std::int64_t began_ms, double seconds, const cli::interrupt& signals) const;

private:
  std::string ask(const std::string& path) const;

  std::string url_;
  std::string token_;
  std::string ca_file_;
};

/// The page load/reports/page.html, which CMake makes a string. `{run}` stands for the JSON of a
/// run, which the page's script draws.
extern const std::string_view page_template;

/// A page about a run: one HTML file that needs no other files and no network. `run` is its JSON
/// report.
std::string html_page(std::string_view run);

/// All reports of a run. Opens their files before the load begins, so that a missing directory is
/// not reported only after an hour of load. Main thread.
class reporting {
public:
  /// Opens the files and queries the ops plane, if one is given. `options` and `signals` must
  /// outlive this object. Throws `base::failure` with the reason.
  reporting(const options& options, const cli::interrupt& signals);

  /// Writes all reports. `asked`: the options of the run that is shown; `found`: the result of
  /// --find, null without it. Reports failures on stderr. Returns whether all reports were written,
  /// all assertions hold and something was measured.
  bool write(const options& asked, const results& of, const found_capacity* found);

private:
  const options* options_;
  const cli::interrupt* signals_;
  std::optional<cli::output_file> json_;
  std::optional<cli::output_file> page_;
  std::optional<service_watch> watch_;
};

/// Opens a file for a report; nothing if its name is empty. Throws `base::failure` with the reason.
std::optional<cli::output_file> open_output(const std::string& file, const cli::interrupt& signals);
/// Writes and completes a report. Throws `base::failure` with the reason.
void write_all(cli::output_file& to, const std::string& text);

/// Reports on stderr why the program fails.
void complain(const std::string& why);

} // namespace matchcloud::load
