/** The line to the designer's server: questions with answers, and what it pushes.

The address of the page carries a token, which the web socket repeats. Whatever goes wrong is a sentence. */

import { readBinary, type Binary, type Push } from "./protocol";

/** A refusal of the server, in its own words. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** There is no server to talk to, or it does not know this page's token. */
export class NoServer extends Error {
  override readonly name = "NoServer";

  constructor(
    words: string,
    readonly wrongToken = false,
  ) {
    super(words || "The designer’s server does not answer.");
  }
}

/** Code with which the server closes a line that does not know the token. */
const WRONG_TOKEN = 4003;

type Answer = Readonly<Record<string, unknown>>;
interface Waiting {
  readonly resolve: (answer: Answer | ArrayBuffer) => void;
  readonly reject: (error: Error) => void;
}

export class Connection {
  pushed: (push: Push) => void = () => {};
  /** Called once, where the line ends after it was open. */
  lost: () => void = () => {};
  readonly opened: Promise<void>;
  private readonly socket: WebSocket;
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
  private open = false;

  constructor(address: string) {
    this.socket = new WebSocket(address);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("message", (event: MessageEvent<string | ArrayBuffer>) => this.hear(event.data));
    this.opened = new Promise((resolve, reject) => {
      this.socket.addEventListener("open", () => {
        this.open = true;
        resolve();
      });
      this.socket.addEventListener("close", (event) => {
        const error = new NoServer(event.reason, event.code === WRONG_TOKEN);
        reject(error);
        for (const { reject: fail } of this.waiting.values()) fail(error);
        this.waiting.clear();
        if (this.open) this.lost();
        this.open = false;
      });
    });
  }

  /** Ask something whose answer is JSON. */
  async ask<T = Answer>(what: string, fields: Answer = {}): Promise<T> {
    const answer = await this.send(what, fields);
    if (answer instanceof ArrayBuffer) throw new Error(`bytes came where words were asked for (${what})`);
    return answer as T;
  }

  /** Ask something whose answer is bytes with a header. */
  async askBytes<H>(what: string, fields: Answer = {}): Promise<Binary<H>> {
    const answer = await this.send(what, fields);
    if (!(answer instanceof ArrayBuffer)) throw new Error(`words came where bytes were asked for (${what})`);
    return readBinary<H>(answer);
  }

  private send(what: string, fields: Answer): Promise<Answer | ArrayBuffer> {
    if (!this.open) return Promise.reject(new NoServer("The designer’s server is gone."));
    const id = this.next++;
    this.socket.send(JSON.stringify({ ...fields, id, do: what }));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  private hear(data: string | ArrayBuffer): void {
    if (data instanceof ArrayBuffer) {
      this.take(readBinary<object>(data).header.id)?.resolve(data);
      return;
    }
    const message = JSON.parse(data) as Answer;
    if (typeof message.push === "string") {
      this.pushed(message as unknown as Push);
      return;
    }
    const waiting = this.take(message.id as number);
    if (message.ok === true) waiting?.resolve(message);
    else waiting?.reject(new Refused(String(message.error ?? "The server could not do that.")));
  }

  private take(id: number): Waiting | undefined {
    const found = this.waiting.get(id);
    this.waiting.delete(id);
    return found;
  }
}

/** Runs one question at a time; of those that come meanwhile only the latest is asked. */
export class Latest<T> {
  private busy = false;
  private next: (() => Promise<T>) | null = null;

  constructor(
    private readonly answered: (value: T) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  ask(question: () => Promise<T>): void {
    this.next = question;
    if (!this.busy) void this.run();
  }

  /** Forget what has not been asked yet. */
  clear(): void {
    this.next = null;
  }

  private async run(): Promise<void> {
    this.busy = true;
    while (this.next !== null) {
      const question = this.next;
      this.next = null;
      try {
        const answer = await question();
        if (this.next === null) this.answered(answer);
      } catch (error) {
        this.failed(error);
      }
    }
    this.busy = false;
  }
}
