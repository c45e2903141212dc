/** Mean rate of one running download since its first byte came. */
export class ReceiveRate {
  #elapsed = 0;
  #bytes = 0;
  /** Seconds, to within the interval between two updates: the last one without a byte. */
  timeToFirstByte = 0;

  /** Takes the download's state in: seconds since its request and bytes so far. */
  update(elapsed: number, bytesReceived: number): void {
    this.#elapsed = elapsed;
    this.#bytes = bytesReceived;
    if (bytesReceived < 1) this.timeToFirstByte = elapsed;
  }

  /** Bit/s; 0 before the first byte. */
  get throughput(): number {
    const seconds = this.#elapsed - this.timeToFirstByte;
    return seconds > 0 ? (this.#bytes * 8) / seconds : 0;
  }
}
