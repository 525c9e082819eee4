#include "http/access_log/access_log_settings.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace matchcloud::http {

base::config_rows<access_log_settings> access_log_keys() {
  using mode = std::pair<std::string_view, access_log_mode>;
  using format = std::pair<std::string_view, access_log_format>;
  base::config_rows<access_log_settings> keys{
      base::choice_row(
          "access-log", &access_log_settings::mode,
          std::array{mode{"off", access_log_mode::off}, mode{"errors", access_log_mode::errors},
                     mode{"sampled", access_log_mode::sampled}, mode{"all", access_log_mode::all}},
          "Which requests have a line in the access log. errors: those answered with 400 or more; "
          "sampled: these and one in access-log-one-in of the others. Not with the transport "
          "httplib."),
      base::choice_row("access-log-format", &access_log_settings::format,
                       std::array{format{"json", access_log_format::json},
                                  format{"combined", access_log_format::combined}},
                       "How a line of the access log looks: a JSON object, or the combined log "
                       "format of Apache and nginx."),
      base::text_row("access-log-file", &access_log_settings::file, "a path; empty: stdout",
                     "The file of the access log, which a reload opens again, so that logrotate "
                     "can rename it. Lines are appended."),
      base::number_row("access-log-one-in", &access_log_settings::one_in, 1, 1'000'000'000,
                       "With access-log = sampled, one in this many requests without an error has "
                       "a line."),
  };
  return reloadable(std::move(keys));
}

} // namespace matchcloud::http
