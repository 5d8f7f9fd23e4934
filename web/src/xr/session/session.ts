// Sessions of a headset: what the browser can do, in words, and how a session begins.

export type Mode = "immersive-vr" | "immersive-ar";

/** What the browser offers here. */
export interface Abilities {
  vr: boolean;
  ar: boolean;
  /** Why there is neither, and what would help; '' where there is one. */
  words: string;
}

/** What the abilities depend on. */
export interface Surrounding {
  xr: XRSystem | undefined;
  isSecure: boolean;
}

const here = (): Surrounding => ({ xr: navigator.xr, isSecure: isSecureContext });

export async function abilities({ xr, isSecure }: Surrounding = here()): Promise<Abilities> {
  if (!isSecure)
    return none(
      "Browsers offer headsets only to secure pages: open this one over https, or as localhost " +
        "with the headset's USB cable.",
    );
  if (!xr)
    return none(
      "This browser has no WebXR. In a headset, open this page in its own browser; on a computer, " +
        "use Chrome or Edge with the headset connected.",
    );
  const can = (mode: Mode): Promise<boolean> => xr.isSessionSupported(mode).catch(() => false);
  const [vr, ar] = await Promise.all([can("immersive-vr"), can("immersive-ar")]);
  if (vr || ar) return { vr, ar, words: "" };
  return none(
    "This browser supports WebXR but finds no headset: connect one, or open this page in it.",
  );
}

const none = (words: string): Abilities => ({ vr: false, ar: false, words });

/** A session, and the space that it counts from: the floor, or the eyes where no floor is known. */
export interface Begun {
  session: XRSession;
  space: "local-floor" | "local";
}

/** Asks for a session; called from a click. Throws with words for the user. */
export async function begin(mode: Mode, xr: XRSystem | undefined = navigator.xr): Promise<Begun> {
  if (!xr) throw new Error((await abilities()).words);
  let session: XRSession;
  try {
    session = await xr.requestSession(mode, {
      optionalFeatures: [
        ...["local-floor", "hand-tracking"],
        // to put the mechanism on a real table
        ...(mode === "immersive-ar" ? ["hit-test"] : []),
      ],
    });
  } catch (error) {
    throw new Error(refusal(error, mode), { cause: error });
  }
  const isStanding = await session.requestReferenceSpace("local-floor").then(
    () => true,
    () => false,
  );
  return { session, space: isStanding ? "local-floor" : "local" };
}

/** Why a session was refused, in words. */
function refusal(error: unknown, mode: Mode): string {
  const name = error instanceof Error ? error.name : "";
  const what = mode === "immersive-vr" ? "VR" : "AR";
  if (name === "InvalidStateError")
    return `The headset is in use by another page or session: end that first, then enter ${what} again`;
  if (name === "SecurityError" || name === "NotAllowedError")
    return `The browser did not allow ${what}: allow it for this page and try again`;
  if (name === "NotSupportedError") return `The headset does not offer ${what} to this page`;
  return `${what} did not start: ${error instanceof Error ? error.message : String(error)}`;
}
