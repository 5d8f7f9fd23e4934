// Pictures of a world's cameras, as the studio sends them.
import { HEAD_SIZE, readPictureFrameHead } from "./frames.ts";
import type { PictureHead } from "./messages.ts";

export interface Picture {
  head: PictureHead;
  /** A PNG file. */
  data: Uint8Array<ArrayBuffer>;
}

/** The picture of a frame, null when it is none. */
export function unpackPicture(buffer: ArrayBuffer): Picture | null {
  const words = readPictureFrameHead(new DataView(buffer));
  if (words === null) return null;
  const { text_size: textSize, data_size: dataSize } = words;
  if (buffer.byteLength !== HEAD_SIZE + textSize + dataSize) return null;
  try {
    const text = new TextDecoder().decode(new Uint8Array(buffer, HEAD_SIZE, textSize));
    return {
      head: JSON.parse(text) as PictureHead,
      data: new Uint8Array(buffer, HEAD_SIZE + textSize, dataSize),
    };
  } catch {
    return null; // not a picture: nothing could be done about it
  }
}
