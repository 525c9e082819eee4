#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// The ASCII form in lower case of a host name in well-formed UTF-8, with `xn--` before the labels
/// that need it (IDNA 2008, RFC 5891). Empty if more than lower-casing is needed, for labels that
/// IDNA refuses, and for hosts that no URL can name.
std::optional<std::string> ascii_host(std::string_view host);

} // namespace matchcloud::model
