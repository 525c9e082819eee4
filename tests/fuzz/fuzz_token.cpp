// Everything that reads a token or about tokens: the text, what makes one, a rotation, a policy.
#include "model/access/access_token.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace matchcloud::model;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  constexpr std::int64_t now_ms = 1'800'000'000'000;
  if (check_token_text(text) && !has_token(text)) std::abort();
  const auto shown = redact_tokens(std::string{text});
  // What is shown has no token left, and is shown again as it is.
  if (has_token(shown) || redact_tokens(shown) != shown) std::abort();
  if (const auto wanted = parse_new_token(text, now_ms))
    if (!check_new_token(*wanted, now_ms)) std::abort();
  if (const auto grace = parse_rotation(text))
    if (*grace < 0 || *grace > rotation_grace_limit_ms) std::abort();
  if (const auto policy = parse_rate_policy(text))
    if (const auto again = parse_rate_policy(to_string(*policy));
        !again || again->quota != policy->quota || again->window_s != policy->window_s)
      std::abort();
  return 0;
}
