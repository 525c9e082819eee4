#include "store/local_author.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <string>

namespace matchcloud::store {

std::string name_of_user(uid_t uid) {
  std::array<char, 4096> buffer;
  passwd entry{};
  passwd* found = nullptr;
  const bool is_known =
      ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return is_known ? entry.pw_name : std::string{};
}

const model::audit_author& local_author() {
  static const auto author = [] {
    model::audit_author made;
    made.id = std::to_string(::getuid());
    made.name = name_of_user(::getuid());
    return made;
  }();
  return author;
}

} // namespace matchcloud::store
