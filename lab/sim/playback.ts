/** The viewer's side of a session: a buffer that plays out, from the first segment on. All in seconds. */
export class Playback {
  #time = 0;
  #bufferLevel = 0;
  #appended = 0;
  #startup: number | undefined;
  #stalled = 0;
  #stalls = 0;
  #isStalling = false;
  #stall = 0;
  #longestStall = 0;

  get time(): number {
    return this.#time;
  }

  get bufferLevel(): number {
    return this.#bufferLevel;
  }

  /** Where playback is in the stream. */
  get position(): number {
    return this.#appended - this.#bufferLevel;
  }

  /** Nothing plays until more comes. */
  get isWaiting(): boolean {
    return this.#bufferLevel <= 0;
  }

  /** Time to the first picture: no stall. */
  get startup(): number {
    return this.#startup ?? this.#time;
  }

  get stalled(): number {
    return this.#stalled;
  }

  get stalls(): number {
    return this.#stalls;
  }

  get longestStall(): number {
    return this.#longestStall;
  }

  advanceTo(time: number): void {
    const passed = Math.max(0, time - this.#time);
    this.#time += passed;
    if (this.#startup === undefined) return;
    const missing = passed - this.#bufferLevel;
    this.#bufferLevel = Math.max(0, -missing);
    if (missing <= 0) return;
    this.#stalled += missing;
    if (!this.#isStalling) this.#stalls++;
    this.#stall = this.#isStalling ? this.#stall + missing : missing;
    this.#longestStall = Math.max(this.#longestStall, this.#stall);
    this.#isStalling = true;
  }

  append(seconds: number): void {
    this.#startup ??= this.#time;
    this.#bufferLevel += seconds;
    this.#appended += seconds;
    this.#isStalling = false;
  }
}
