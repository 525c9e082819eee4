#include "base/log/writer_sink.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace matchcloud::base {

namespace {

/// By level, from trace to critical, as in spdlog's own sinks.
constexpr std::array<std::string_view, 7> colour_codes{
    "\033[37m",        "\033[36m",        "\033[32m", "\033[33m\033[1m",
    "\033[31m\033[1m", "\033[1m\033[41m", ""};
constexpr std::string_view colour_end = "\033[m";

} // namespace

writer_sink::writer_sink(std::shared_ptr<line_writer> to,
                         std::unique_ptr<spdlog::formatter> formatter, bool colours)
    : base_sink{std::move(formatter)}, to_{std::move(to)}, colours_{colours} {}

std::string writer_sink::render(const spdlog::details::log_msg& line, spdlog::formatter& by,
                                bool colours) {
  spdlog::memory_buf_t formatted;
  by.format(line, formatted);
  const std::string_view all{formatted.data(), formatted.size()};
  const auto begin = line.color_range_start;
  const auto end = line.color_range_end;
  if (!colours || begin >= end) return std::string{all};
  return std::string{all.substr(0, begin)}
      .append(colour_codes.at(static_cast<std::size_t>(line.level)))
      .append(all.substr(begin, end - begin))
      .append(colour_end)
      .append(all.substr(end));
}

void writer_sink::sink_it_(const spdlog::details::log_msg& line) {
  to_->write(render(line, *formatter_, colours_));
}

} // namespace matchcloud::base
