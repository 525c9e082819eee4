#include "store/object_name.hpp"

#include "base/characters.hpp"

#include <spdlog/fmt/fmt.h>

#include <cstdint>
#include <cstring>
#include <functional>

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

std::size_t image_key_hash::operator()(const image_key& key) const noexcept {
  std::uint64_t digest = 0;
  std::memcpy(&digest, key.name.digest.data(), sizeof digest);
  return std::hash<model::uuid>{}(key.upload_id) ^ static_cast<std::size_t>(digest);
}

object_name images_folder() {
  return *object_name::parse("media");
}

object_name object_of(const image_key& key) {
  const auto digest = model::digest_text(key.name);
  return *object_name::parse(fmt::format("media/{}/{}.{}", digest.substr(digest.size() - 2),
                                         model::to_string(key.upload_id),
                                         model::to_string(key.name)));
}

std::string image_disposition(const image_key& key) {
  return fmt::format("inline; filename=\"avatar-{}{}\"", model::to_string(key.upload_id),
                     model::extension(key.name.type));
}

} // namespace matchcloud::store
