// What no test can provoke over sockets, each with the reason. Everything else must be provoked.
import { isUnhindered } from './failures.mjs';

const rules = [
  {
    why: 'a defect of the service by definition',
    of: ({ code }) => code === 'internal',
  },
  {
    why: 'the ops plane passes no fault points in its front, its reports and the control of ' +
      'faults, so that a fault can always be taken away: nothing makes these actors die',
    of: ({ of, code }) => code === 'unavailable' && isUnhindered(of),
  },
  {
    why: 'answered within the turn of the event loop that read it: too late only where the ' +
      'process stood still in that very turn, which takes a hundred thousand requests to meet',
    of: ({ of, code }) => code === 'deadline_exceeded' && of.plane === 'ops' &&
      of.tokenKinds.length === 0,
  },
];

/** Why a cell of the matrix cannot be provoked; undefined where it must be. */
export function unprovokable(cell) {
  return rules.find((rule) => rule.of(cell))?.why;
}
