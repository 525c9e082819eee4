#include "store/local_author.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <string>

namespace matchcloud::store {

const model::audit_author& local_author() {
  static const auto author = [] {
    const auto uid = ::getuid();
    model::audit_author made;
    made.id = std::to_string(uid);
    std::array<char, 4096> buffer;
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
      made.name = entry.pw_name;
    return made;
  }();
  return author;
}

} // namespace matchcloud::store
