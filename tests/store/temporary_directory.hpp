#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace matchcloud::store {

/// A directory that goes with its contents when this does.
class temporary_directory {
public:
  temporary_directory() {
    std::string name = (std::filesystem::temp_directory_path() / "matchcloud-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const noexcept { return path_; }

private:
  std::string path_;
};

} // namespace matchcloud::store
