// What the page's address asks for: a mechanism, a session to watch, work to take back.
import type { ConnectionHost, ModelHost, RequestHost, SimulationHost } from "../../store/hosts.ts";
import { SESSION, type SessionStore } from "../../wire/kept-session.ts";
import type { ConnectionOptions } from "../../wire/socket.ts";
import { unpackShare } from "../../wire/share.ts";
import { tabStore } from "../../wire/tab.ts";
import { playLog } from "../open/log-file.ts";
import type { AppOf } from "./app.svelte.ts";

const HEAD: RequestInit = { method: "HEAD", cache: "no-store", redirect: "manual" };

/** What a newly typed address names in a tab that already has a session: there it is opened. */
let named: string | null = null;

/** How to reach the studio that served this page. */
export async function startOptions(): Promise<ConnectionOptions> {
  const query = new URLSearchParams(location.search);
  const url = new URL("ws", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  url.search = query.has("token") ? `?token=${query.get("token")}` : "";
  const store = await tabStore();
  takeSession(query, store);
  const [visit] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const goesOn = visit?.type === "navigate" && store?.getItem(SESSION) != null;
  if (goesOn && !query.has("watch")) named = query.get("open");
  return {
    url: url.href,
    open: query.get("open"),
    watch: query.get("watch"),
    recover: query.get("recover"),
    store,
    isKnown: async () => (await fetch(location.pathname, HEAD)).status !== 403,
  };
}

/**
 * Takes over the session that a program's link names: its secret is behind the #, and perhaps the
 * fingerprint of the certificate, which was for whoever opened the link.
 */
function takeSession(query: URLSearchParams, store: SessionStore | null): void {
  const session = query.get("session");
  const secret = /^#secret=([\w-]+)(&|$)/.exec(location.hash)?.[1];
  if (session === null || secret === undefined) return;
  store?.setItem(SESSION, JSON.stringify({ session, secret }));
  query.delete("session");
  const rest = query.toString();
  history.replaceState(null, "", location.pathname + (rest ? `?${rest}` : ""));
}

/** Opens the mechanism that the address carries behind its #, or names, once the studio is there. */
export async function openShared(
  app: AppOf<ModelHost & ConnectionHost & SimulationHost & RequestHost>,
): Promise<void> {
  const { studio } = app;
  // a link that is put into the address of this very page only changes what is behind the #
  window.addEventListener("hashchange", () => void openCarried(app));
  if (studio.snapshot === null)
    await new Promise<void>((resolve) => {
      const off = studio.on("snapshot", () => {
        off();
        resolve();
      });
    });
  const log = studio.welcome?.replay;
  if (log) void app.ask("Opening the log", playLog(app, log));
  if ((await openCarried(app)) || named === null) return;
  const value = named;
  const isFile = studio.welcome?.suffixes.some((suffix) => value.endsWith(suffix));
  void app.ask("Opening", studio.open(isFile ? "file" : "library", value));
}

async function openCarried(app: AppOf<RequestHost>): Promise<boolean> {
  const { hash } = location;
  if (!hash.startsWith("#m")) return false;
  const shared = await unpackShare(hash);
  history.replaceState(null, "", location.pathname + location.search);
  if (shared) void app.ask("Opening the link", app.studio.open("text", shared.text, shared.q));
  else app.toasts.say("The link is damaged: its mechanism cannot be read", "error");
  return true;
}
