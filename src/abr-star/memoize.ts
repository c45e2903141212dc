/** Twice the segments that a plan looks at: those of a seek back and forth fit as well. */
const MOST_KEPT = 16;

/**
 * `derive`, computed once for each of the latest arguments, by identity. The options of a segment are asked for again and
 * again: of the segments ahead all but one were ahead of the last choice, too.
 */
export function memoize<Key extends object, Value>(derive: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = derive(key);
    if (known.size === MOST_KEPT) known.delete(known.keys().next().value!);
    known.set(key, value);
    return value;
  };
}
