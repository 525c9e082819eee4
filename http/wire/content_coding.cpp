#include "http/wire/content_coding.hpp"

#include "http/wire/list_elements.hpp"

#include <algorithm>
#include <optional>

namespace matchcloud::http {

namespace {

/// Whether a weight (`q=0.5`) is above 0; nothing where `parameter` is not a weight.
std::optional<bool> read_weight(std::string_view parameter) noexcept {
  if (parameter.size() < 3 || !equal_ignoring_case(parameter.substr(0, 2), "q="))
    return std::nullopt;
  const auto value = parameter.substr(2);
  if (value.size() > 5 || (value.front() != '0' && value.front() != '1')) return std::nullopt;
  if (value.size() > 1 && value[1] != '.') return std::nullopt;
  const auto digits = value.size() > 2 ? value.substr(2) : std::string_view{};
  const char most = value.front() == '1' ? '0' : '9';
  if (!std::all_of(digits.begin(), digits.end(), [most](char c) { return c >= '0' && c <= most; }))
    return std::nullopt;
  return value.find_first_of("123456789") != std::string_view::npos;
}

/// Whether an element with these parameters accepts its coding.
bool is_taken(std::string_view parameters) noexcept {
  while (!parameters.empty()) {
    const auto weight = read_weight(take_until(parameters, ';'));
    if (!weight || !*weight) return false;
  }
  return true;
}

} // namespace

bool accepts_gzip(std::string_view accept_encoding) noexcept {
  bool by_star = false;
  auto rest = accept_encoding;
  while (auto element = take_element(rest)) {
    const auto coding = take_until(*element, ';');
    if (equal_ignoring_case(coding, "gzip") || equal_ignoring_case(coding, "x-gzip"))
      return is_taken(*element); // naming the coding overrides `*`
    if (coding == "*") by_star = is_taken(*element);
  }
  return by_star;
}

bool accepts_gzip(const request& by) noexcept {
  return accepts_gzip(by.get(header::accept_encoding));
}

} // namespace matchcloud::http
