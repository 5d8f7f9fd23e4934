// The sheet of people: who else is in the session, and what others call the user.
import type { ChoiceHost, NoticeHost, PeopleHost } from "../../store/hosts.ts";
import type { ButtonItem, Row, Sheet } from "./rows.ts";
import { buttons, words } from "./sheet-rows.ts";

type Host = ChoiceHost & NoticeHost & PeopleHost;

/** Keys of a name, by rows. */
const KEYS = ["ABCDEFGHI", "JKLMNOPQR", "STUVWXYZ-"] as const;
const LONGEST = 40;

/** Pages whose user is writing a name, and what was there before. */
const writing = new WeakMap<object, string>();

export function peopleSheet(studio: Host): Sheet {
  const { people, settings, readOnly } = studio;
  const name = settings.personName;
  const set = (next: string): void => studio.setSetting("personName", next.slice(0, LONGEST));
  const others = [...people.others.values()].map(({ person }) =>
    words(`${person.name} · ${person.headset ? "in a headset" : "on a page"}`),
  );
  const before = writing.get(studio);
  const own = `Your name: ${name || "given by the studio"}`;
  const rows: Row[] = [
    buttons({ label: own, isOn: before !== undefined, run: () => begin(studio) }),
  ];
  if (before !== undefined)
    rows.push(
      ...KEYS.map((keys) =>
        buttons(
          ...[...keys].map((key): ButtonItem => ({
            label: key,
            run: () => set(name + cased(name, key)),
          })),
        ),
      ),
      buttons(
        { label: "Space", isOff: name === "", run: () => set(`${name} `) },
        { label: "Delete", isOff: name === "", run: () => set(name.slice(0, -1)) },
        { label: "Cancel", run: () => (set(before), writing.delete(studio)) },
        { label: "Done", run: () => (set(name.trim()), writing.delete(studio)) },
      ),
    );
  rows.push(...(others.length ? others : [words("Nobody else is in this session.", "soft")]));
  if (readOnly)
    rows.push(
      words("This page is view-only: others see you, but you cannot change anything.", "soft"),
    );
  return { title: "People", rows };
}

function begin(studio: Host): void {
  if (writing.has(studio)) writing.delete(studio);
  else writing.set(studio, studio.settings.personName);
}

/** Capitals begin words. */
const cased = (name: string, key: string): string =>
  /[\p{L}\d]$/u.test(name) ? key.toLowerCase() : key;
