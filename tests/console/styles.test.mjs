// The style sheets of panels are loaded together, so a class that two of them style is a mistake.
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
