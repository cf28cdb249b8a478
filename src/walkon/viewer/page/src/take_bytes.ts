/** Where the page's take comes from: embedded in the page itself, or served beside it under ./take.

Embedded it is base64 of gzip in <script type="application/octet-stream;base64" id="take-data">; served it is the same
container, which the browser unzips (Content-Encoding). Both may fail, with a sentence.

A page with its take inside says so at its very beginning (<meta name="walkon" content="exported">) and ends with an
element `whole`, so that a file that was cut off is known as one. */

import { UnreadableTake } from "./unreadable";

/** Return the bytes of the take that this page plays. */
export async function takeBytes(): Promise<Uint8Array> {
  if (!isExported()) return fetched("./take");
  const element = document.getElementById("take-data");
  if (element === null || document.getElementById("whole") === null) {
    throw new UnreadableTake("This file was cut off: its end is missing.");
  }
  const bytes = await unzipped(fromBase64(element.textContent ?? ""));
  element.remove(); // the text is as large as the take, and no longer needed
  return bytes;
}

/** Whether the page has its take inside. */
export function isExported(): boolean {
  return document.querySelector('meta[name="walkon"][content="exported"]') !== null;
}

async function fetched(address: string): Promise<Uint8Array> {
  let answer: Response;
  try {
    answer = await fetch(address, { cache: "no-store" });
  } catch {
    throw new UnreadableTake("The take cannot be fetched: is `walkon view` still running?");
  }
  if (!answer.ok) throw new UnreadableTake(`The take cannot be fetched: the server answers ${answer.status}.`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return zipped ? unzipped(bytes) : bytes;
}

/** Return the bytes of a base64 text, which may have line ends. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  let decoded: string;
  try {
    decoded = atob(text);
  } catch {
    throw new UnreadableTake("The take inside this page is damaged: it is not base64.");
  }
  const bytes = new Uint8Array(decoded.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = decoded.charCodeAt(i);
  return bytes;
}

/** Return what was gzipped. */
export async function unzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new UnreadableTake("The take inside this page is damaged: it cannot be unzipped.");
  }
}
