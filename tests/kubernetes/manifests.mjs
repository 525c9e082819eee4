// Checks the objects in the YAML files of a folder against the schemas of Kubernetes' API:
//
//   node manifests.mjs FOLDER
//
// Prints {"objects": [..], "kustomization": {..}, "problems": ["FILE: .."]}. A field that no schema
// knows is a problem: the API server would drop it, or kubectl refuse it.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

// kubectl reads YAML 1.1, where 0440 is octal.
const yaml = { version: "1.1" };
const kustomization = "kustomization.yaml";

async function modelOf(object) {
  try {
    return (await import(`kubernetes-models/${object.apiVersion}/${object.kind}`))[object.kind];
  } catch {
    throw new Error(`there is no schema of ${object.apiVersion} ${object.kind}`);
  }
}

// The validators of kubernetes-models read the fields that they know, and ignore the others. So
// what they do not read is unknown.
function watched(value, path, unread) {
  if (value === null || typeof value !== "object") return value;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  for (const name of names) unread.add(`${path}/${name}`);
  return new Proxy(value, {
    get(target, name) {
      const at = `${path}/${String(name)}`;
      unread.delete(at);
      return Object.hasOwn(target, name) ? watched(target[name], at, unread) : target[name];
    },
  });
}

function unknownFields(model, object) {
  const unread = new Set();
  const data = new model(object);
  model.prototype.validate.call(watched(data, "", unread));
  return [...unread].map((at) => `the API has no field ${at}`);
}

async function problemsOf(object) {
  const model = await modelOf(object);
  try {
    new model(object).validate();
  } catch (failure) {
    return [failure.message];
  }
  return unknownFields(model, object);
}

const folder = process.argv[2];
const found = { objects: [], kustomization: null, problems: [] };
for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
  for (const document of parseAllDocuments(readFileSync(join(folder, file), "utf8"), yaml)) {
    const object = document.toJS();
    const problems = document.errors.map((error) => error.message);
    if (file === kustomization) {
      found.kustomization = object;
    } else {
      found.objects.push({ file, object });
      problems.push(...(await problemsOf(object)));
    }
    found.problems.push(...problems.map((problem) => `${file}: ${problem}`));
  }
}
console.log(JSON.stringify(found, null, 2));
