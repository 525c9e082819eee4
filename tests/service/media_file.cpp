#include "tests/service/media_file.hpp"

#include <filesystem>
#include <fstream>

namespace matchcloud::e2e {

std::string media_file::path(const world& in) const {
  return in.data_dir() + "/media/" + digest.substr(30) + "/" + upload_id + "." + digest + extension;
}

void media_file::put(const world& into) const {
  const auto where = path(into);
  std::filesystem::create_directories(where.substr(0, where.rfind('/')));
  std::ofstream{where, std::ios::binary} << content;
}

} // namespace matchcloud::e2e
