/** What `read` returns; undefined when it throws one of the errors that it documents. Any other is a finding. */
export function allow<Result>(
  documented: readonly (abstract new (...args: never[]) => Error)[],
  read: () => Result,
): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!documented.some((type) => error instanceof type)) throw error;
    return undefined;
  }
}
