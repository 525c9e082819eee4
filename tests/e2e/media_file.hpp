#pragma once

#include "tests/e2e/server.hpp"

#include <string>
#include <string_view>

namespace matchcloud::e2e {

/// An image in a data directory, put there by hand: where it must be, and what its URL is. The
/// program takes the digest in a name for granted.
struct media_file {
  std::string upload_id = "00000000-0000-4000-8000-0000000000a1";
  std::string digest = "0123456789abcdef0123456789abcd3f";
  std::string extension = ".png";
  std::string content;

  std::string etag() const { return '"' + digest + '"'; }
  std::string target() const { return "/media/avatars/" + upload_id + "/" + digest + extension; }
  std::string path(const world& in) const;
  void put(const world& into) const;
};

} // namespace matchcloud::e2e
