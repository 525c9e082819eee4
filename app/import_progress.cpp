#include "app/import_progress.hpp"

#include <unistd.h>

#include <chrono>
#include <iostream>

namespace matchcloud::app {

namespace {

constexpr std::chrono::milliseconds interval{200};
constexpr const char* wipe = "\r\x1b[K";

} // namespace

import_progress::import_progress(const base::clock& clock)
    : clock_{&clock}, terminal_{::isatty(STDERR_FILENO) == 1} {}

import_progress::~import_progress() {
  clear();
}

void import_progress::begin(std::string_view what, std::optional<std::uint64_t> whole) {
  clear();
  what_ = what;
  whole_ = whole;
  begun_ = last_ = clock_->now();
}

void import_progress::show(std::uint64_t count, std::uint64_t part) {
  if (!terminal_) return;
  const auto now = clock_->now();
  if (now - last_ < interval) return;
  last_ = now;
  const auto seconds = std::chrono::duration<double>(now - begun_).count();
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(count) / seconds);
  std::string text = wipe;
  text.append(std::to_string(count)).append(" ").append(what_).append(", ");
  text.append(std::to_string(rate)).append("/s");
  if (whole_ && *whole_ > 0)
    text.append(", ").append(std::to_string(part * 100 / *whole_)).append(" %");
  std::cerr << text << std::flush;
  shown_ = true;
}

void import_progress::clear() {
  if (shown_) std::cerr << wipe << std::flush;
  shown_ = false;
}

} // namespace matchcloud::app
