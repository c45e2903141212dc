/** What is still to happen, in the order of time; of one time, in the order in which it was put in. Seconds. */
export class EventQueue<Event> {
  #coming: (readonly [time: number, event: Event])[] = [];

  /** When the next one is due; Infinity: there is none. */
  get nextAt(): number {
    return this.#coming[0]?.[0] ?? Infinity;
  }

  get events(): readonly Event[] {
    return this.#coming.map(([, event]) => event);
  }

  at(time: number, event: Event): void {
    // From the end: most are later than nearly all that wait.
    let place = this.#coming.length;
    while (place > 0 && this.#coming[place - 1]![0] > time) place--;
    this.#coming.splice(place, 0, [time, event]);
  }

  /** Takes what is due by `end`, one after the other, and what is put in meanwhile, too. */
  *due(end: number): Generator<readonly [time: number, event: Event]> {
    while (this.nextAt <= end) yield this.#coming.shift()!;
  }

  cancel(isOff: (event: Event) => boolean): void {
    this.#coming = this.#coming.filter(([, event]) => !isOff(event));
  }

  /** The same times, for other events. */
  map<Other>(other: (event: Event) => Other): EventQueue<Other> {
    const queue = new EventQueue<Other>();
    queue.#coming = this.#coming.map(([time, event]) => [time, other(event)]);
    return queue;
  }
}
