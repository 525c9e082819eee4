#include "http/access_log/access_log.hpp"

#include "base/log/service_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace matchcloud::http {

namespace {

/// For the owner and the group only, because lines have addresses of clients.
constexpr mode_t file_mode = 0640;

} // namespace

access_log::~access_log() {
  if (owned_) static_cast<void>(owned_->wait_written(base::log_end_limit));
}

base::expected<base::file_descriptor> access_log::open(const access_log_settings& settings) {
  if (settings.mode == access_log_mode::off) return {};
  const bool is_stdout = settings.file.empty();
  // A pipe without a reader is refused instead of waited for.
  base::file_descriptor opened{
      is_stdout
          ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
          : ::open(settings.file.c_str(),
                   O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, file_mode)};
  if (!opened) {
    const int why = errno;
    auto detail = "access-log-file: " + (is_stdout ? "stdout" : settings.file) +
                  " cannot be opened: " + std::generic_category().message(why);
    if (why == ENXIO && settings.file.starts_with("/dev/std"))
      detail += "; it is a socket, as under systemd. Without access-log-file, the access log goes "
                "to stdout";
    return base::fail(base::errc::config_invalid, std::move(detail));
  }
  // Others share stdout, which stays as it is.
  if (!is_stdout)
    static_cast<void>(::fcntl(opened.get(), F_SETFL, ::fcntl(opened.get(), F_GETFL) & ~O_NONBLOCK));
  return opened;
}

void access_log::use(base::file_descriptor opened) {
  if (!opened) return;
  if (owned_) {
    // A write in progress ends in the file in which it began.
    static_cast<void>(::dup3(opened.get(), fd_, O_CLOEXEC));
    return;
  }
  fd_ = opened.release();
  // Dropped lines are counted; a line about them would break the format.
  owned_ = std::make_unique<base::line_writer>(
      fd_, [](std::uint64_t) { return ""; }, access_log_waiting_limit_bytes);
  writer_.store(owned_.get());
}

void access_log::leave() {
  if (!owned_) return;
  static_cast<void>(owned_->wait_written(base::log_end_limit));
  if (const base::file_descriptor nowhere{::open("/dev/null", O_WRONLY | O_CLOEXEC)}; nowhere)
    static_cast<void>(::dup3(nowhere.get(), fd_, O_CLOEXEC));
}

void access_log::write(std::string_view text, std::uint64_t lines) {
  if (auto* to = writer_.load(std::memory_order_relaxed)) to->write_lines(text, lines);
}

void access_log::show(base::metric_set& in) const {
  in.add_counter({"matchcloud_access_log_lines_dropped_total",
                  "Lines of the access log dropped because its file accepted them too slowly or "
                  "not at all."},
                 [this] {
                   const auto* of = writer_.load();
                   return of == nullptr ? 0.0 : static_cast<double>(of->metrics().dropped.get());
                 });
}

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
