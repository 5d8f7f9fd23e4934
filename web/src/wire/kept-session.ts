// Session and secret of this tab, kept over a reload.
export type SessionStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Where the tab's session is kept. */
export const SESSION = "kinegen.session";

export interface KeptSession {
  session: string;
  secret: string;
}

/** The session that was kept; null: none. */
export function keptSession(store: SessionStore | null | undefined): KeptSession | null {
  try {
    const saved: unknown = JSON.parse(store?.getItem(SESSION) ?? "null");
    if (typeof saved !== "object" || saved === null) return null;
    const { session, secret } = saved as Record<string, unknown>;
    return typeof session === "string" && typeof secret === "string" ? { session, secret } : null;
  } catch {
    return null;
  }
}

export function keepSession(store: SessionStore | null | undefined, kept: KeptSession): void {
  try {
    store?.setItem(SESSION, JSON.stringify(kept));
  } catch {
    // without storage a reload begins a new session
  }
}
