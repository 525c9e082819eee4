#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace matchcloud::cli {

/// Whether text on stdout has colours. `when`: `always`, `never`, or `auto`, which uses colours
/// only on a terminal and follows https://no-color.org. Call before any thread is started.
bool wants_colours(std::string_view when = "auto");

// SGR sequences (Select Graphic Rendition, ECMA-48 section 8.3.117): all that programs print.
inline constexpr std::string_view sgr_plain = "\x1b[0m";
inline constexpr std::string_view sgr_bold = "\x1b[1m";
inline constexpr std::string_view sgr_bold_red = "\x1b[1;31m";
inline constexpr std::string_view sgr_bold_green = "\x1b[1;32m";
inline constexpr std::string_view sgr_bold_yellow = "\x1b[1;33m";
inline constexpr std::string_view sgr_green = "\x1b[32m";

/// `text` as a terminal may get it: characters that control a terminal or reorder a line are
/// written like `\u001b`, as in JSON, but for line ends, tabs and the sequences above. Bytes that
/// are not UTF-8 become U+FFFD.
std::string terminal_text(std::string_view text);

/// Writes everything that a stream gets as `terminal_text`, until it is destroyed. Data such as CSV
/// are written to descriptors and stay as they are. Programs have one for stdout and one for
/// stderr; their threads do not print at the same time.
class terminal_filter final : public std::streambuf {
public:
  explicit terminal_filter(std::ostream& of);
  terminal_filter(const terminal_filter&) = delete;
  terminal_filter& operator=(const terminal_filter&) = delete;
  ~terminal_filter() override;

protected:
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

private:
  std::ostream& of_;
  std::streambuf* to_;
};

} // namespace matchcloud::cli
