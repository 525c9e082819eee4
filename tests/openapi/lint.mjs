// What others' linters say of the documents: nothing, not even a warning.
import test from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { planes } from './document.mjs';
import { documentFolder, runTool } from './tools.mjs';

const folder = documentFolder('lint');

for (const plane of planes) {
  test(`redocly finds nothing in the document of the ${plane} plane`, () => {
    const { out, all } = runTool('redocly',
      ['lint', '--extends=recommended', '--format=json', `${plane}.json`], folder);
    const { problems } = JSON.parse(out.slice(out.indexOf('{')) || `{"problems":["${all}"]}`);
    assert.deepEqual(problems.map(({ ruleId, severity, message, location }) =>
      `${severity} ${ruleId}: ${message} ${location[0].pointer}`), []);
  });

  test(`spectral finds nothing in the document of the ${plane} plane`, () => {
    const rules = path.join(folder, 'spectral.yaml');
    fs.writeFileSync(rules, 'extends: [["spectral:oas", recommended]]\n');
    const { out, code } = runTool('spectral', ['lint', '--quiet', `--ruleset=${rules}`,
      '--fail-severity=hint', '--format=json', `${plane}.json`], folder);
    const findings = JSON.parse(out.slice(out.indexOf('[')));
    assert.deepEqual(findings.map((each) =>
      `${each.severity} ${each.code}: ${each.message} ${each.path.join('.')}`), []);
    assert.equal(code, 0);
  });
}
