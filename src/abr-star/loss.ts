/** Share of what is remembered that remains with each further download: half is forgotten after three. */
const REMEMBERED = 0.8;

/**
 * Share of the unreliable bytes of the latest downloads that were lost for good, old downloads counting less and less. Those
 * that travel on streams count as well: so datagrams are tried again after a while.
 */
export class LossEstimator {
  #sent = 0;
  #lost = 0;
  /** Whether anything that was asked for is missing of the latest download. */
  hasGaps = false;

  /**
   * Takes one download in: unreliable bytes that the server sent, those of them that never came, and those that it did not send
   * though they were asked for.
   */
  add(download: { readonly bytesSent: number; readonly bytesLost: number; readonly bytesUnsent?: number }): void {
    const { bytesSent, bytesLost, bytesUnsent = 0 } = download;
    this.hasGaps = bytesLost + bytesUnsent > 0;
    if (!(bytesSent > 0)) return;
    this.#sent = REMEMBERED * this.#sent + bytesSent;
    this.#lost = REMEMBERED * this.#lost + bytesLost;
  }

  /** 0 … 1, or undefined before the first byte. */
  get lossRate(): number | undefined {
    return this.#sent === 0 ? undefined : this.#lost / this.#sent;
  }
}
