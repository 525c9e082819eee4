// What no test can provoke over sockets, each with the reason. Everything else must be provoked, or
// a scenario finds it impossible for an operation and says why.
const rules = [
  {
    why: 'a defect of the service by definition',
    of: ({ code }) => code === 'internal',
  },
  {
    why: 'a program that was built without the console; this one has it',
    of: ({ of, code }) => code === 'route_not_found' && ['/', '/docs'].includes(of.path),
  },
  {
    why: 'an export of another process: this one knows those that it made, also without the store',
    of: ({ of, code }) => code === 'store_failed' && /^download_(own_)?export$/.test(of.id),
  },
];

/** Why a cell of the matrix cannot be provoked; undefined where it must be. */
export function unprovokable(cell) {
  return rules.find((rule) => rule.of(cell))?.why;
}
