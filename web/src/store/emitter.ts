// Events with typed payloads, no framework: `on` returns the function that unsubscribes.
export type Listener<T> = (value: T) => void;

export class Emitter<Events> {
  private readonly listeners = new Map<keyof Events, Set<Listener<never>>>();
  private readonly witnesses = new Set<() => void>();

  /** Calls the listener at every event of this name until the returned function is called. */
  readonly on = <K extends keyof Events>(event: K, listener: Listener<Events[K]>): (() => void) => {
    let set = this.listeners.get(event);
    if (set === undefined) this.listeners.set(event, (set = new Set()));
    set.add(listener as Listener<never>);
    return () => void set.delete(listener as Listener<never>);
  };

  /** Calls the listener at every event of any name, after those of that name. */
  readonly onAny = (listener: () => void): (() => void) => {
    this.witnesses.add(listener);
    return () => void this.witnesses.delete(listener);
  };

  readonly emit = <K extends keyof Events>(event: K, value: Events[K]): void => {
    const set = this.listeners.get(event) as Set<Listener<Events[K]>> | undefined;
    // a copy: a listener may unsubscribe itself or others
    if (set) for (const listener of [...set]) if (set.has(listener)) listener(value);
    for (const witness of [...this.witnesses]) witness();
  };
}
