#include "cli/terminal_text.hpp"

#include "model/text/unicode.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace matchcloud::cli {

bool wants_colours(std::string_view when) {
  if (when != "auto") return when == "always";
  const auto value = [](const char* name) {
    const char* text = std::getenv(name); // NOLINT(concurrency-mt-unsafe): before any thread
    return std::string_view{text == nullptr ? "" : text};
  };
  return value("NO_COLOR").empty() && value("TERM") != "dumb" && ::isatty(STDOUT_FILENO) == 1;
}

namespace {

constexpr std::array sequences{sgr_plain,      sgr_bold,        sgr_bold_red,
                               sgr_bold_green, sgr_bold_yellow, sgr_green};

/// The sequence of ours that `text` begins with; empty if it has none.
std::string_view own_sequence(std::string_view text) {
  const auto* const found = std::ranges::find_if(
      sequences, [text](std::string_view each) { return text.starts_with(each); });
  return found == sequences.end() ? std::string_view{} : *found;
}

} // namespace

std::string terminal_text(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto [c, bytes] = model::decode_utf8(text);
    auto taken = bytes;
    if (bytes == 0) {
      shown += "\uFFFD";
      taken = 1;
    } else if (const auto own = own_sequence(text); !own.empty()) {
      shown += own;
      taken = own.size();
    } else if (c != U'\n' && c != U'\t' && (model::is_control(c) || model::is_bidirectional(c))) {
      shown += model::escaped(c);
    } else {
      shown += text.substr(0, bytes);
    }
    text.remove_prefix(taken);
  }
  return shown;
}

terminal_filter::terminal_filter(std::ostream& of) : of_{of}, to_{of.rdbuf(this)} {}

terminal_filter::~terminal_filter() {
  of_.flush();
  of_.rdbuf(to_);
}

terminal_filter::int_type terminal_filter::overflow(int_type byte) {
  const auto one = traits_type::to_char_type(byte);
  // A part of a longer character is judged by nobody.
  if (static_cast<unsigned char>(one) >= 0x80) return to_->sputc(one);
  return xsputn(&one, 1) == 1 ? byte : traits_type::eof();
}

std::streamsize terminal_filter::xsputn(const char* text, std::streamsize size) {
  const auto shown = terminal_text({text, static_cast<std::size_t>(size)});
  const auto written = to_->sputn(shown.data(), static_cast<std::streamsize>(shown.size()));
  return written == static_cast<std::streamsize>(shown.size()) ? size : 0;
}

int terminal_filter::sync() {
  return to_->pubsync();
}

} // namespace matchcloud::cli
