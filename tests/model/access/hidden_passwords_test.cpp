#include "model/access/hidden_passwords.hpp"

#include "tests/catch.hpp"

namespace matchcloud::model {
namespace {

TEST_CASE("a text is shown without the passwords of its URLs") {
  CHECK(hide_passwords("s3://AKIA:se/cret@bucket/x") == "s3://***@bucket/x");
  CHECK(hide_passwords("'https://me:a@b:c@host:1' is not valid (\"http://x:y@z\").") ==
        "'https://***@host:1' is not valid (\"http://***@z\").");
  CHECK(hide_passwords("AKIA:secret@bucket, and u:p@h") == "***@bucket, and ***@h");
  CHECK(hide_passwords("://:@") == "://***@");
}

TEST_CASE("a text without passwords stays as it is") {
  for (const std::string text :
       {"", "@", "a@b", "postgresql://[USER@]HOST[:PORT]/DATABASE", "https://user@host:1/",
        "127.0.0.1:8080", "s3://bucket/a", "one two", "a:b c@d"}) {
    CAPTURE(text);
    CHECK(hide_passwords(text) == text);
  }
}

} // namespace
} // namespace matchcloud::model
