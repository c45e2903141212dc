/** What queue disciplines make of fluids, where no packet is simulated by itself. */

/** Drop tail: bytes that are lost of `waiting`. What does not fit costs the packet that it is part of. */
export function overflowOf(waiting: number, limitPackets: number, packetBytes: number): number {
  const over = waiting - limitPackets * packetBytes;
  return over > 0 ? Math.ceil(over / packetBytes) * packetBytes : 0;
}

/** Fair queueing: what each may have of a rate when those who need less leave the others the rest (max-min fairness). */
export function fairShare(rate: number, needs: readonly number[]): number {
  let share = rate / needs.length;
  for (;;) {
    let [free, sharing] = [rate, 0];
    for (const need of needs) {
      if (need < share) free -= need;
      else sharing++;
    }
    // With every need below the share nobody wants more.
    const larger = sharing === 0 ? share : free / sharing;
    if (larger <= share) return share;
    share = larger;
  }
}
