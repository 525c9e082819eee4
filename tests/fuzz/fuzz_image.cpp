// Properties: no input crashes the inspection of images; an accepted image has a name that can be
// parsed back; it is no longer accepted once its end is cut off, and the same image whatever
// follows it.
#include "model/avatars/image_content.hpp"
#include "tests/fixtures/png_image.hpp"

#include <cstdlib>
#include <string>

using namespace matchcloud;

namespace {

void require(bool law) {
  if (!law) std::abort();
}

void check(std::string_view file) {
  const auto found = model::inspect_image(file);
  if (!found)
    return require(found.error().code == base::errc::image_invalid &&
                   !found.error().detail.empty());
  require(found->size_bytes <= file.size());
  const auto image = file.substr(0, found->size_bytes);
  const auto name = model::name_image(image, found->type);
  require(model::parse_image_name(to_string(name)) == name);
  require(!model::inspect_image(image.substr(0, image.size() - 1)));
  for (const auto* rest : {"", "x", "\xFF\xD9", "\xFF\xD8\xFF"})
    require(model::inspect_image(std::string{image} + rest) == *found);
}

/// Reads the input as PNG chunks, each a length byte, four type bytes and the content, and adds the
/// checksums that a fuzzer would never find.
std::string as_png(std::string_view input) {
  std::string image{fixtures::png_start};
  while (input.size() >= 5) {
    const auto type = input.substr(1, 4);
    const auto content = input.substr(5, static_cast<unsigned char>(input[0]));
    image += fixtures::png_chunk(type, content);
    input.remove_prefix(5 + content.size());
  }
  return image.append(input);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(bytes), size};
  check(input);
  check(as_png(input));
  check("\xFF\xD8" + std::string{input});
  return 0;
}
