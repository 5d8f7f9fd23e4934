// Rows that all sheets are made of.
import type { NoticeHost } from "../../store/hosts.ts";
import type { ButtonItem, Row } from "./rows.ts";

export const buttons = (...items: ButtonItem[]): Row => ({ kind: "buttons", items });
export const words = (text: string, tone?: "soft" | "danger"): Row => ({
  kind: "words",
  text,
  ...(tone ? { tone } : {}),
});

/** Waits for what the studio was asked; problems are said. */
export function said(studio: NoticeHost, request: Promise<unknown>): void {
  request.catch((error: Error) => studio.notice("error", error.message));
}
