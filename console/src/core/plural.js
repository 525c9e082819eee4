/** A number with its noun: 1 report, 2 reports. */
export const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
