#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// A label of a host name in the ASCII form of RFC 3492 section 6.3, without `xn--` before it. Its
/// characters are taken as they are. Empty where it is too long for 32-bit arithmetic. O(n²).
std::optional<std::string> encode_punycode(std::u32string_view label);

/// The ASCII form of a host name, well-formed UTF-8, in lower case, with `xn--` before the labels
/// that need it (RFC 5890 section 2.3.2.1). Empty where that takes more than lower case: characters
/// outside of the letters of living scripts that have one spelling, labels that mix directions of
/// writing, hosts that no URL can name. O(host), n² in a label.
std::optional<std::string> ascii_host(std::string_view host);

} // namespace matchcloud::model
