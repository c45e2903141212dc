/**
 * `derive`, computed once for each argument, by identity. The options of a segment are asked for again and again: of the
 * segments ahead all but one were ahead of the last choice, too.
 */
export function remembered<Key extends object, Value>(derive: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = derive(key);
    known.set(key, value);
    return value;
  };
}
