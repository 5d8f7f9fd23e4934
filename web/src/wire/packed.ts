// Numbers as programs send them: little endian, base64.

function bytes(text: string): ArrayBuffer {
  const letters = atob(text);
  const data = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) data[i] = letters.charCodeAt(i);
  return data.buffer;
}

export const floats = (text: string): Float32Array<ArrayBuffer> => new Float32Array(bytes(text));
export const whole = (text: string): Uint32Array<ArrayBuffer> => new Uint32Array(bytes(text));
export const doubles = (text: string): Float64Array<ArrayBuffer> => new Float64Array(bytes(text));
