/** A fuzz target; `check` throws for a finding. The fuzzer hands over `Buffer`s of its own. */
export function target(check: (bytes: Uint8Array<ArrayBuffer>) => void): (data: Uint8Array) => void {
  return (data) => check(Uint8Array.from(data));
}
