#include "base/files/secret_access.hpp"

#include "tests/catch.hpp"

#include <unistd.h>

namespace {

using matchcloud::base::secret_exposure;

std::string exposure(mode_t mode, uid_t owner) {
  struct stat found {};
  found.st_mode = S_IFREG | mode;
  found.st_uid = owner;
  return secret_exposure("/d/keys", found);
}

TEST_CASE("secrets may be their owner's, and the group's of root or of the own user") {
  const auto own = ::geteuid();
  const uid_t another = own + 4'711;
  for (const mode_t mode : {0600U, 0400U, 0000U, 0700U})
    for (const auto owner : {own, uid_t{0}, another})
      CHECK(exposure(mode, owner).empty());
  for (const mode_t mode : {0660U, 0440U, 0640U, 02640U}) {
    CHECK(exposure(mode, own).empty());
    CHECK(exposure(mode, 0).empty());
    const auto refused = exposure(mode, another);
    CHECK(refused.find("group of another user, " + std::to_string(another)) != std::string::npos);
    CHECK(refused.ends_with("run `chmod g-rwx /d/keys`"));
  }
  for (const mode_t mode : {0604U, 0602U, 0601U, 0644U, 0666U})
    for (const auto owner : {own, uid_t{0}, another})
      CHECK(exposure(mode, owner).ends_with("run `chmod o-rwx /d/keys`"));
  CHECK(exposure(0644, own).starts_with("its mode 0644 gives every user of this machine access; "));
}

} // namespace
