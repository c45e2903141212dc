// @ts-check

/**
 * @template Result
 * @param {() => Result} make @returns {() => Result} makes it once, when it is first asked for
 */
export function memoize(make) {
  /** @type {{ result: Result } | undefined} */
  let made;
  return () => (made ??= { result: make() }).result;
}
