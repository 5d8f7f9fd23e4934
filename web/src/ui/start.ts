// What the page's address asks for: a mechanism, a session to watch, work to take back.
import type { ConnectionOptions } from "../wire/socket.ts";
import { unpackShare } from "../wire/share.ts";
import { tabStore } from "../wire/tab.ts";
import type { App } from "./state/app.svelte.ts";

/** How to reach the studio that served this page. */
export async function startOptions(): Promise<ConnectionOptions> {
  const query = new URLSearchParams(location.search);
  const url = new URL("ws", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  url.search = query.has("token") ? `?token=${query.get("token")}` : "";
  return {
    url: url.href,
    open: query.get("open"),
    watch: query.get("watch"),
    recover: query.get("recover"),
    store: await tabStore(),
  };
}

/** Opens the mechanism that the address carries behind its #, once the studio is there. */
export async function openShared(app: App): Promise<void> {
  const shared = await unpackShare(location.hash);
  const { studio } = app;
  if (location.hash && !shared && location.hash.startsWith("#m"))
    app.toasts.say("The link is damaged: its mechanism cannot be read", "error");
  if (!shared) return;
  const open = (): void => {
    history.replaceState(null, "", location.pathname + location.search);
    void app.ask("Opening the link", studio.open("text", shared.text, shared.q));
  };
  const off = studio.on("snapshot", () => {
    off();
    open();
  });
}
