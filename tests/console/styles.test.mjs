// What the style sheets alone can show. Those of panels are loaded together, so a class that two of
// them style is a mistake.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const folder = new URL("../../console/src/styles/", import.meta.url);
// docs.css belongs to another page.
const shared = new Set(["main.css", "theme.css", "base.css", "shell.css", "controls.css",
  "panels.css", "docs.css"]);

/** The classes that selectors name without any other class: `.tile`, `.tile:hover strong`. */
function bareClasses(css) {
  const selectors = css.replace(/\/\*.*?\*\//gs, "").split(/[{}]/)
    .filter((text) => !/^\s*@|:\s.*;/s.test(text)).flatMap((text) => text.split(","));
  return new Set(selectors.map((one) => /^\s*\.([a-z][a-z0-9-]*)(?=[\s:>]|$)[^.]*$/.exec(one)?.[1])
    .filter(Boolean));
}

test("no class is styled by the sheets of two panels", () => {
  const owners = new Map();
  for (const name of readdirSync(folder).filter((one) => !shared.has(one))) {
    for (const found of bareClasses(readFileSync(new URL(name, folder), "utf8"))) {
      owners.set(found, [...owners.get(found) ?? [], name]);
    }
  }
  assert.deepEqual([...owners].filter(([, names]) => names.length > 1), []);
});

/** A color #rrggbb in Oklab, where equal distances look about equally large. */
function oklab(hex) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const [l, m, s] = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.63]]
    .map(([x, y, z]) => Math.cbrt(x * r + y * g + z * b));
  return [0.2105 * l + 0.7936 * m - 0.0041 * s, 1.978 * l - 2.4286 * m + 0.4506 * s,
    0.0259 * l + 0.7828 * m - 0.8087 * s];
}

test("no two series of a chart have nearly the same color", () => {
  const css = readFileSync(new URL("theme.css", folder), "utf8");
  const colors = [...css.matchAll(
    /--(series-\w+|faint): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)];
  assert.equal(colors.length, 7);
  for (const theme of [2, 3]) {
    for (const one of colors) {
      for (const other of colors.slice(colors.indexOf(one) + 1)) {
        const distance = Math.hypot(...oklab(one[theme]).map((x, axis) =>
          x - oklab(other[theme])[axis]));
        assert.ok(distance > 0.15, `${one[1]} and ${other[1]}: ${distance.toFixed(3)}`);
      }
    }
  }
});
