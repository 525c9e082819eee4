#include "cli/progress_display.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

namespace matchcloud::cli {

namespace {

constexpr std::chrono::milliseconds interval{200};
const std::string wipe = "\r\x1b[K";

} // namespace

std::string progress_line(std::string_view what, progress_rate rate, std::uint64_t count,
                          std::uint64_t part, std::optional<std::uint64_t> whole, double seconds) {
  auto text = fmt::format("{} {}, ", count, what);
  text += rate == progress_rate::megabytes
              ? fmt::format("{:.1f} MB/s", static_cast<double>(part) / seconds / 1e6)
              : fmt::format("{:.0f}/s", std::floor(static_cast<double>(count) / seconds));
  if (whole && *whole > 0)
    text += fmt::format(", {:.0f} %",
                        std::floor(static_cast<double>(part) * 100 / static_cast<double>(*whole)));
  return text;
}

progress_display::progress_display(const base::clock& clock)
    : clock_{&clock}, terminal_{::isatty(STDERR_FILENO) == 1} {}

progress_display::~progress_display() {
  clear();
}

void progress_display::begin(std::string_view what, std::optional<std::uint64_t> whole,
                             progress_rate rate) {
  clear();
  what_ = what;
  whole_ = whole;
  rate_ = rate;
  begun_ = last_ = clock_->now();
}

void progress_display::show(std::uint64_t count, std::uint64_t part) {
  if (!terminal_) return;
  const auto now = clock_->now();
  if (now - last_ < interval) return;
  last_ = now;
  const auto seconds = std::chrono::duration<double>(now - begun_).count();
  write(progress_line(what_, rate_, count, part, whole_, seconds));
}

void progress_display::announce(std::string_view text) {
  if (terminal_) write(std::string{text});
}

void progress_display::write(const std::string& text) {
  // Not through the stream, which lets nothing control the terminal.
  const auto line = wipe + text;
  shown_ = ::write(STDERR_FILENO, line.data(), line.size()) > 0;
}

void progress_display::clear() {
  if (shown_) static_cast<void>(!::write(STDERR_FILENO, wipe.data(), wipe.size()));
  shown_ = false;
}

} // namespace matchcloud::cli
