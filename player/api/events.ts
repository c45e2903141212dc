type Listener<Event> = (event: Event) => void;

/** Typed events. A listener that throws harms nobody else: its error surfaces as an uncaught one. */
export class EventEmitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** Calls `listener` for every event of that type; the function returned ends that. */
  on<Type extends keyof Events>(type: Type, listener: Listener<Events[Type]>): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  emit<Type extends keyof Events>(type: Type, event: Events[Type]): void {
    for (const listener of [...(this.#listeners.get(type) ?? [])] as Listener<Events[Type]>[]) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
