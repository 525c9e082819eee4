#include "base/log/log_limit.hpp"

#include <algorithm>

namespace matchcloud::base {

namespace {

/// Long enough to tell lines apart, and a bound on the memory of a kind.
constexpr std::size_t kind_limit_bytes = 256;

/// Whether a character is part of a word, such as an id.
bool is_of_word(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_' || c == '.';
}

} // namespace

std::string log_limit::kind_of(int level, std::string_view line) {
  std::string kind{static_cast<char>('0' + level)};
  for (std::size_t at = 0; at < line.size() && kind.size() < kind_limit_bytes;) {
    const auto begin = at;
    bool has_digit = false;
    for (; at < line.size() && is_of_word(line[at]); ++at)
      has_digit = has_digit || (line[at] >= '0' && line[at] <= '9');
    if (at == begin)
      kind += line[at++];
    else if (has_digit)
      kind += '#';
    else
      kind += line.substr(begin, at - begin);
  }
  return kind;
}

bool log_limit::admit(int level, std::string_view line) {
  const auto now = clock_->now();
  auto kind = kind_of(level, line);
  if (kinds_.size() >= log_kinds_limit && !kinds_.contains(kind)) kind.clear();
  auto& of = kinds_[std::move(kind)];
  if (of.written == 0) of.until = now + log_window;
  if (of.written < log_lines_limit) {
    ++of.written;
    return true;
  }
  if (of.rest.count++ == 0) {
    of.rest.level = level;
    of.rest.line = line;
  }
  return false;
}

std::vector<log_limit::left_out> log_limit::take_over(bool all) {
  const auto now = clock_->now();
  std::vector<left_out> taken;
  std::erase_if(kinds_, [&](auto& each) {
    if (!all && each.second.until > now) return false;
    if (each.second.rest.count > 0) taken.push_back(std::move(each.second.rest));
    return true;
  });
  // Whatever the order of the table is.
  std::ranges::sort(taken, {}, &left_out::line);
  return taken;
}

std::string describe(const log_limit::left_out& lines) {
  return std::to_string(lines.count) + " more lines like this within " +
         std::to_string(log_window.count() / 1'000) + " s: " + lines.line;
}

} // namespace matchcloud::base
