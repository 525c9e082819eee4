// Work that waits for others most of the time, some of it at once.

/** Calls `each` for all of `items`, so many at once. */
export async function forAll(items, atOnce, each) {
  const left = [...items];
  const work = async () => {
    while (left.length) await each(left.shift());
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
