/** Share of what is remembered that remains with each further download: half is forgotten after three. */
const REMEMBERED = 0.8;

/** Share of the datagram bytes of the latest downloads that were lost, old downloads counting less and less. */
export class LossEstimator {
  #sent = 0;
  #lost = 0;

  /** Takes one download in: datagram bytes that the server sent, and those of them that never came. */
  add(download: { readonly bytesSent: number; readonly bytesLost: number }): void {
    if (!(download.bytesSent > 0)) return;
    this.#sent = REMEMBERED * this.#sent + download.bytesSent;
    this.#lost = REMEMBERED * this.#lost + download.bytesLost;
  }

  /** 0 … 1, or undefined before the first datagram. */
  get lossRate(): number | undefined {
    return this.#sent === 0 ? undefined : this.#lost / this.#sent;
  }
}
