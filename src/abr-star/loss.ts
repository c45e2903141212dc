/** Share of what is remembered that remains with each further download: half is forgotten after three. */
const REMEMBERED = 0.8;

/**
 * Share of the unreliable bytes of the latest downloads that were lost for good, old downloads counting less and less. Those
 * that travel on streams count as well: so datagrams are tried again after a while.
 */
export class LossEstimator {
  #sent = 0;
  #lost = 0;

  /** Takes one download in: unreliable bytes that the server sent, and those of them that never came. */
  add(download: { readonly bytesSent: number; readonly bytesLost: number }): void {
    if (!(download.bytesSent > 0)) return;
    this.#sent = REMEMBERED * this.#sent + download.bytesSent;
    this.#lost = REMEMBERED * this.#lost + download.bytesLost;
  }

  /** 0 … 1, or undefined before the first byte. */
  get lossRate(): number | undefined {
    return this.#sent === 0 ? undefined : this.#lost / this.#sent;
  }
}
