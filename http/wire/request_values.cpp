// What headers of a request say. Apart from request.cpp, where the code for ids would keep the
// compiler from joining what appends headers: 3 % of the instructions of framing.
#include "http/wire/request.hpp"

#include "base/hexadecimal.hpp"
#include "http/wire/header_characters.hpp"
#include "model/access/token_text.hpp"
#include "model/text/trace_context.hpp"

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

std::string_view trace_id_of(const request& of) noexcept {
  return model::trace_id_of(of.get(header::traceparent));
}

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

bool is_sane_request_id(std::string_view id) noexcept {
  constexpr std::size_t length_limit = 128;
  const auto sane = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"-_.:/+=@"}.find(c) != std::string_view::npos;
  };
  return !id.empty() && id.size() <= length_limit && std::all_of(id.begin(), id.end(), sane);
}

request_id_source::request_id_source(std::uint64_t seed) noexcept
    : seed_{base::hexadecimal_of(seed)} {}

void request_id_source::assign(request& to) {
  const auto& sent = to.get(header::x_request_id);
  // Ids are logged, and a token must not be.
  if (is_sane_request_id(sent) && !model::has_token(sent))
    to.id = sent;
  else
    set_next(to.id);
}

std::string request_id_source::next() {
  std::string id;
  set_next(id);
  return id;
}

void request_id_source::set_next(std::string& id) {
  const auto number = base::hexadecimal_of(++count_);
  id.assign(seed_.data(), seed_.size()).append(number.data(), number.size());
}

} // namespace matchcloud::http
