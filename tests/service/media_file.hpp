#pragma once

#include "tests/service/server.hpp"

#include <string>
#include <string_view>

namespace matchcloud::e2e {

/// An image of any content: its path and its URL. The program does not verify the digest in a file
/// name.
struct media_file {
  std::string extension = ".png";
  std::string content;
  /// Known once an avatar has the image.
  std::string upload_id = {};
  std::string digest = {};

  std::string etag() const { return '"' + digest + '"'; }
  std::string target() const { return "/media/avatars/" + upload_id + "/" + digest + extension; }
  std::string path(const world& in) const;
  /// Imports an avatar of the second game, with a small image in the place of this one.
  void refer(const world& in);
  /// Puts the content in the place of the image.
  void write(const world& in) const;
  void put(const world& into) {
    refer(into);
    write(into);
  }
};

} // namespace matchcloud::e2e
