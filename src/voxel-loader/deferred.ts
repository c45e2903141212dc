/** A promise, and what settles it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/** Does what `Promise.withResolvers` does, which some browsers lack. */
export function deferred<Value = void>(): Deferred<Value> {
  let settle!: Omit<Deferred<Value>, 'promise'>;
  const promise = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle };
}
