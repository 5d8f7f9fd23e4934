// All other people of the session and those of a running world, and oneself where one stands in it.
import { Vector3 } from "three";
import type { ChoiceHost, PeopleHost } from "../../store/hosts.ts";
import type { PersonSeen, WorldPerson } from "../../wire/messages.ts";
import type { Part, ViewContext } from "../part.ts";
import { Avatar } from "./avatar.ts";
import { BodyFigure } from "./body.ts";
import { MeshFigure } from "./mesh-figure.ts";

/** Of oneself: the key, and the colour until the world knows it. */
const OWN = "yourself";
const GREY = "#64748b";

export class PeopleView implements Part {
  readonly avatars = new Map<string, Avatar>();
  readonly bodies = new Map<string, BodyFigure>();
  /** Those whom cameras see. */
  readonly meshes = new Map<string, MeshFigure>();

  constructor(private readonly context: ViewContext<ChoiceHost & PeopleHost, "root" | "camera">) {}

  frame(): void {
    const { people } = this.context.studio;
    // a camera that stands elsewhere than its user hides nobody
    const eyes = people.stands ? null : people.own;
    const { eye: look } = this.context.camera;
    const eye = people.own?.headset
      ? null
      : new Vector3(...look.target).addScaledVector(this.context.camera.basis()[2], look.distance);
    const seen = this.seen();
    drop(this.avatars, (key) => seen.has(key));
    for (const [key, person] of seen) {
      let avatar = this.avatars.get(key);
      if (!avatar) {
        avatar = new Avatar();
        avatar.group.name = `person ${key}`;
        this.avatars.set(key, avatar);
        this.context.root.add(avatar.group);
        if (key === OWN) avatar.fade();
      }
      const mesh = key === String(person.client) ? people.meshes.get(person.client) : undefined;
      avatar.group.visible = mesh === undefined;
      if (!mesh) avatar.show(person, eyes, eye, this.context.camera.up);
    }
    this.showBodies();
    this.showMeshes();
  }

  dispose(): void {
    drop(this.avatars, () => false);
    drop(this.bodies, () => false);
    drop(this.meshes, () => false);
  }

  /** Everybody with a head, by number of their page or name in the world. */
  private seen(): Map<string, PersonSeen> {
    const { people, settings } = this.context.studio;
    const found = new Map<string, PersonSeen>();
    for (const [client, person] of people.others) found.set(String(client), person);
    for (const one of people.bodies) if (one.client === 0) found.set(`of file ${one.name}`, known(one)); // prettier-ignore
    if (people.stands && people.own) {
      const client = people.self;
      const color = people.bodies.find((one) => one.client === client)?.color ?? GREY;
      const name = settings.personName.trim() || "You";
      found.set(OWN, { kind: "person_seen", client, color, person: { kind: "person", name, ...people.own } }); // prettier-ignore
    }
    return found;
  }

  /** The meshes of those whom cameras see, in place of head and hands. */
  private showMeshes(): void {
    const { meshes, others } = this.context.studio.people;
    const shown = [...others].filter(([client]) => meshes.has(client));
    const keys = new Set(shown.map(([client]) => String(client)));
    drop(this.meshes, (key) => keys.has(key));
    for (const [client, person] of shown) {
      let figure = this.meshes.get(String(client));
      if (!figure) {
        figure = new MeshFigure();
        figure.group.name = `mesh of person ${client}`;
        this.meshes.set(String(client), figure);
        this.context.root.add(figure.group);
      }
      figure.show(person, meshes.get(client)!, this.context.camera.up);
    }
  }

  private showBodies(): void {
    const { people } = this.context.studio;
    // in a headset, one's own body would be in the way
    const shown = people.bodies.filter(({ client }) => client === 0 || client !== people.self || people.stands); // prettier-ignore
    const key = ({ client, name }: WorldPerson): string => `${client} ${name}`;
    const keys = new Set(shown.map(key));
    drop(this.bodies, (one) => keys.has(one));
    for (const one of shown) {
      let body = this.bodies.get(key(one));
      if (!body) {
        body = new BodyFigure();
        body.group.name = `body of ${one.name}`;
        this.bodies.set(key(one), body);
        this.context.root.add(body.group);
        if (one.client !== 0 && one.client === people.self) body.fade();
      }
      body.show(one.body, one.color);
    }
  }
}

/** Somebody whom the world placed, as people of a session are shown. */
function known({ client, name, color, head, hands, size }: WorldPerson): PersonSeen {
  const person = { kind: "person", name, head, hands, scale: size, headset: false } as const;
  return { kind: "person_seen", client, color, person };
}

/** Removes those that are no longer there. */
function drop(all: Map<string, { dispose(): void }>, isThere: (key: string) => boolean): void {
  for (const [key, one] of all)
    if (!isThere(key)) {
      one.dispose();
      all.delete(key);
    }
}
