// What belongs to this tab alone: a duplicated tab is given a copy of it, and must notice.
import { SESSION, type SessionStore } from "./kept-session.ts";

const TAB = "kinegen.tab";

/** The part of the browser's LockManager that is used. */
export interface Locks {
  request(
    name: string,
    options: { ifAvailable: true },
    use: (lock: unknown) => Promise<void> | void,
  ): Promise<unknown>;
}

/** This tab's storage; without the session when another tab, of which it is a copy, has that. */
export async function tabStore(
  store: SessionStore | null = browserStore(),
  locks: Locks | null = browserLocks(),
): Promise<SessionStore | null> {
  if (store === null || locks === null) return store;
  const known = store.getItem(TAB);
  if (known !== null && (await hold(locks, known))) return store;
  if (known !== null) store.removeItem(SESSION);
  const name = crypto.randomUUID();
  store.setItem(TAB, name);
  await hold(locks, name);
  return store;
}

/** Takes the lock of a tab for as long as the page lives; false when another page has it. */
function hold(locks: Locks, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const use = (lock: unknown): Promise<void> | void => {
      resolve(lock !== null);
      if (lock !== null) return new Promise(() => undefined);
    };
    locks.request(`kinegen-tab-${name}`, { ifAvailable: true }, use).catch(() => resolve(true));
  });
}

function browserStore(): SessionStore | null {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null;
  }
}

function browserLocks(): Locks | null {
  return (globalThis.navigator?.locks as Locks | undefined) ?? null;
}
