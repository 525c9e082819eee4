#pragma once

#include "tests/service/server.hpp"

#include <string>
#include <string_view>

namespace matchcloud::e2e {

/// An image that a test puts into a data directory by hand: its path and its URL. The program does
/// not verify the digest in a file name.
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
