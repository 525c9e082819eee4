#include "base/log/service_log.hpp"

#include "base/clock.hpp"
#include "base/events/log_source.hpp"
#include "base/log/log_limit.hpp"
#include "base/log/writer_sink.hpp"

#include <spdlog/details/os.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace matchcloud::base {

namespace {

/// Makes a log line about dropped lines.
line_writer::drop_note drop_note_with(std::shared_ptr<spdlog::formatter> formatter, bool colours) {
  return [formatter = std::move(formatter), colours](std::uint64_t lines) {
    const auto text = std::to_string(lines) + (lines == 1 ? " line was" : " lines were") +
                      " dropped here, because stderr accepted them too slowly or not at all";
    const auto count = std::to_string(lines);
    return writer_sink::render({source_of(log_event::lines_dropped, count.c_str()), "matchcloud",
                                spdlog_level(row_of(log_event::lines_dropped).level), text},
                               *formatter, colours);
  };
}

void write_lines(line_writer& to, std::string_view lines) {
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    to.write(std::string{lines.substr(0, end)} + "\n");
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

} // namespace

service_log::service_log() {
  const bool colours =
      spdlog::details::os::in_terminal(stderr) && spdlog::details::os::is_color_terminal();
  to_stderr_ = std::make_shared<line_writer>(STDERR_FILENO,
                                             drop_note_with(make_log_formatter(format_), colours));
  bounded_ = std::make_shared<bounded_sink>(
      std::make_shared<writer_sink>(to_stderr_, make_log_formatter(format_), colours));
  auto logger = std::make_shared<spdlog::logger>("matchcloud", bounded_);
  // `is_logged` has already checked the level.
  logger->set_level(spdlog::level::trace);
  // Replaces spdlog's own handler, which writes to stderr.
  logger->set_error_handler([to = to_stderr_](const std::string&) { to->drop(); });
  spdlog::set_default_logger(std::move(logger));
}

service_log::~service_log() {
  finish();
}

void service_log::say(std::string_view lines) {
  write_lines(*to_stderr_, lines);
}

void service_log::print(std::string_view lines) {
  static_cast<void>(to_stderr_->wait_written(log_end_limit));
  // No note about lines that do not fit: few lines are printed.
  to_stdout_ = std::make_unique<line_writer>(STDOUT_FILENO, [](std::uint64_t) { return ""; });
  write_lines(*to_stdout_, lines);
  to_stdout_->end();
}

void service_log::sum_up_each_second() {
  spdlog::flush_every(std::chrono::seconds{1});
}

void service_log::finish() {
  const auto until = machine_clock().now() + log_end_limit;
  bounded_->finish();
  static_cast<void>(to_stderr_->wait_written(log_end_limit));
  if (!to_stdout_) return;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - machine_clock().now());
  static_cast<void>(to_stdout_->wait_written(std::max(left, std::chrono::milliseconds{0})));
}

void log_to_stderr() {
  const auto bounded =
      std::make_shared<bounded_sink>(std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  bounded->set_formatter(make_log_formatter());
  auto logger = std::make_shared<spdlog::logger>("matchcloud", bounded);
  logger->set_level(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

} // namespace matchcloud::base
