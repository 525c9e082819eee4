// All of script/test openapi, in one process: the services that it starts end with it. Words choose
// parts.
const parts = ['lint', 'generated', 'successes', 'latencies', 'matrix', 'unmatched', 'fuzz',
  'proxy'];
const wanted = process.argv.slice(2);

for (const part of parts.filter((each) => wanted.length === 0 || wanted.includes(each)))
  await import(`./${part}.mjs`);
