/** Arguments that a function call takes without running out of stack. */
const CHUNK = 0x8000;

/** The bytes as Base64 text. */
export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}
