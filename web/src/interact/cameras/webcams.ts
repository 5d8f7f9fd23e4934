// Webcams as an image source: several at once, each beside the empty picture of its view.
import type { PinholeCamera } from "../../kernel/hull/cameras.ts";
import type { ImageSource, Pictures } from "../../store/avatar/source.ts";

export interface CameraDevice {
  id: string;
  /** As the browser names it; numbered where it does not say. */
  name: string;
}

/** Why there are no cameras, in words for the user. */
export class CameraTrouble extends Error {}

/** The cameras of this computer; asks for permission where names are not known without. */
export async function cameraDevices(): Promise<CameraDevice[]> {
  const media = mediaOf();
  let found = await videoInputs(media);
  if (found.some(({ label }) => label === "")) {
    // browsers name cameras only after one could be used
    const stream = await opened(media, { video: true }, "the camera");
    found = await videoInputs(media);
    for (const track of stream.getTracks()) track.stop();
  }
  if (found.length === 0)
    throw new CameraTrouble("no camera was found: plug one in, then look again");
  return found.map(({ deviceId, label }, i) => ({
    id: deviceId,
    name: label || `Camera ${i + 1}`,
  }));
}

export class WebcamSource implements ImageSource {
  backgrounds: readonly Uint8Array<ArrayBuffer>[] = [];
  readonly isLinear = false;
  readonly isInScene = false;
  readonly box = null;
  trouble = "";
  private readonly context: CanvasRenderingContext2D;
  private times: readonly number[] = [];

  private constructor(
    readonly cameras: readonly PinholeCamera[],
    private readonly videos: readonly HTMLVideoElement[],
  ) {
    const canvas = document.createElement("canvas");
    canvas.width = cameras[0].width;
    canvas.height = cameras[0].height;
    this.context = canvas.getContext("2d", { willReadFrequently: true })!;
  }

  /** Opens a device for each camera. */
  static async open(
    cameras: readonly PinholeCamera[],
    devices: readonly CameraDevice[],
  ): Promise<WebcamSource> {
    const media = mediaOf();
    const videos: HTMLVideoElement[] = [];
    try {
      for (const [i, { id, name }] of devices.entries()) {
        const [width, height] = [cameras[i].width, cameras[i].height];
        const video = { deviceId: { exact: id }, width: { ideal: width }, height: { ideal: height } }; // prettier-ignore
        const stream = await opened(media, { video }, `'${name}'`);
        const shown = document.createElement("video");
        videos.push(shown);
        shown.muted = shown.playsInline = true;
        shown.srcObject = stream;
        await shown.play();
      }
    } catch (error) {
      videos.forEach(closed);
      throw error;
    }
    const source = new WebcamSource(cameras, videos);
    videos.forEach((video, i) => {
      for (const track of tracksOf(video))
        track.onended = () =>
          (source.trouble = `'${devices[i].name}' sends no pictures any more: was it unplugged?`);
    });
    return source;
  }

  get isReady(): boolean {
    return this.backgrounds.length > 0;
  }

  async take(again: boolean): Promise<Pictures | null> {
    const times = this.videos.map(({ currentTime }) => currentTime);
    if (!again && times.every((time, i) => time === this.times[i])) return null;
    if (!this.videos.every((video) => video.readyState >= video.HAVE_CURRENT_DATA)) return null;
    this.times = times;
    return this.videos.map((video) => this.grab(video));
  }

  /** Takes what is seen now as the views without the body. */
  takeBackground(): void {
    this.backgrounds = this.videos.map((video) => this.grab(video));
  }

  close(): void {
    this.videos.forEach(closed);
  }

  /** The middle of a video in the shape of the cameras' pictures. */
  private grab(video: HTMLVideoElement): Uint8Array<ArrayBuffer> {
    const { width, height } = this.cameras[0];
    const scale = Math.min(video.videoWidth / width, video.videoHeight / height);
    const [w, h] = [scale * width, scale * height];
    const [x, y] = [(video.videoWidth - w) / 2, (video.videoHeight - h) / 2];
    this.context.drawImage(video, x, y, w, h, 0, 0, width, height);
    return new Uint8Array(this.context.getImageData(0, 0, width, height).data.buffer);
  }
}

function mediaOf(): MediaDevices {
  // pages that are not safe have none
  const media = navigator.mediaDevices as MediaDevices | undefined;
  if (!media)
    throw new CameraTrouble(
      "this page may not use cameras: open the studio on this computer (localhost) or over https",
    );
  return media;
}

async function videoInputs(media: MediaDevices): Promise<MediaDeviceInfo[]> {
  return (await media.enumerateDevices()).filter(({ kind }) => kind === "videoinput");
}

async function opened(
  media: MediaDevices,
  wanted: MediaStreamConstraints,
  what: string,
): Promise<MediaStream> {
  try {
    return await media.getUserMedia(wanted);
  } catch (error) {
    throw new CameraTrouble(troubleOf(error, what));
  }
}

/** What a browser's refusal means. */
export function troubleOf(error: unknown, what: string): string {
  const name = error instanceof Error ? error.name : "";
  switch (name) {
    case "NotAllowedError":
    case "SecurityError":
      return `the browser does not allow ${what}: allow cameras for this page beside its address, then try again`;
    case "NotFoundError":
    case "OverconstrainedError":
      return `${what} was not found: plug it in, then look again`;
    case "NotReadableError":
    case "AbortError":
      return `${what} cannot be used at the moment: another program may be using it`;
    default:
      return `${what} cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const tracksOf = ({ srcObject }: HTMLVideoElement): MediaStreamTrack[] =>
  srcObject instanceof MediaStream ? srcObject.getTracks() : [];

function closed(video: HTMLVideoElement): void {
  for (const track of tracksOf(video)) {
    track.onended = null;
    track.stop();
  }
  video.srcObject = null;
}
