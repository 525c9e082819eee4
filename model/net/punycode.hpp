#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// The Punycode of a label of a host name (RFC 3492 section 6.3), without the prefix `xn--`.
/// Characters are not mapped or checked. Empty if the label is too long for 32-bit arithmetic.
/// O(n²).
std::optional<std::string> encode_punycode(std::u32string_view label);

/// The ASCII form in lower case of a host name in well-formed UTF-8, with `xn--` before the labels
/// that need it (RFC 5890 section 2.3.2.1). Empty if more than lower-casing is needed: for
/// characters other than letters of living scripts with a single spelling, for labels that mix
/// writing directions, and for hosts that no URL can name. O(host), quadratic in the length of a
/// label.
std::optional<std::string> ascii_host(std::string_view host);

} // namespace matchcloud::model
