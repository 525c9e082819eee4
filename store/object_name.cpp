#include "store/object_name.hpp"

#include "base/characters.hpp"

namespace matchcloud::store {

namespace {

/// The longest file name that every file system allows.
constexpr std::size_t part_limit_bytes = 255;

constexpr base::character_set part_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; }};

bool is_part(std::string_view text) noexcept {
  return !text.empty() && text.size() <= part_limit_bytes && text != "." && text != ".." &&
         part_characters.contains_all(text);
}

} // namespace

std::optional<object_name> object_name::parse(std::string_view text) {
  if (text.size() > object_name_limit_bytes) return std::nullopt;
  for (auto rest = text;;) {
    const auto slash = rest.find('/');
    if (!is_part(rest.substr(0, slash))) return std::nullopt;
    if (slash == rest.npos) return object_name{text};
    rest.remove_prefix(slash + 1);
  }
}

} // namespace matchcloud::store
