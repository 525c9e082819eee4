#include "app/demo/demo_characters.hpp"

#include <initializer_list>

namespace matchcloud::app {

namespace {

/// A bubble in the water, or a spot on the skin.
struct bubble {
  point middle;
  double radius = 0;
};

void paint_sea(canvas& on) {
  on.fill(whole_picture(), {0x67DCD6, 0x0B4F84});
  // Rays of light.
  const paint light{0xFFFFFF, 0x67DCD6, 0.16, 0.1};
  on.fill(polygon({{-0.7, -1.1}, {-0.42, -1.1}, {-0.34, 1.1}, {0.02, 1.1}}), light);
  on.fill(polygon({{-0.1, -1.1}, {0.16, -1.1}, {0.86, 1.1}, {0.34, 1.1}}), light);
  on.fill(polygon({{0.5, -1.1}, {0.7, -1.1}, {1.5, 1.1}, {1, 1.1}}), light);
  for (const auto& [middle, radius] :
       {bubble{{-0.80, -0.55}, 0.07}, bubble{{-0.66, -0.78}, 0.04}, bubble{{0.82, -0.70}, 0.055},
        bubble{{0.70, -0.48}, 0.03}, bubble{{0.88, 0.0}, 0.04}, bubble{{-0.90, 0.05}, 0.035}}) {
    on.fill(disc(middle, radius), {0xD8FBFF, 0x8FE6EA, 0.55});
    on.fill(disc({middle.x - 0.3 * radius, middle.y - 0.35 * radius}, 0.3 * radius),
            {0xFFFFFF, 0xFFFFFF, 0.9});
  }
}

void paint_flippers(canvas& on) {
  on.fill_both(smooth({{0.4, 0.34},
                       {0.66, 0.3},
                       {0.92, 0.5},
                       {1.02, 0.84},
                       {0.9, 0.94},
                       {0.7, 0.8},
                       {0.44, 0.66}}),
               {0xA6E07C, 0x4D9F5C});
  for (const auto& [middle, radius] :
       {bubble{{0.66, 0.50}, 0.05}, bubble{{0.80, 0.60}, 0.045}, bubble{{0.76, 0.74}, 0.04},
        bubble{{0.90, 0.76}, 0.035}, bubble{{0.60, 0.62}, 0.035}})
    on.fill_both(disc(middle, radius), {0x5AA862, 0x4A9358, 0.6});
}

void paint_shell(canvas& on) {
  const auto rim = smooth({{-0.22, -0.89},
                           {0.22, -0.89},
                           {0.62, -0.74},
                           {0.86, -0.38},
                           {0.91, 0.08},
                           {0.78, 0.48},
                           {0.4, 0.66},
                           {0, 0.7},
                           {-0.4, 0.66},
                           {-0.78, 0.48},
                           {-0.91, 0.08},
                           {-0.86, -0.38},
                           {-0.62, -0.74}});
  on.fill(rim, {0xF0D48A, 0xB98C48});
  const auto shell = smooth({{-0.2, -0.79},
                             {0.2, -0.79},
                             {0.55, -0.66},
                             {0.77, -0.34},
                             {0.81, 0.08},
                             {0.69, 0.43},
                             {0.36, 0.58},
                             {0, 0.62},
                             {-0.36, 0.58},
                             {-0.69, 0.43},
                             {-0.81, 0.08},
                             {-0.77, -0.34},
                             {-0.55, -0.66}});
  on.fill(shell, {0x1C7F7D, 0x0D4557});
  constexpr double seam = 0.035;
  on.fill(polygon({{-0.2, -0.66},
                   {0.2, -0.66},
                   {0.28, -0.36},
                   {0.15, -0.12},
                   {-0.15, -0.12},
                   {-0.27, -0.36}},
                  seam),
          {0x62D3B0, 0x2F9D90, 1, 0, &shell});
  on.fill_both(
      polygon({{0.29, -0.62}, {0.5, -0.58}, {0.68, -0.32}, {0.58, -0.14}, {0.36, -0.33}}, seam),
      {0x52C4A8, 0x258B87, 1, 0, &shell});
  on.fill_both(
      polygon({{0.25, -0.1}, {0.36, -0.25}, {0.58, -0.05}, {0.72, 0.06}, {0.6, 0.36}, {0.34, 0.3}},
              seam),
      {0x3FB89F, 0x1F7F80, 1, 0, &shell});
  on.fill_both(polygon({{0.7, -0.22}, {0.85, -0.2}, {0.85, 0}, {0.76, -0.02}, {0.66, -0.1}}, seam),
               {0x3FB89F, 0x1F7F80, 1, 0, &shell});
  on.fill(oval({-0.2, -0.56}, 0.48, 0.2), {0xE8FFF0, 0xE8FFF0, 0.38, 0.32, &shell});
  // The shadow of the head.
  on.fill(oval({0, 0.36}, 0.58, 0.48), {0x06303F, 0x06303F, 0.6, 0.3, &rim});
}

void paint_turtle_head(canvas& on) {
  const auto head = smooth({{-0.13, -0.2},
                            {0.13, -0.2},
                            {0.39, -0.09},
                            {0.53, 0.16},
                            {0.57, 0.44},
                            {0.42, 0.72},
                            {0.18, 0.83},
                            {0, 0.84},
                            {-0.18, 0.83},
                            {-0.42, 0.72},
                            {-0.57, 0.44},
                            {-0.53, 0.16},
                            {-0.39, -0.09}});
  on.fill(head, {0xC0EC8C, 0x63B463});
  on.fill(oval({-0.08, -0.02}, 0.3, 0.14), {0xF0FFC8, 0xF0FFC8, 0.6, 0.24, &head});
  on.fill(oval({0, 0.86}, 0.5, 0.2), {0x2C7F55, 0x2C7F55, 0.45, 0.28, &head});
  const paint spots{0x6FB862, 0x5EA95C, 0.7};
  on.fill(oval({0, -0.02}, 0.05, 0.0425), spots);
  on.fill_both(oval({0.13, 0.02}, 0.035, 0.02975), spots);
  on.fill_both(oval({0.07, 0.09}, 0.028, 0.0238), spots);
}

void paint_turtle_face(canvas& on) {
  on.fill_both(oval({0.36, 0.52}, 0.1, 0.065), {0xFF8F7A, 0xFF8F7A, 0.55, 0.07});
  on.fill_both(oval({0.26, 0.27}, 0.155, 0.18), {0xFFFFFF, 0xE4F4EA});
  on.fill_both(oval({0.25, 0.28}, 0.115, 0.14), {0x1F6A86, 0x0B2E44});
  on.fill_both(oval({0.25, 0.35}, 0.08, 0.06), {0x4FD0D8, 0x4FD0D8, 0.75, 0.08});
  on.fill_both(oval({0.25, 0.27}, 0.06, 0.08), {0x081C2A, 0x081C2A});
  for (const auto x : {-0.25, 0.25})
    paint_gleam(on, {x, 0.24}, 0.04);
  on.fill_both(oval({0.045, 0.5}, 0.014, 0.02), {0x2F6E48, 0x2F6E48});
  on.fill_both(line({0, 0.64}, {0.17, 0.66}, {0.25, 0.56}, 0.018), {0x2B6B46, 0x2B6B46});
}

} // namespace

void paint_tide_turtle(canvas& on) {
  paint_sea(on);
  paint_flippers(on);
  paint_shell(on);
  paint_turtle_head(on);
  paint_turtle_face(on);
}

} // namespace matchcloud::app
